// Verifies the ledger on one snapshot of the database: each balance is the sum of its postings, and each checkpoint of
// those before it; each payment, payout, operator task, booking and approval has exactly the postings that its state calls
// for; no reserve is below zero; no posting crosses between TEST and LIVE.
import type { PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Postgres } from '../client.js';
import { readConsistently } from '../consistent-reads.js';
import { estimateRows, tellNobody, type TellProgress } from '../progress.js';
import {
  type AuditedApproval,
  findApprovalDiscrepancies,
  findReservesBelowZero,
} from './approval-discrepancies.js';
import { type AuditedBooking, findBookingDiscrepancies } from './booking-discrepancies.js';
import { findWrongCheckpoints } from './checkpoint-discrepancies.js';
import { findPayoutDiscrepancies, type AuditedPayout } from './payout-discrepancies.js';
import { findPostingDiscrepancies, type StoredPosting } from './posting-discrepancies.js';
import { findTaskDiscrepancies } from './task-discrepancies.js';
import { type TellVisited, visitRows } from './visit-rows.js';

/** The report lists that many; all are counted. */
const MAX_DISCREPANCIES_LISTED = 100;

export type DiscrepancyKind =
  'balance' | 'checkpoint' | 'crossing' | 'payment' | 'payout' | 'task' | 'booking' | 'approval';

export interface LedgerDiscrepancy {
  readonly kind: DiscrepancyKind;
  /** The account, of a checkpoint too, or the id of the payment, payout, task, booking or approval. */
  readonly subject: string;
  readonly fault: string;
}

export interface LedgerReport {
  readonly isSound: boolean;
  readonly accounts: number;
  readonly postings: number;
  /** Payments whose money has moved, or should have. */
  readonly payments: number;
  readonly payouts: number;
  readonly tasks: number;
  readonly bookings: number;
  readonly approvals: number;
  readonly faultCount: number;
  readonly faults: readonly LedgerDiscrepancy[];
}

interface Tally {
  readonly faults: LedgerDiscrepancy[];
  faultCount: number;
  accounts: number;
  postings: number;
  payments: number;
  payouts: number;
  tasks: number;
  bookings: number;
  approvals: number;
}

interface Check {
  readonly step: string;
  readonly verify: (sql: Postgres, tally: Tally, tell: TellVisited) => Promise<void>;
}

const CHECKS: readonly Check[] = [
  { step: 'balances', verify: verifyBalances },
  { step: 'checkpoints', verify: verifyCheckpoints },
  { step: 'TEST and LIVE', verify: verifyEnvironments },
  { step: 'reserves', verify: verifyReserves },
  { step: 'payments', verify: verifyPayments },
  { step: 'payouts', verify: verifyPayouts },
  { step: 'operator tasks', verify: verifyTasks },
  { step: 'bookings', verify: verifyBookings },
  { step: 'approvals', verify: verifyApprovals },
  { step: 'counts', verify: countRows },
];

/** Reads everything in one read-only transaction. Rejects when Postgres cannot be read. */
export async function verifyLedger(
  sql: Postgres,
  tell: TellProgress = tellNobody,
): Promise<LedgerReport> {
  return readConsistently(sql, async (tx) => {
    await tx`set local statement_timeout = 0`;
    const none = { accounts: 0, postings: 0, payments: 0, payouts: 0, tasks: 0 };
    const tally: Tally = { ...none, bookings: 0, approvals: 0, faultCount: 0, faults: [] };
    for (const [index, { step, verify }] of CHECKS.entries()) {
      const name = `${step} (${index + 1} of ${CHECKS.length})`;
      tell({ step: name });
      await verify(tx, tally, (done, total) => {
        tell({ step: name, done, total, isEstimated: true });
      });
    }
    return { isSound: tally.faultCount === 0, ...tally };
  });
}

function addDiscrepancy(tally: Tally, kind: DiscrepancyKind, subject: string, fault: string): void {
  tally.faultCount += 1;
  if (tally.faults.length < MAX_DISCREPANCIES_LISTED) tally.faults.push({ kind, subject, fault });
}

async function countRows(sql: Postgres, tally: Tally): Promise<void> {
  const rows = await sql<Pick<Tally, 'accounts' | 'postings'>[]>`
    select (select count(*)::integer from balances) as accounts,
           (select count(*)::integer from postings) as postings`;
  Object.assign(tally, rows[0]);
}

async function verifyBalances(sql: Postgres, tally: Tally): Promise<void> {
  const rows = await sql<{ account: string; balance: string; posted: string }[]>`
    with moves as (
      select debit as account, -amount as amount from postings
      union all select credit, amount from postings),
    sums as (select account, sum(amount) as posted from moves group by account)
    select account, coalesce(b.amount, 0)::text as balance, coalesce(s.posted, 0)::text as posted
      from balances b full join sums s using (account)
     where coalesce(b.amount, 0) <> coalesce(s.posted, 0)
        or b.currency <> split_part(account, ':', -1)
     order by account`;
  for (const { account, balance, posted } of rows) {
    addDiscrepancy(
      tally,
      'balance',
      account,
      `its balance is ${balance}, its postings make ${posted}`,
    );
  }
}

