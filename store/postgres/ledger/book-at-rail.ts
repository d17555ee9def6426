// Books one line of a rail's or a bank's report. One statement writes it with its posting, once per reference, so it can be
// repeated.
import {
  deriveBookingId,
  buildBookingPosting,
  type RailBooking,
} from '#actors/core/ledger/bookings.js';
import type { Postgres } from '../client.js';

/** known: booked before. differs: booked before with another amount; nothing was done. */
export type BookingOutcome = 'booked' | 'known' | 'differs';

export async function bookAtRail(
  sql: Postgres,
  booking: RailBooking,
  note: string,
): Promise<BookingOutcome> {
  const { kind, rail, reference, amountMinor, currency } = booking;
  const amount = amountMinor.toString();
  const row = { id: deriveBookingId(booking), kind, rail, amount, currency, reference, note };
  const { debit, credit, reason } = buildBookingPosting(booking);
  const rows = await sql<{ outcome: BookingOutcome }[]>`
    select book_at_rail(${JSON.stringify(row)}::text::jsonb, ${debit}, ${credit}, ${reason}) as outcome`;
  const outcome = rows[0]?.outcome;
  if (outcome === undefined) throw new Error('book_at_rail returned no row');
  return outcome;
}
