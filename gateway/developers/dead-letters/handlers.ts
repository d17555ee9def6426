// Listing, replaying and dropping dead letters of a merchant's own endpoints. Operators use the same statements
// through `kasir dlq`; the statements write the audit log.
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { makeReplayId } from '#actors/core/ids.js';
import type {
  DoneBy,
  DeadLetterScope,
} from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { searchDeadLetters } from '#store/postgres/webhooks/dead-letters/search-dead-letters.js';
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
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import { findEndpoint } from '#store/postgres/webhooks/list-endpoints.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { readDate } from '#gateway/lists/filters.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { showDelivery } from '../webhooks/deliveries.js';
import { findSubjectIds, readSubject } from '../webhooks/subjects.js';
import { viewDelivery } from '../webhooks/view.js';
import type { DeadLettersQuery, ReplayRequest } from './schema.js';

type DeliveryParams = { readonly delivery_id: string };
type Key = { readonly id: string; readonly merchantId: string };

const NO_DELIVERY = buildApiError('delivery_not_found');
const INACTIVE = buildApiError('state_conflict', {
  message: 'The endpoint of this delivery is inactive or deleted. Activate it first.',
});
const RUNNING = buildApiError('state_conflict', {
  message: 'Another replay of this merchant is still running. Wait until it is completed.',
});

/** Returns 200 with a page, the latest dead letters first. */
export async function showDeadLetters(
  deps: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, DeadLettersQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const environment = query.environment ?? 'all';
  const scope = { list: 'dead_letters', merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const letters = readScope(merchantId, query);
  if ('code' in letters) return letters;
  const subject = readSubject(query);
  if ('code' in subject) return subject;
  const { amount } = subject;
  const tenant = { merchantId, environment: query.environment ?? null };
  const found = await deps.readList(merchantId, async (sql) => {
    const subjectIds = await findSubjectIds(sql, tenant, subject);
    return searchDeadLetters(sql, { scope: letters, subjectIds, amount }, page);
  });
  return reply(
    200,
    writePage(scope, page.limit, found, (row) => JSON.stringify(viewDelivery(row))),
  );
}

/** Returns 200 with the delivery, which is due at once with the same event id and body. */
export async function replayOne(
  deps: AccountDeps,
  request: MerchantRequest<DeliveryParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const selection = { ids: [key.id], merchantId: key.merchantId };
  const by = buildDoneBy(request);
  const [replayed] = await replayDeadLetters(deps.accounts, selection, by);
  if (replayed === undefined) return explainNotDead(deps, key);
  return replayed.outcome === 'inactive' ? INACTIVE : showDelivery(deps, key);
}

/** Returns 204; deletes the delivery with its attempts. */
export async function dropOne(
  deps: AccountDeps,
  request: MerchantRequest<DeliveryParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const selection = { ids: [key.id], merchantId: key.merchantId };
  const by = buildDoneBy(request);
  const dropped = await dropDeadLetters(deps.accounts, selection, by);
  return dropped.length === 0 ? explainNotDead(deps, key) : reply(204, '');
}

/** Returns 201 with the replay job, which the webhooks process runs; a dry run returns 200 with the count. */
export async function replayRange(
  deps: AccountDeps,
  request: MerchantRequest<NoParams, ReplayRequest>,
): Promise<Answer> {
  const { body, session } = request;
  const by = buildDoneBy(request);
  const letters = readScope(session.merchantId, body);
  if ('code' in letters) return letters;
  const { endpointId } = letters;
  if (endpointId !== null) {
    const key = { id: endpointId, merchantId: session.merchantId };
    const endpoint = await findEndpoint(deps.accounts, key);
    if (endpoint === undefined) return buildApiError('webhook_not_found');
  }
  const scope = { ...letters, withPending: false };
  if (body.dry_run === true) {
    const count = await countReplayable(deps.accounts, scope);
    return reply(200, JSON.stringify({ count }));
  }
  const id = makeReplayId(generateIdBytes());
  const job = await startReplay(deps.accounts, id, scope, by);
  return job === 'replay_running' ? RUNNING : reply(201, JSON.stringify(viewReplay(job)));
}

/** Returns 200. Another merchant's or an operator's replay returns 404. */
export async function showReplay(
  deps: AccountDeps,
  { session, params }: MerchantRequest<{ readonly replay_id: string }>,
): Promise<Answer> {
  const key = { id: params.replay_id, merchantId: session.merchantId };
  const job = await findReplay(deps.accounts, key);
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

/** Call it before the first await: the client address is only readable until then. */
const buildDoneBy = ({
  session,
  address,
}: Pick<MerchantRequest, 'session' | 'address'>): DoneBy => ({
  actor: session.userId,
  address,
});

/** Nothing changed because the delivery does not exist (404) or is not dead (409). */
async function explainNotDead(deps: AccountDeps, key: Key): Promise<ApiError> {
  const found = await findDelivery(deps.accounts, key);
  return found === undefined
    ? NO_DELIVERY
    : buildApiError('state_conflict', { currentStatus: found.status, requiredStatus: 'dead' });
}

function readScope(
  merchantId: string,
  filter: Omit<ReplayRequest, 'dry_run'>,
): DeadLetterScope | ApiError {
  const { type = null, endpoint_id: endpointId = null, environment = null } = filter;
  const from = readDate(filter, 'from');
  if (from !== null && 'code' in from) return from;
  const to = readDate(filter, 'to');
  if (to !== null && 'code' in to) return to;
  const reason = (filter.reason ?? null) as DeliveryFailure | null;
  return { merchantId, environment, endpointId, type, reason, from, to };
}
