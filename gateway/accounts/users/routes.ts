// Routes of accounts: registration, login, and a user's own password, sessions and second factor.
import { parseSessionId } from '#actors/core/ids.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import { logIn } from './login.js';
import { buildPasskeyRoutes } from './passkey-routes.js';
import { changePassword, requestReset } from './password.js';
import { acceptPassword, register, resendVerification, verifyEmail } from './register.js';
import * as wire from './schema.js';
import { endOne, endOthers, logOut, showSessions } from './sessions.js';
import { showSignedIn } from './signed-in.js';
import { confirmTotp, removeTotp, renewRecoveryCodes, setUpTotp } from './totp-set-up.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildBodySpec, defineOpenRoute, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';

const params = { session_id: { parse: parseSessionId, code: 'session_not_found' } } as const;
const OWN = 'own_account';
const ENROL = 'enrol';

export const buildAuthRoutes = (deps: AccountDeps): readonly Route[] => [
  ...buildOpenAuthRoutes(deps),
  ...buildPasswordRoutes(deps),
  ...buildOwnSessionRoutes(deps),
  ...buildTotpRoutes(deps),
  ...buildPasskeyRoutes(deps),
];

const buildOpenAuthRoutes = (deps: AccountDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/register',
    cpuUs: 3500,
    operationId: 'registerMerchant',
    summary: 'Register a merchant',
    description:
      'TEST works at once. LIVE keys, KYC and invitations need a verified e-mail address: a link is mailed. The answer ' +
      'is the same for an address that another user has verified, who gets a mail instead of the link. The new account can ' +
      'then not be used.',
    limit: 'auth',
    body: buildTextBodySpec(wire.RegisterRequest, ['business_name', 'email']),
    answers: { 201: wire.Registered },
    errors: ['card_data_refused'],
    handle: (request) => register(deps, request),
  }),
  ...buildVerificationRoutes(deps),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/login',
    cpuUs: 4000,
    operationId: 'logIn',
    summary: 'Log in',
    description:
      'An address is one login: the user who verified it, or else the latest registration with it. ' +
      'A user with a second factor also sends `totp_code`; if it is missing or wrong, `param` of the error is ' +
      '`totp_code`. If the user has a passkey, the error has `passkey_options` for `navigator.credentials.get`, and the login is ' +
      'repeated with `passkey`; `param` is `passkey` for a user without an authenticator app. A session ends one hour after its last use and at most 12 hours after login. A page of this host sends ' +
      '`cookie: true`: the browser then keeps the session in a cookie.',
    limit: 'login',
    bodyLimitBytes: wire.PASSKEY_BODY_BYTES,
    readsCookies: true,
    body: buildBodySpec(wire.LoginRequest),
    answers: { 200: wire.LoggedIn },
    errors: ['login_failed'],
    handle: (request) => logIn(deps, request),
  }),
  ...buildResetRoutes(deps),
];

const buildVerificationRoutes = (deps: AccountDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/verify',
    cpuUs: 800,
    operationId: 'verifyEmail',
    summary: 'Verify an e-mail address',
    description:
      'With the token of the mailed link, which works once, and the password of the registration: without it the owner of ' +
      'a mailbox could confirm an account that a stranger has registered. Other accounts that were registered with the address ' +
      'and never verified end: their sessions, API keys, webhook endpoints, payment links and unpaid invoices.',
    limit: 'auth',
    body: buildBodySpec(wire.VerifyRequest),
    answers: { 204: null },
    handle: (request) => verifyEmail(deps, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/verify/resend',
    cpuUs: 700,
    operationId: 'resendVerification',
    summary: 'Request the link that verifies an address again',
    description:
      'Mails a new link to the latest account that registered with the address, unless a user has verified it. Earlier ' +
      'links still work. The answer is the same whether or not a mail is sent.',
    limit: 'auth',
    body: buildBodySpec(wire.ResendRequest),
    answers: { 204: null },
    handle: (request) => resendVerification(deps, request),
  }),
];