async function verifyCheckpoints(sql: Postgres, tally: Tally): Promise<void> {
  for (const { account, fault } of await findWrongCheckpoints(sql))
    addDiscrepancy(tally, 'checkpoint', account, fault);
}

async function verifyReserves(sql: Postgres, tally: Tally): Promise<void> {
  for (const { account, amount } of await findReservesBelowZero(sql))
    addDiscrepancy(tally, 'balance', account, `${amount} is below zero`);
}

/**
 * An account's key ends in `:<environment>:<currency>`. Postings of operator tasks, bookings and approvals are checked with
 * their cause; here only its existence is.
 */
async function verifyEnvironments(sql: Postgres, tally: Tally): Promise<void> {
  const rows = await sql<{ id: string; debit: string; credit: string; of: string | null }[]>`
    select g.cause_id as id, g.debit, g.credit, p.environment as of
      from postings g left join lateral (
        select environment from payments where g.cause_kind = 'payment' and id = g.cause_id
        union all
        select environment from payouts where g.cause_kind = 'payout' and id = g.cause_id) p on true
     where (p.environment is null
            and not exists (select from operator_tasks t
                             where g.cause_kind = 'task' and t.id = g.cause_id)
            and not exists (select from rail_bookings b
                             where g.cause_kind = 'booking' and b.id = g.cause_id)
            and not exists (select from approvals a
                             where g.cause_kind = 'approval' and a.id = g.cause_id))
        or split_part(g.debit, ':', -2) <> p.environment
        or split_part(g.credit, ':', -2) <> p.environment
        or split_part(g.debit, ':', -1) <> g.currency
        or split_part(g.credit, ':', -1) <> g.currency
     order by g.cause_id`;
  for (const { id, debit, credit, of } of rows) {
    const cause = of === null ? 'its cause does not exist' : `its cause is in ${of}`;
    addDiscrepancy(tally, 'crossing', id, `a posting moves from ${debit} to ${credit}; ${cause}`);
  }
}

interface PaymentRow {
  readonly id: string;
  readonly snapshot: string;
  readonly postings: readonly PostingParts[];
}

async function verifyPayments(sql: Postgres, tally: Tally, tell: TellVisited): Promise<void> {
  const total = await estimateRows(sql, sql`select from payments where ${hasMoved(sql)}`);
  tally.payments = await visitRows({
    read: (after, limit) => readPayments(sql, after, limit),
    visit: (row) => verifyPayment(row, tally),
    tell: (visited) => tell(visited, total),
  });
}

const hasMoved = (sql: Postgres) => sql`status in ('paid', 'refunded', 'failed')`;

async function readPayments(sql: Postgres, after: string, limit: number): Promise<PaymentRow[]> {
  return sql<PaymentRow[]>`
    select p.id, p.snapshot, coalesce(g.postings, '[]'::json) as postings
      from payments p left join lateral (
        select json_agg(json_build_array(reason, debit, credit, amount::text, currency)) as postings
          from postings where cause_kind = 'payment' and cause_id = p.id) g on true
     where p.id > ${after} and (${hasMoved(sql)} or g.postings is not null)
     order by p.id limit ${limit}`;
}

type PostingParts = readonly [
  reason: string,
  debit: string,
  credit: string,
  amount: string,
  currency: string,
];

const buildPosting = ([reason, debit, credit, amount, currency]: PostingParts): StoredPosting => ({
  ...{ reason, debit, credit, amountMinor: BigInt(amount), currency },
});

function verifyPayment({ id, snapshot, postings }: PaymentRow, tally: Tally): void {
  let state: PaymentState;
  try {
    state = decodeSnapshot(snapshot);
  } catch {
    addDiscrepancy(tally, 'payment', id, 'its snapshot cannot be read');
    return;
  }
  const stored = postings.map(buildPosting);
  for (const fault of findPostingDiscrepancies(state, stored))
    addDiscrepancy(tally, 'payment', id, fault);
}

interface PayoutRow extends AuditedPayout {
  readonly id: string;
  readonly postings: readonly PostingParts[];
}

async function verifyPayouts(sql: Postgres, tally: Tally, tell: TellVisited): Promise<void> {
  const total = await estimateRows(sql, sql`select from payouts`);
  tally.payouts = await visitRows({
    read: (after, limit) => readPayouts(sql, after, limit),
    visit: ({ id, postings, ...payout }) => {
      const faults = findPayoutDiscrepancies(payout, postings.map(buildPosting));
      for (const fault of faults) addDiscrepancy(tally, 'payout', id, fault);
    },
    tell: (visited) => tell(visited, total),
  });
}

