// Bookings: money that moves at a rail besides payments. Rails list it in their own reports, so an
// operator books it from there (LIVE only).
//
//   fee           the rail kept it from the money that it holds    fees ──▶ rail_clearing
//   fee_returned  the rail gave a fee back                         rail_clearing ──▶ fees
//   settled       the rail paid to our bank account                bank (rail_clearing:manual) ──▶ rail_clearing
//   topped_up     we paid to the rail, for payouts                 rail_clearing ──▶ bank
import { deriveIdBody } from '../ids.js';
import type { LiveRailName } from '../rails/rail-names.js';
import { MANUAL, formatRailAccount } from './accounts.js';
import type { Money } from './postings.js';

export const BOOKING_KINDS = ['fee', 'fee_returned', 'settled', 'topped_up'] as const;
export type BookingKind = (typeof BOOKING_KINDS)[number];

export interface RailBooking extends Money {
  readonly kind: BookingKind;
  readonly rail: LiveRailName;
  /** The rail's or the bank's own; a repeated booking with the same reference has no effect. */
  readonly reference: string;
}

/** Always the same for the same reference. */
export function deriveBookingId({ kind, rail, reference }: Omit<RailBooking, keyof Money>): string {
  return `book_${deriveIdBody(`booking:${kind}:${rail}:${reference}`)}`;
}

export interface BookingPosting extends Money {
  readonly debit: string;
  readonly credit: string;
  readonly reason: `rail_${BookingKind}`;
}

export function buildBookingPosting({
  kind,
  rail,
  amountMinor,
  currency,
}: Omit<RailBooking, 'reference'>): BookingPosting {
  const clearing = formatRailAccount('rail_clearing', rail, 'LIVE', currency);
  const fees = formatRailAccount('fees', rail, 'LIVE', currency);
  const bank = formatRailAccount('rail_clearing', MANUAL, 'LIVE', currency);
  const [debit, credit] = (
    {
      fee: [fees, clearing],
      fee_returned: [clearing, fees],
      settled: [bank, clearing],
      topped_up: [clearing, bank],
    } as const
  )[kind];
  return { debit, credit, amountMinor, currency, reason: `rail_${kind}` };
}