const buildResetRoutes = (deps: AccountDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/password-reset',
    cpuUs: 700,
    operationId: 'requestPasswordReset',
    summary: 'Request a link to choose a new password',
    description: 'The answer is the same whether or not the address is registered.',
    limit: 'auth',
    body: buildBodySpec(wire.ResetRequest),
    answers: { 204: null },
    handle: (request) => requestReset(deps, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/auth/password-reset/confirm',
    cpuUs: 4500,
    operationId: 'confirmPasswordReset',
    summary: 'Choose a password with a mailed link',
    description:
      'Accepts the link of a password reset or of an invitation. All sessions of the user end. If the address ' +
      'had never been verified, another person may have registered with it: the API keys, webhook endpoints, payment links, ' +
      'unpaid invoices, settings, second factors and other users of all accounts that were registered with it are removed.',
    limit: 'auth',
    body: buildBodySpec(wire.ChoosePasswordRequest),
    answers: { 204: null },
    handle: (request) => acceptPassword(deps, request),
  }),
];

const buildPasswordRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/logout',
    operationId: 'logOut',
    summary: 'Log out',
    description: 'The session of this request ends.',
    permission: ENROL,
    answers: { 204: null },
    handle: (request) => logOut(deps, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/password',
    operationId: 'changePassword',
    summary: 'Change the password',
    description: 'Every other session of the user ends.',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.ChangePasswordRequest),
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => changePassword(deps, request),
  }),
];

const buildOwnSessionRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'GET',
    path: '/v1/auth/me',
    operationId: 'getSignedInUser',
    summary: 'Show the user of the session',
    description: 'With the merchant, the role and the permissions.',
    permission: ENROL,
    answers: { 200: wire.SignedIn },
    handle: (request) => showSignedIn(deps, request),
  }),
  defineSessionRoute({
    method: 'GET',
    path: '/v1/auth/sessions',
    operationId: 'listSessions',
    summary: 'List the sessions of the user',
    description: 'The open sessions, with the address of each login.',
    permission: OWN,
    answers: { 200: buildListSchema(wire.Session) },
    handle: (request) => showSessions(deps, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/sessions',
    operationId: 'endOtherSessions',
    summary: 'End all other sessions of the user',
    description: 'The session of this request stays.',
    permission: OWN,
    answers: { 204: null },
    handle: (request) => endOthers(deps, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/sessions/{session_id}',
    operationId: 'endSession',
    summary: 'End a session of the user',
    description: 'Its token stops working.',
    permission: OWN,
    params,
    answers: { 204: null },
    handle: (request) => endOne(deps, request),
  }),
];

const buildTotpRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/totp',
    operationId: 'setUpTotp',
    summary: 'Set up an authenticator app',
    description:
      'Needs the password, and a code if the user has a passkey. It takes effect once it is confirmed with a code.',
    permission: ENROL,
    limit: 'login',
    body: buildBodySpec(wire.SetUpTotpRequest),
    answers: { 201: wire.TotpSecret },
    errors: ['state_conflict'],
    handle: (request) => setUpTotp(deps, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/totp/confirm',
    operationId: 'confirmTotp',
    summary: 'Confirm the second factor',
    description:
      'Answers ten recovery codes, each of which replaces one code of the authenticator app. They are shown only ' +
      'here. Every other session of the user ends, and the user gets a mail.',
    permission: ENROL,
    limit: 'login',
    body: buildBodySpec(wire.ConfirmTotpRequest),
    answers: { 200: wire.RecoveryCodes },
    errors: ['state_conflict'],
    handle: (request) => confirmTotp(deps, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/totp/recovery-codes',
    operationId: 'createRecoveryCodes',
    summary: 'Make new recovery codes',
    description: 'They replace the former ones. The user gets a mail.',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.RemoveTotpRequest),
    answers: { 201: wire.RecoveryCodes },
    errors: ['state_conflict'],
    handle: (request) => renewRecoveryCodes(deps, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/totp',
    operationId: 'removeTotp',
    summary: 'Remove the authenticator app',
    description: 'Every other session of the user ends, and the user gets a mail.',
    permission: OWN,
    limit: 'login',
    body: buildBodySpec(wire.RemoveTotpRequest),
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => removeTotp(deps, request),
  }),
];
