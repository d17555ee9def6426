// Whether a payout has exactly the postings that its row calls for. Worked out anew from the row, not by the code
// that wrote them: where the money stood at each step of the way to its status.
import type { StoredPosting } from './posting-discrepancies.js';

export interface AuditedPayout {
  readonly merchant: string;
  readonly environment: string;
  readonly status: string;
  readonly amount: string;
  readonly currency: string;
  /** null: an administrator paid by hand, or nobody was asked. */
  readonly rail: string | null;
  /** It had failed, as was thought first. */
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

/** One sentence for each thing that is wrong; empty: all is as it must be. */
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
  const ways: Readonly<Record<string, readonly [string, string]>> = {
    payout_requested: [available, clearing],
    payout_completed: [clearing, outside],
    payout_failed: [clearing, available],
    payout_reversed: [outside, available],
    payout_corrected: [available, outside],
  };
  return ((isCorrected ? CORRECTED : REASONS)[status] ?? []).map((reason) => {
    const [from, to] = ways[reason] ?? ['?', '?'];
    return `${reason}: ${amount} ${currency} from ${from} to ${to}`;
  });
}
