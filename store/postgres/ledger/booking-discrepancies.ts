// Checks that a booking at a rail has exactly its posting. The posting is computed anew from the booking's row, not by the
// code that wrote it.
import type { StoredPosting } from './posting-discrepancies.js';

export interface AuditedBooking {
  readonly kind: string;
  readonly rail: string;
  readonly amount: string;
  readonly currency: string;
}

/** Returns one sentence per discrepancy; empty: the booking is sound. */
export function findBookingDiscrepancies(
  booking: AuditedBooking,
  postings: readonly StoredPosting[],
): readonly string[] {
  const wanted = formatExpectedPosting(booking);
  const found = postings.map(
    ({ reason, debit, credit, amountMinor, currency }) =>
      `${reason}: ${amountMinor} ${currency} from ${debit} to ${credit}`,
  );
  return [
    ...found.filter((line) => line !== wanted).map((line) => `${line} must not be`),
    ...(found.includes(wanted) ? [] : [`${wanted} is missing`]),
  ];
}

function formatExpectedPosting({ kind, rail, amount, currency }: AuditedBooking): string {
  const end = `LIVE:${currency}`;
  const other = kind.startsWith('fee') ? `fees:${rail}:${end}` : `rail_clearing:manual:${end}`;
  const clearing = `rail_clearing:${rail}:${end}`;
  const isIntoClearing = kind === 'fee' || kind === 'settled';
  const [from, to] = isIntoClearing ? [other, clearing] : [clearing, other];
  return `rail_${kind}: ${amount} ${currency} from ${from} to ${to}`;
}
