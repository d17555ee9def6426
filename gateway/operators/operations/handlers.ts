// Operators look at these each day: money in suspense, reconciliations with rails, and the rails themselves.
import { formatAmount, makeMinor } from '#actors/core/money.js';
import { OFFER_SILENT_MS } from '#actors/core/rails/live-rails.js';
import { parseDay } from '#actors/core/days.js';
import { listSuspense, type SuspenseRow } from '#store/postgres/ledger/list-suspense.js';
import {
  type DifferenceRow,
  listDifferences,
  listReconciliations,
  type ReconciliationRow,
} from '#store/postgres/rails/list-reconciliations.js';
import { readRailHealth, type RailHealth } from '#store/postgres/rails/read-rail-health.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildParameterError, DEFAULT_LIMIT, readPage, writePage } from '#gateway/lists/page.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { DifferencesQuery, RAIL_STATUSES, ReconciliationsQuery } from './schema.js';

const SCOPE = { list: 'reconciliations', merchantId: 'all', environment: 'all' } as const;
const MAX_ACCOUNTS = 100;

/** Returns 200 with a page, newest day first. */
export async function showReconciliations(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, ReconciliationsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { rail = null } = query;
  const found = await deps.readList(SCOPE.merchantId, (sql) =>
    listReconciliations(sql, rail, page),
  );
  return reply(
    200,
    writePage(SCOPE, page.limit, found, (row) => JSON.stringify(viewReconciliation(row))),
  );
}

function viewReconciliation(row: ReconciliationRow): object {
  return {
    object: 'reconciliation',
    rail: row.rail,
    day: row.day,
    status: row.endedAt === null ? 'running' : 'ended',
    asked_at: row.askedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    matched: row.matched,
    missing: row.missing,
    orphan: row.orphan,
    differing: row.differing,
    unanswered: row.unanswered,
  };
}

/** Returns 200 with a page of the differences of one rail and day. */
export async function showDifferences(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, DifferencesQuery>,
): Promise<Answer> {
  const { rail, day, limit = DEFAULT_LIMIT } = query;
  if (parseDay(day) === undefined) return buildParameterError('day', 'must be a day');
  const skipped = Number(query.cursor ?? 0);
  const rows = await deps.readList(SCOPE.merchantId, (sql) =>
    listDifferences(sql, { rail, day }, { skipped, limit: limit + 1 }),
  );
  const next = rows.length > limit ? String(skipped + limit) : null;
  const data = rows.slice(0, limit).map(viewDifference);
  return reply(200, JSON.stringify({ data, next_cursor: next }));
}

function viewDifference(row: DifferenceRow): object {
  return {
    object: 'reconciliation_difference',
    kind: row.kind,
    field: row.field,
    order_id: row.orderId,
    subject: row.subject === '' ? null : row.subject,
    payment_id: row.paymentId,
    ours: row.ours,
    theirs: row.theirs,
    found_at: row.foundAt.toISOString(),
  };
}

/** Returns 200 with the rails that were offered within the last days. */
export async function showRails(deps: AccountDeps): Promise<Answer> {
  const rails = await deps.readList(SCOPE.merchantId, (sql) =>
    readRailHealth(sql, OFFER_SILENT_MS),
  );
  return reply(200, JSON.stringify({ data: rails.map(viewRail) }));
}

function findRailStatus({ isSeen, restsUntil }: RailHealth): (typeof RAIL_STATUSES)[number] {
  if (!isSeen) return 'silent';
  return restsUntil === null ? 'available' : 'paused';
}

function viewRail(rail: RailHealth): object {
  return {
    object: 'rail',
    rail: rail.rail,
    status: findRailStatus(rail),
    paused_until: rail.restsUntil?.toISOString() ?? null,
    seen_at: rail.seenAt.toISOString(),
    unknown_outcomes: rail.unknownCalls,
    unknown_since: rail.unknownSince?.toISOString() ?? null,
    payment_methods: rail.methods.map((offered) => ({
      payment_method: offered.method,
      rank: offered.rank,
      min_amount: offered.minAmount,
      max_amount: offered.maxAmount,
      refundable: offered.isRefundable,
    })),
  };
}

/** Returns 200 with the accounts that are not empty, the largest amounts first. */
export async function showSuspense(deps: AccountDeps): Promise<Answer> {
  const rows = await deps.readList(SCOPE.merchantId, (sql) => listSuspense(sql, MAX_ACCOUNTS));
  return reply(200, JSON.stringify({ data: rows.map(viewSuspense) }));
}

function viewSuspense({ merchantId, currency, amountMinor, openTasks }: SuspenseRow): object {
  return {
    object: 'suspense_account',
    merchant_id: merchantId,
    currency,
    amount: formatAmount(makeMinor(BigInt(amountMinor))),
    open_tasks: openTasks,
  };
}
