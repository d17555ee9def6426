// Routes of API keys.
import { parseKeyId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { makeKey, revokeKey, rollKey, showKeys } from './handlers.js';
import * as wire from './schema.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildBodySpec, buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '#gateway/routing/session-route.js';

const params = { api_key_id: { parse: parseKeyId, code: 'api_key_not_found' } } as const;
const PATH = '/v1/merchants/me/api-keys';

export const buildApiKeyRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: PATH,
    operationId: 'listApiKeys',
    summary: 'List the API keys of the merchant',
    description: 'Active keys, and keys that were revoked within the last 30 days.',
    permission: 'read_keys',
    query: buildQuerySpec(wire.KeysQuery),
    answers: { 200: buildPageSchema(wire.ApiKey) },
    handle: (request) => showKeys(deps, request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: PATH,
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'A LIVE key needs a verified e-mail address and works once LIVE is enabled. A LIVE key and a key with the ' +
      'scope `payouts` need `totp_code` (403 with that `param` without it), and the owners get a mail. Only owners may give the scope `payouts`.',
    permission: 'change_keys',
    body: buildTextBodySpec(wire.CreateKeyRequest, ['name']),
    answers: { 201: wire.NewApiKey },
    errors: ['card_data_refused', 'state_conflict', 'rate_limited'],
    handle: (request) => makeKey(deps, request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: `${PATH}/{api_key_id}/roll`,
    operationId: 'rollApiKey',
    summary: 'Roll an API key',
    description:
      'Creates a successor with the same scopes and allowed addresses. The old key works until the overlap ends. It ' +
      'needs the same role and the same `totp_code` as creating such a key.',
    permission: 'change_keys',
    params,
    body: buildBodySpec(wire.RollKeyRequest),
    answers: { 201: wire.NewApiKey },
    errors: ['state_conflict', 'rate_limited'],
    handle: (request) => rollKey(deps, request),
  }),
  defineMerchantRoute({
    method: 'DELETE',
    path: `${PATH}/{api_key_id}`,
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'The key stops working on every gateway within a second. The owners get a mail about a LIVE key. It needs no code, so ' +
      'that a leaked key ends at once.',
    permission: 'change_keys',
    params,
    answers: { 204: null },
    handle: (request) => revokeKey(deps, request),
  }),
];
