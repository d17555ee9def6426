// Routes of a user's passkeys.
import { parsePasskeyId } from '#actors/core/ids.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import { buildBodySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import * as wire from './passkey-schema.js';
import { PASSKEY_BODY_BYTES } from './schema.js';
import {
  beginRegistration,
  beginStepUp,
  finishRegistration,
  finishStepUp,
  removePasskey,
  renamePasskey,
  showPasskeys,
} from './passkeys.js';

const params = { passkey_id: { parse: parsePasskeyId, code: 'passkey_not_found' } } as const;
const OWN = 'own_account';
const ENROL = 'enrol';

export const buildPasskeyRoutes = (deps: AccountDeps): readonly Route[] => [
  ...buildRegistrationRoutes(deps),
  ...buildManagementRoutes(deps),
  ...buildStepUpRoutes(deps),
];

const buildRegistrationRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/passkeys/options',
    operationId: 'beginPasskey',
    summary: 'Begin to register a passkey',
    description:
      'Needs the password, and `totp_code` if the user has a second factor. The answer goes to ' +
      '`navigator.credentials.create`, and what that gives to `POST /v1/auth/passkeys`.',
    permission: ENROL,
    limit: 'login',
    body: buildBodySpec(wire.BeginPasskeyRequest),
    answers: { 201: wire.PasskeyOptions },
    errors: ['role_insufficient'],
    handle: (request) => beginRegistration(deps, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/passkeys',
    operationId: 'registerPasskey',
    summary: 'Register a passkey',
    description:
      'It is a second factor of each login from now on. Every other session of the user ends, and the user gets a mail. A ' +
      'passkey with an attestation is refused: use the options as they are.',
    permission: ENROL,
    bodyLimitBytes: PASSKEY_BODY_BYTES,
    body: buildTextBodySpec(wire.RegisterPasskeyRequest, ['name']),
    answers: { 201: wire.RegisteredPasskey },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => finishRegistration(deps, request),
  }),
];

const buildManagementRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'GET',
    path: '/v1/auth/passkeys',
    operationId: 'listPasskeys',
    summary: 'List the passkeys of the user',
    description: 'Oldest first.',
    permission: OWN,
    answers: { 200: buildListSchema(wire.Passkey) },
    handle: (request) => showPasskeys(deps, request),
  }),
  defineSessionRoute({
    method: 'PATCH',
    path: '/v1/auth/passkeys/{passkey_id}',
    operationId: 'renamePasskey',
    summary: 'Rename a passkey',
    description: 'Only the user sees the name.',
    permission: OWN,
    params,
    body: buildTextBodySpec(wire.RenamePasskeyRequest, ['name']),
    answers: { 200: wire.Passkey },
    errors: ['card_data_refused'],
    handle: (request) => renamePasskey(deps, request),
  }),
  defineSessionRoute({
    method: 'DELETE',
    path: '/v1/auth/passkeys/{passkey_id}',
    operationId: 'removePasskey',
    summary: 'Remove a passkey',
    description:
      'Needs the password and a code. Every other session of the user ends, and the user gets a mail. The recovery codes end ' +
      'with the last second factor.',
    permission: OWN,
    limit: 'login',
    params,
    body: buildBodySpec(wire.RemovePasskeyRequest),
    answers: { 204: null },
    handle: (request) => removePasskey(deps, request),
  }),
];

const buildStepUpRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/passkeys/challenge',
    operationId: 'beginPasskeyProof',
    summary: 'Begin to prove a passkey',
    description:
      'The answer goes to `navigator.credentials.get`, and what that gives to `POST /v1/auth/passkeys/code`.',
    permission: OWN,
    answers: { 201: wire.PasskeyOptions },
    errors: ['state_conflict'],
    handle: (request) => beginStepUp(deps, request),
  }),
  defineSessionRoute({
    method: 'POST',
    path: '/v1/auth/passkeys/code',
    operationId: 'provePasskey',
    summary: 'Prove a passkey for a code',
    description:
      'The code replaces one `totp_code`, or `code`, of this session within 2 minutes: for a LIVE key or ' +
      'endpoint, a role that may make keys or pay out, another passkey, and all else that takes one.',
    permission: OWN,
    limit: 'login',
    bodyLimitBytes: PASSKEY_BODY_BYTES,
    body: buildBodySpec(wire.ProvePasskeyRequest),
    answers: { 201: wire.StepUpCode },
    handle: (request) => finishStepUp(deps, request),
  }),
];
