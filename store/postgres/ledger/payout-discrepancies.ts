// Checks that a payout has exactly the postings that its status calls for. They are computed anew from the payout's row,
// not by the code that wrote them.
import type { StoredPosting } from './posting-discrepancies.js';

export interface AuditedPayout {
  readonly merchant: string;
  readonly environment: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  /** null: an administrator paid by hand, or no rail was called. */
  readonly rail: string | null;
  /** It was first thought to have failed. */
  readonly isCorrected: boolean;
}

const REASONS: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['payout_requested'],
  PROCESSING: ['payout_requested'],
  MANUAL_REQUIRED: ['payout_requested'],
  COMPLETED: ['payout_requested', 'payout_completed'],
  FAILED: ['payout_requested', 'payout_failed'],
  REVERSED: ['payout_requested', 'payout_completed', 'payout_reversed'],
};

const CORRECTED: Readonly<Record<string, readonly string[]>> = {
  COMPLETED: ['payout_requested', 'payout_failed', 'payout_corrected'],
  REVERSED: ['payout_requested', 'payout_failed', 'payout_corrected', 'payout_reversed'],
};

/** Returns one sentence per discrepancy; empty: the payout is sound. */
export function findPayoutDiscrepancies(
  payout: AuditedPayout,
  postings: readonly StoredPosting[],
): readonly string[] {
  const wanted = listExpectedPostings(payout);
  const found = postings.map(describe);
  const left = [...found];
  const missing = wanted.filter((line) => {
    const index = left.indexOf(line);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
  return [
    ...left.map((line) => `${line} is posted, and must not be`),
    ...missing.map((line) => `${line} is missing`),
  ];
}

function describe({ reason, debit, credit, amountMinor, currency }: StoredPosting): string {
  return `${reason}: ${amountMinor} ${currency} from ${debit} to ${credit}`;
}

function listExpectedPostings(payout: AuditedPayout): readonly string[] {
  const { merchant, environment, status, amount, currency, rail, isCorrected } = payout;
  const end = `${environment}:${currency}`;
  const available = `merchant_available:${merchant}:${end}`;
  const clearing = `payout_clearing:${merchant}:${end}`;
  const outside = `rail_clearing:${rail ?? 'manual'}:${end}`;
  const moves: Readonly<Record<string, readonly [string, string]>> = {
    payout_requested: [available, clearing],
    payout_completed: [clearing, outside],
    payout_failed: [clearing, available],
    payout_reversed: [outside, available],
    payout_corrected: [available, outside],
  };
  return ((isCorrected ? CORRECTED : REASONS)[status] ?? []).map((reason) => {
    const [from, to] = moves[reason] ?? ['?', '?'];
    return `${reason}: ${amount} ${currency} from ${from} to ${to}`;
  });
}
