// What moves at a rail besides payments: what it keeps for itself, and what it sends to our bank account or gets
// from there. Rails tell of it in their own reports, so an operator books it by them (LIVE money; TEST has none).
//
//   fee           the rail kept it from what it holds for us         fees ──▶ rail_clearing
//   fee_returned  it gave a fee back                                 rail_clearing ──▶ fees
//   settled       it sent money to our bank account                  bank (rail_clearing:manual) ──▶ rail_clearing
//   topped_up     we sent it money, to pay out from                  rail_clearing ──▶ bank
import { idBodyOf } from '../ids.js';
import { MANUAL, type Money, railAccount } from '../ledger.js';
import type { LiveRailName } from './answers.js';

export const BOOKING_KINDS = ['fee', 'fee_returned', 'settled', 'topped_up'] as const;
export type BookingKind = (typeof BOOKING_KINDS)[number];

export interface RailBooking extends Money {
  readonly kind: BookingKind;
  readonly rail: LiveRailName;
  /** The rail's or the bank's own: under it the same is booked once. */
  readonly reference: string;
}

/** The same for the same reference, for ever. */
export function bookingId({ kind, rail, reference }: Omit<RailBooking, keyof Money>): string {
  return `book_${idBodyOf(`booking:${kind}:${rail}:${reference}`)}`;
}

export interface BookingPosting extends Money {
  readonly debit: string;
  readonly credit: string;
  readonly reason: `rail_${BookingKind}`;
}

export function bookingPosting({
  kind,
  rail,
  amountMinor,
  currency,
}: Omit<RailBooking, 'reference'>): BookingPosting {
  const clearing = railAccount('rail_clearing', rail, 'LIVE', currency);
  const fees = railAccount('fees', rail, 'LIVE', currency);
  const bank = railAccount('rail_clearing', MANUAL, 'LIVE', currency);
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
