// Dead letters of a merchant's webhooks, and their replays.
import { isDeliveryId, isReplayId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { dropOne, replayOne, replayRange, showDeadLetters, showReplay } from './handlers.js';
import * as wire from '../webhook-endpoints/schema.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import { buildBodySpec, buildQuerySpec, type Route } from '../routing/route.js';
import { defineMerchantRoute } from '../routing/session-route.js';

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

export const buildDeadLetterRoutes = (parts: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/dlq`,
    summary: 'List dead letters',
    description:
      'Deliveries that nothing more is tried of, until they are replayed or dropped. Kept for 30 days.',
    query: buildQuerySpec(wire.DeadLettersQuery),
    answers: { 200: buildPageSchema(wire.Delivery) },
    handle: (request) => showDeadLetters(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/dlq/replay`,
    summary: 'Replay dead letters',
    description:
      'All that match are sent once more, each with its event id and bytes, at the pace of their endpoints. ' +
      'One replay of a merchant runs at a time. `dry_run` answers the count only.',
    body: buildBodySpec(wire.ReplayRequest),
    answers: { 201: wire.Replay, 200: wire.ReplayCount },
    errors: ['state_conflict', 'webhook_not_found'],
    handle: (request) => replayRange(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/dlq/{delivery_id}/replay`,
    summary: 'Replay a dead letter',
    description: 'It is due at once, with its event id and bytes, and its schedule begins again.',
    params,
    answers: { 200: wire.DeliveryDetails },
    errors: ['state_conflict'],
    handle: (request) => replayOne(parts, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'DELETE',
    path: `${PATH}/dlq/{delivery_id}`,
    summary: 'Drop a dead letter',
    params,
    answers: { 204: null },
    errors: ['state_conflict'],
    handle: (request) => dropOne(parts, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/replays/{replay_id}`,
    summary: 'Show a replay',
    params: replayParams,
    answers: { 200: wire.Replay },
    handle: (request) => showReplay(parts, request),
  }),
];