async function readPayouts(sql: Postgres, after: string, limit: number): Promise<PayoutRow[]> {
  return sql<PayoutRow[]>`
    select o.id, o.merchant_id as merchant, o.environment, o.status, o.amount::text as amount,
           o.currency, o.rail, o.corrected_at is not null as "isCorrected", coalesce(g.postings, '[]'::json) as postings
      from payouts o left join lateral (
        select json_agg(json_build_array(reason, debit, credit, amount::text, currency)) as postings
          from postings where cause_kind = 'payout' and cause_id = o.id) g on true
     where o.id > ${after} order by o.id limit ${limit}`;
}

interface TaskRow {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly action: string | null;
  readonly state: string;
  readonly details: string;
  readonly merchantId: string | null;
  readonly environment: string | null;
  readonly targetMerchant: string | null;
  readonly postings: readonly (readonly [version: number, parts: PostingParts])[];
}

async function verifyTasks(sql: Postgres, tally: Tally, tell: TellVisited): Promise<void> {
  tally.tasks = await visitRows({
    read: (after, limit) => readTasks(sql, after, limit),
    visit: (row) => verifyTask(row, tally),
    tell,
  });
}

async function readTasks(sql: Postgres, after: string, limit: number): Promise<TaskRow[]> {
  return sql<TaskRow[]>`
    select t.id, t.kind, t.status, t.action, task_standing(t) as state, t.details,
           coalesce(p.merchant_id, o.merchant_id) as "merchantId",
           coalesce(p.environment, o.environment) as environment,
           t.target_merchant as "targetMerchant", coalesce(g.postings, '[]'::json) as postings
      from operator_tasks t left join payments p on p.id = t.payment_id
      left join payouts o on o.id = t.payout_id
      left join lateral (
        select json_agg(json_build_array(version,
                 json_build_array(reason, debit, credit, amount::text, currency))) as postings
          from postings where cause_kind = 'task' and cause_id = t.id) g on true
     where t.id > ${after} order by t.id limit ${limit}`;
}

function verifyTask({ id, details, postings, ...row }: TaskRow, tally: Tally): void {
  const audited = {
    ...row,
    details: JSON.parse(details) as Readonly<Record<string, string>>,
    postings: postings.map(([version, parts]) => ({ version, ...buildPosting(parts) })),
  };
  for (const fault of findTaskDiscrepancies(audited)) addDiscrepancy(tally, 'task', id, fault);
}

interface BookingRow extends AuditedBooking {
  readonly id: string;
  readonly postings: readonly PostingParts[];
}

async function verifyBookings(sql: Postgres, tally: Tally, tell: TellVisited): Promise<void> {
  tally.bookings = await visitRows({
    read: (after, limit) => readBookings(sql, after, limit),
    visit: ({ id, postings, ...booking }) => {
      const faults = findBookingDiscrepancies(booking, postings.map(buildPosting));
      for (const fault of faults) addDiscrepancy(tally, 'booking', id, fault);
    },
    tell,
  });
}

async function readBookings(sql: Postgres, after: string, limit: number): Promise<BookingRow[]> {
  return sql<BookingRow[]>`
    select b.id, b.kind, b.rail, b.amount::text as amount, b.currency,
           coalesce(g.postings, '[]'::json) as postings
      from rail_bookings b left join lateral (
        select json_agg(json_build_array(reason, debit, credit, amount::text, currency)) as postings
          from postings where cause_kind = 'booking' and cause_id = b.id) g on true
     where b.id > ${after} order by b.id limit ${limit}`;
}

interface ApprovalRow extends AuditedApproval {
  readonly id: string;
  readonly postings: readonly PostingParts[];
}

async function verifyApprovals(sql: Postgres, tally: Tally, tell: TellVisited): Promise<void> {
  tally.approvals = await visitRows({
    read: (after, limit) => readApprovals(sql, after, limit),
    visit: ({ id, postings, ...approval }) => {
      const faults = findApprovalDiscrepancies(approval, postings.map(buildPosting));
      for (const fault of faults) addDiscrepancy(tally, 'approval', id, fault);
    },
    tell,
  });
}

async function readApprovals(sql: Postgres, after: string, limit: number): Promise<ApprovalRow[]> {
  return sql<ApprovalRow[]>`
    select a.id, a.kind, a.status, a.environment, a.merchant_id as "merchantId",
           a.amount::text as amount, a.currency, a.proposed_by as "proposedBy",
           a.decided_by as "decidedBy", coalesce(g.postings, '[]'::json) as postings
      from approvals a left join lateral (
        select json_agg(json_build_array(reason, debit, credit, amount::text, currency)) as postings
          from postings where cause_kind = 'approval' and cause_id = a.id) g on true
     where a.id > ${after} order by a.id limit ${limit}`;
}
