// Proves the ledger on one moment of the database: balances are the sums of their postings, every payment has
// exactly the postings that its state calls for, and nothing crosses between TEST and LIVE.
import type { PaymentState } from '../../../actors/core/payment/state.js';
import { decodeSnapshot } from '../../../actors/core/payment/wire/snapshot.js';
import type { Postgres } from '../client.js';
import { findPostingFaults, type StoredPosting } from './posting-faults.js';

const PAYMENTS_A_READ = 500;
/** That many are told in full; all are counted. */
const MAX_FAULTS_TOLD = 100;

export type FaultKind = 'balance' | 'crossing' | 'payment';

export interface LedgerFault {
  readonly kind: FaultKind;
  /** The account, or the payment. */
  readonly subject: string;
  readonly fault: string;
}

export interface LedgerReport {
  readonly isSound: boolean;
  readonly accounts: number;
  readonly postings: number;
  /** Those that money has moved for, or should have. */
  readonly payments: number;
  readonly faultCount: number;
  readonly faults: readonly LedgerFault[];
}

interface Tally {
  readonly faults: LedgerFault[];
  faultCount: number;
  payments: number;
}

/** Reads everything, in one transaction that writes nothing. Rejects when the database cannot be read. */
export async function verifyLedger(sql: Postgres): Promise<LedgerReport> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`set local statement_timeout = 0`;
    const tally: Tally = { faults: [], faultCount: 0, payments: 0 };
    const reading = tx as unknown as Postgres;
    await verifyBalances(reading, tally);
    await verifyEnvironments(reading, tally);
    await verifyPayments(reading, tally);
    const { accounts, postings } = await countRows(reading);
    const { faults, faultCount, payments } = tally;
    return { isSound: faultCount === 0, accounts, postings, payments, faultCount, faults };
  });
}

function note(tally: Tally, kind: FaultKind, subject: string, fault: string): void {
  tally.faultCount += 1;
  if (tally.faults.length < MAX_FAULTS_TOLD) tally.faults.push({ kind, subject, fault });
}

async function countRows(sql: Postgres): Promise<{ accounts: number; postings: number }> {
  const rows = await sql<{ accounts: number; postings: number }[]>`
    select (select count(*)::integer from balances) as accounts,
           (select count(*)::integer from postings) as postings`;
  return rows[0] ?? { accounts: 0, postings: 0 };
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
    note(tally, 'balance', account, `its balance is ${balance}, its postings make ${posted}`);
  }
}

/** An account's key ends in `:<environment>:<currency>`. */
async function verifyEnvironments(sql: Postgres, tally: Tally): Promise<void> {
  const rows = await sql<
    { payment_id: string; debit: string; credit: string; of: string | null }[]
  >`
    select g.payment_id, g.debit, g.credit, p.environment as of
      from postings g left join payments p on p.id = g.payment_id
     where p.id is null
        or split_part(g.debit, ':', -2) <> p.environment
        or split_part(g.credit, ':', -2) <> p.environment
        or split_part(g.debit, ':', -1) <> g.currency
        or split_part(g.credit, ':', -1) <> g.currency
     order by g.payment_id`;
  for (const { payment_id: id, debit, credit, of } of rows) {
    const payment = of === null ? 'there is no such payment' : `the payment is ${of}`;
    note(tally, 'crossing', id, `a posting moves from ${debit} to ${credit}; ${payment}`);
  }
}

interface PaymentRow {
  readonly id: string;
  readonly snapshot: string;
  readonly postings: readonly (readonly [string, string, string, string, string])[];
}

async function verifyPayments(sql: Postgres, tally: Tally): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: PaymentRow[] = await readPayments(sql, after);
    for (const row of rows) verifyPayment(row, tally);
    tally.payments += rows.length;
    after = rows.length < PAYMENTS_A_READ ? undefined : rows.at(-1)?.id;
  }
}

async function readPayments(sql: Postgres, after: string): Promise<PaymentRow[]> {
  return sql<PaymentRow[]>`
    select p.id, p.snapshot, coalesce(g.postings, '[]'::json) as postings
      from payments p left join lateral (
        select json_agg(json_build_array(reason, debit, credit, amount::text, currency)) as postings
          from postings where payment_id = p.id) g on true
     where p.id > ${after} and (p.status in ('paid', 'refunded', 'failed') or g.postings is not null)
     order by p.id limit ${PAYMENTS_A_READ}`;
}

function verifyPayment({ id, snapshot, postings }: PaymentRow, tally: Tally): void {
  const stored = postings.map(([reason, debit, credit, amount, currency]): StoredPosting => {
    return { reason, debit, credit, amountMinor: BigInt(amount), currency };
  });
  let state: PaymentState;
  try {
    state = decodeSnapshot(snapshot);
  } catch {
    note(tally, 'payment', id, 'its snapshot cannot be read');
    return;
  }
  for (const fault of findPostingFaults(state, stored)) note(tally, 'payment', id, fault);
}
