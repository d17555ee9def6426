// Routes of dead letters and their replays.
import { isDeliveryId, isReplayId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { dropOne, replayOne, replayRange, showDeadLetters, showReplay } from './handlers.js';
import * as wire from './schema.js';
import { Delivery, DeliveryDetails } from '../webhooks/delivery-schema.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildBodySpec, buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';

const createParser =
  (isId: (text: string) => boolean) =>
  (text: string): string | undefined =>
    isId(text) ? text : undefined;
const params = {
  delivery_id: { parse: createParser(isDeliveryId), code: 'delivery_not_found' },
} as const;
const replayParams = {
  replay_id: { parse: createParser(isReplayId), code: 'replay_not_found' },
} as const;
const PATH = '/v1/merchants/me/webhooks';
const READ = { permission: 'read_webhooks' } as const;
const CHANGE = { permission: 'change_webhooks' } as const;

export const buildDeadLetterRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/dlq`,
    operationId: 'listDeadLetters',
    summary: 'List dead letters',
    description:
      'Deliveries without further attempts, until they are replayed or dropped. They are kept for 30 days.',
    query: buildQuerySpec(wire.DeadLettersQuery),
    answers: { 200: buildPageSchema(Delivery) },
    errors: ['card_data_refused'],
    handle: (request) => showDeadLetters(deps, request),
  }),
  ...buildReplayRoutes(deps),
];

const buildReplayRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/dlq/replay`,
    operationId: 'replayDeadLetters',
    summary: 'Replay dead letters',
    description:
      'Sends all matching dead letters again with the same event ids and bodies, as fast as their endpoints ' +
      'answer. A merchant has one running replay at a time. `dry_run` only returns the count.',
    body: buildBodySpec(wire.ReplayRequest),
    answers: { 201: wire.Replay, 200: wire.ReplayCount },
    errors: ['state_conflict', 'webhook_not_found'],
    handle: (request) => replayRange(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/dlq/{delivery_id}/replay`,
    operationId: 'replayDeadLetter',
    summary: 'Replay a dead letter',
    description:
      'Sends it again at once with the same event id and body. Its retry schedule starts over.',
    params,
    answers: { 200: DeliveryDetails },
    errors: ['state_conflict'],
    handle: (request) => replayOne(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'DELETE',
    path: `${PATH}/dlq/{delivery_id}`,
    operationId: 'dropDeadLetter',
    summary: 'Drop a dead letter',
    description: 'It is never sent again.',
    params,
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => dropOne(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/replays/{replay_id}`,
    operationId: 'getReplay',
    summary: 'Show a replay',
    description: 'How many of its dead letters are due again.',
    params: replayParams,
    answers: { 200: wire.Replay },
    handle: (request) => showReplay(deps, request),
  }),
];
