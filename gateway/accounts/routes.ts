// Accounts: registering, logging in, and what a user does for itself.
import { parseSessionId } from '#actors/core/ids.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import { logIn } from './login.js';
import { changePassword, requestReset } from './password.js';
import { acceptPassword, register, verifyEmail } from './register.js';
import * as wire from './schema.js';
import { endOne, endOthers, logOut, showSessions } from './sessions.js';
import { confirmTotp, removeTotp, setUpTotp } from './totp.js';
import type { AccountDeps } from './account-deps.js';
import { buildBodySpec, defineOpenRoute, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '../routing/session-route.js';

const params = { session_id: { parse: parseSessionId, code: 'session_not_found' } } as const;
const OWN = 'own_account';

export const buildAuthRoutes = (parts: AccountDeps): readonly Route[] => [
  ...buildOpenAuthRoutes(parts),
  ...buildPasswordRoutes(parts),
  ...buildOwnSessionRoutes(parts),
  ...buildTotpRoutes(parts),
];

const buildOpenAuthRoutes = (parts: AccountDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/register',
    summary: 'Register a merchant',
    description:
      'TEST works at once; LIVE keys, KYC and inviting others need the address to be verified, by a link ' +
      'that is mailed. The answer is the same for an address that is known: then its owner gets a mail.',
    limit: 'auth',
    body: buildTextBodySpec(wire.RegisterRequest, ['business_name', 'email']),
    answers: { 201: wire.Registered },
    errors: ['card_data_refused'],
    handle: (request) => register(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/verify',
    summary: 'Verify an e-mail address',
    limit: 'auth',
    body: buildBodySpec(wire.LinkRequest),
    answers: { 204: null },
    handle: (request) => verifyEmail(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/login',
    summary: 'Log in',
    description:
      'Who has a second factor sends `totp_code` too; when it is missing or wrong, `param` of the error ' +
      'says so. A session ends an hour after its last use, and 12 hours after its login.',
    limit: 'login',
    body: buildBodySpec(wire.LoginRequest),
    answers: { 200: wire.LoggedIn },
    errors: ['login_failed'],
    handle: (request) => logIn(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/password-reset',
    summary: 'Ask for a link to choose a new password',
    description: 'The answer is the same whether or not the address is known.',
    limit: 'auth',
    body: buildBodySpec(wire.ResetRequest),
    answers: { 204: null },
    handle: (request) => requestReset(parts, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/password-reset/confirm',
    summary: 'Choose a password by a link',
    description:
      'For links of a reset and of an invitation. All sessions of the user end. Where the address had never ' +
      'been verified, the keys made until then are revoked: somebody else may have made them.',
    limit: 'auth',
    body: buildBodySpec(wire.ChoosePasswordRequest),
    answers: { 204: null },
    handle: (request) => acceptPassword(parts, request),
  }),
];

const buildPasswordRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/logout',
    summary: 'Log out',
    permission: OWN,
    answers: { 204: null },
    handle: (request) => logOut(parts, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/password',
    summary: 'Change the password',
    description: 'Every other session of the user ends.',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.ChangePasswordRequest),
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => changePassword(parts, request),
  }),
];

const buildOwnSessionRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'GET',
    path: '/v1/auth/sessions',
    summary: 'List the sessions of the user',
    permission: OWN,
    answers: { 200: buildListSchema(wire.Session) },
    handle: (request) => showSessions(parts, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/sessions',
    summary: 'End all other sessions of the user',
    permission: OWN,
    answers: { 204: null },
    handle: (request) => endOthers(parts, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/sessions/{session_id}',
    summary: 'End a session of the user',
    permission: OWN,
    params,
    answers: { 204: null },
    handle: (request) => endOne(parts, request),
  }),
];

const buildTotpRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/totp',
    summary: 'Set up a second factor',
    description: 'It counts once it is confirmed with a code.',
    permission: OWN,
    answers: { 201: wire.TotpSecret },
    errors: ['state_conflict'],
    handle: (request) => setUpTotp(parts, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    summary: 'Confirm the second factor',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.ConfirmTotpRequest),
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => confirmTotp(parts, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/totp',
    summary: 'Remove the second factor',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.RemoveTotpRequest),
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => removeTotp(parts, request),
  }),
];
