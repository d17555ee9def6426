// Dead letters of a merchant: listed, replayed, dropped. What an operator does with `npm run dlq`, by the same
// statements, which write it to the audit log; here for one's own endpoints only.
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { makeReplayId } from '#actors/core/ids.js';
import type { DoneBy } from '#store/postgres/webhooks/dead-letters/audit-values.js';
import { listDeadLetters } from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import {
  dropDeadLetters,
  replayDeadLetters,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import {
  countReplayable,
  findReplay,
  type ReplayJob,
  startReplay,
} from '#store/postgres/webhooks/dead-letters/replay-jobs.js';
import type { DeadLetterScope } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { findEndpoint } from '#store/postgres/webhooks/list-endpoints.js';
import { readPage, buildParameterError, writePage } from '../lists/page.js';
import { parseTime } from '../lists/filters.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import { showDelivery } from '../webhook-endpoints/deliveries.js';
import type { DeadLettersQuery, ReplayRequest } from '../webhook-endpoints/schema.js';
import { viewDelivery } from '../webhook-endpoints/view.js';

type DeliveryParams = { readonly delivery_id: string };
type Key = { readonly id: string; readonly merchantId: string };

const NO_DELIVERY = buildApiError('delivery_not_found');
const INACTIVE = buildApiError('state_conflict', {
  message: 'Its endpoint is switched off or deleted. Switch it on first.',
});
const RUNNING = buildApiError('state_conflict', {
  message: 'A replay of this merchant is not complete yet.',
});

/** 200 with a page, those that died last first. */
export async function showDeadLetters(
  parts: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, DeadLettersQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const environment = query.environment ?? 'all';
  const scope = { list: 'dead_letters', merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const letters = readScope(merchantId, query);
  if ('code' in letters) return letters;
  const rows = await queryAccounts(parts, (sql) => listDeadLetters(sql, letters, page));
  const found = { rows, stoppedAt: null };
  return reply(
    200,
    writePage(scope, page.limit, found, (row) => JSON.stringify(viewDelivery(row))),
  );
}

/** 200 with the delivery, which is due at once: same event id, same bytes. */
export async function replayOne(
  parts: AccountDeps,
  request: MerchantRequest<DeliveryParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const named = { ids: [key.id], merchantId: key.merchantId };
  const by = buildDoneBy(request);
  const [replayed] = await queryAccounts(parts, (sql) => replayDeadLetters(sql, named, by));
  if (replayed === undefined) return explainNotDead(parts, key);
  return replayed.outcome === 'inactive' ? INACTIVE : showDelivery(parts, key);
}

/** 204; it is gone with its attempts. */
export async function dropOne(
  parts: AccountDeps,
  request: MerchantRequest<DeliveryParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const named = { ids: [key.id], merchantId: key.merchantId };
  const by = buildDoneBy(request);
  const dropped = await queryAccounts(parts, (sql) => dropDeadLetters(sql, named, by));
  return dropped.length === 0 ? explainNotDead(parts, key) : reply(204, '');
}

/** 201 with the job, which goes on by itself; 200 with the count only for a dry run. */
export async function replayRange(
  parts: AccountDeps,
  request: MerchantRequest<NoParams, ReplayRequest>,
): Promise<Answer> {
  const { body, session } = request;
  const by = buildDoneBy(request);
  const letters = readScope(session.merchantId, body);
  if ('code' in letters) return letters;
  const { endpointId } = letters;
  if (endpointId !== null) {
    const key = { id: endpointId, merchantId: session.merchantId };
    const endpoint = await queryAccounts(parts, (sql) => findEndpoint(sql, key));
    if (endpoint === undefined) return buildApiError('webhook_not_found');
  }
  const scope = { ...letters, withPending: false };
  if (body.dry_run === true) {
    const count = await queryAccounts(parts, (sql) => countReplayable(sql, scope));
    return reply(200, JSON.stringify({ count }));
  }
  const id = makeReplayId(generateIdBytes());
  const job = await queryAccounts(parts, (sql) => startReplay(sql, id, scope, by));
  return job === 'replay_running' ? RUNNING : reply(201, JSON.stringify(viewReplay(job)));
}

/** 200; 404 for one of another merchant, or of an operator. */
export async function showReplay(
  parts: AccountDeps,
  { session, params }: MerchantRequest<{ readonly replay_id: string }>,
): Promise<Answer> {
  const key = { id: params.replay_id, merchantId: session.merchantId };
  const job = await queryAccounts(parts, (sql) => findReplay(sql, key));
  return job === undefined
    ? buildApiError('replay_not_found')
    : reply(200, JSON.stringify(viewReplay(job)));
}

function viewReplay({ id, status, total, done, failed, createdAt, completedAt }: ReplayJob) {
  return {
    ...{ id, object: 'webhook_replay', status, total, done, failed },
    created_at: createdAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
  };
}

const buildKey = ({ session, params }: MerchantRequest<DeliveryParams>): Key => ({
  id: params.delivery_id,
  merchantId: session.merchantId,
});

/** To be read before the first await, as the address is. */
const buildDoneBy = ({
  session,
  address,
}: Pick<MerchantRequest, 'session' | 'address'>): DoneBy => ({
  actor: session.userId,
  address,
});

/** Why nothing was done: there is no such delivery, or it is not dead. */
async function explainNotDead(parts: AccountDeps, key: Key): Promise<ApiError> {
  const found = await queryAccounts(parts, (sql) => findDelivery(sql, key));
  return found === undefined
    ? NO_DELIVERY
    : buildApiError('state_conflict', { currentStatus: found.status });
}

function readScope(
  merchantId: string,
  filter: Omit<DeadLettersQuery, 'limit' | 'cursor'>,
): DeadLetterScope | ApiError {
  const { type = null, endpoint_id: endpointId = null, environment = null } = filter;
  const from = readTime(filter, 'from');
  if (from !== null && 'code' in from) return from;
  const to = readTime(filter, 'to');
  if (to !== null && 'code' in to) return to;
  const reason = (filter.reason ?? null) as DeliveryFailure | null;
  return { merchantId, environment, endpointId, type, reason, from, to };
}

function readTime(
  filter: Pick<DeadLettersQuery, 'from' | 'to'>,
  name: 'from' | 'to',
): Date | null | ApiError {
  const text = filter[name];
  if (text === undefined) return null;
  const ms = parseTime(text);
  return ms === undefined
    ? buildParameterError(name, 'must be a time such as 2026-08-02T10:15:30Z')
    : new Date(ms);
}
