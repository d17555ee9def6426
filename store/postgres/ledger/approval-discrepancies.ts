// Checks that an approval has exactly its posting, that two persons decided it, and that no reserve is below zero. The
// posting is computed anew from the approval's row, not by the code that wrote it.
import type { Postgres } from '../client.js';
import type { StoredPosting } from './posting-discrepancies.js';

export interface AuditedApproval {
  readonly kind: string;
  readonly status: string;
  readonly environment: string;
  readonly merchantId: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly proposedBy: string;
  readonly decidedBy: string | null;
}

const LEGS: Readonly<Record<string, readonly [reason: string, debit: string, credit: string]>> = {
  adjustment_credit: ['adjustment_credited', 'adjustments', 'merchant_available'],
  adjustment_debit: ['adjustment_debited', 'merchant_available', 'adjustments'],
  reserve_hold: ['reserve_held', 'merchant_available', 'merchant_reserve'],
  reserve_release: ['reserve_released', 'merchant_reserve', 'merchant_available'],
};

/** Returns one sentence per discrepancy; empty: the approval is sound. */
export function findApprovalDiscrepancies(
  approval: AuditedApproval,
  postings: readonly StoredPosting[],
): readonly string[] {
  const wanted = listExpectedPostings(approval);
  const found = postings.map(
    ({ reason, debit, credit, amountMinor, currency }) =>
      `${reason}: ${amountMinor} ${currency} from ${debit} to ${credit}`,
  );
  const { status, proposedBy, decidedBy } = approval;
  const isApproved = status === 'approved' || status === 'applied' || status === 'refused';
  const isAlone = isApproved && (decidedBy === null || decidedBy === proposedBy);
  return [
    ...found.filter((line) => !wanted.includes(line)).map((line) => `${line} must not be`),
    ...wanted.filter((line) => !found.includes(line)).map((line) => `${line} is missing`),
    ...(found.length > 1 ? ['it has more than one posting'] : []),
    ...(isAlone ? ['one person proposed and approved it'] : []),
  ];
}

function listExpectedPostings(approval: AuditedApproval): readonly string[] {
  const { kind, status, environment, merchantId, amount, currency } = approval;
  const leg = LEGS[kind];
  if (leg === undefined || status !== 'applied') return [];
  const name = (account: string): string =>
    account === 'adjustments'
      ? `${account}:${environment}:${currency}`
      : `${account}:${merchantId ?? '?'}:${environment}:${currency}`;
  const [reason, debit, credit] = leg;
  return [`${reason}: ${amount} ${currency} from ${name(debit)} to ${name(credit)}`];
}

export function findReservesBelowZero(
  sql: Postgres,
): Promise<readonly { readonly account: string; readonly amount: string }[]> {
  return sql<{ account: string; amount: string }[]>`
    select account, amount::text as amount from balances
     where account like 'merchant\\_reserve:%' and amount < 0 order by account`;
}
