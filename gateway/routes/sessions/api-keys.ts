// API keys (API.md, section 4).
import { parseKeyId } from '#actors/core/ids.js';
import { wholeListOf } from '#actors/core/schemas/fields.js';
import { makeKey, revokeKey, rollKey, showKeys } from '#gateway/merchant/keys/api-keys.js';
import * as wire from '#gateway/merchant/keys/schema.js';
import type { AccountParts } from '#gateway/merchant/parts.js';
import { bodyOf, queryOf, type Route } from '../route.js';
import { bodyWithTexts, merchantRoute } from './session-route.js';

const params = { api_key_id: { parse: parseKeyId, code: 'api_key_not_found' } } as const;
const PATH = '/v1/merchants/me/api-keys';

export const apiKeyRoutes = (parts: AccountParts): readonly Route[] => [
  merchantRoute({
    method: 'GET',
    path: PATH,
    summary: 'List the API keys of the merchant',
    description: 'Those that work, and those that ended within 30 days.',
    permission: 'read_keys',
    query: queryOf(wire.KeysQuery),
    answers: { 200: wholeListOf(wire.ApiKey) },
    handle: (request) => showKeys(parts, request),
  }),
  merchantRoute({
    method: 'POST',
    path: PATH,
    summary: 'Create an API key',
    description: 'A live key needs a verified e-mail address, and works once LIVE is enabled.',
    permission: 'change_keys',
    body: bodyWithTexts(wire.CreateKeyRequest, ['name']),
    answers: { 201: wire.NewApiKey },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => makeKey(parts, request),
  }),
  merchantRoute({
    method: 'POST',
    path: `${PATH}/{api_key_id}/roll`,
    summary: 'Roll an API key',
    description: 'Makes its successor, with the same scopes and addresses.',
    permission: 'change_keys',
    params,
    body: bodyOf(wire.RollKeyRequest),
    answers: { 201: wire.NewApiKey },
    errors: ['state_conflict'],
    handle: (request) => rollKey(parts, request),
  }),
  merchantRoute({
    method: 'DELETE',
    path: `${PATH}/{api_key_id}`,
    summary: 'Revoke an API key',
    description: 'It ends on every gateway within a second.',
    permission: 'change_keys',
    params,
    answers: { 204: null },
    handle: (request) => revokeKey(parts, request),
  }),
];
