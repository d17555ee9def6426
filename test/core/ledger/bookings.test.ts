// What operators book at rails: where the money moves, and that a reference has one id.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import {
  BOOKING_KINDS,
  deriveBookingId,
  buildBookingPosting,
} from '#actors/core/ledger/bookings.js';

t.test('where the money moves', (t) => {
  const clearing = 'rail_clearing:midtrans:LIVE:IDR';
  const bank = 'rail_clearing:manual:LIVE:IDR';
  const fees = 'fees:midtrans:LIVE:IDR';
  const ways = { fee: [fees, clearing], fee_returned: [clearing, fees] };
  const all = { ...ways, settled: [bank, clearing], topped_up: [clearing, bank] };
  for (const kind of BOOKING_KINDS) {
    const money = { amountMinor: makeMinor(700n), currency: 'IDR' };
    const [debit, credit] = all[kind];
    t.strictSame(
      buildBookingPosting({ kind, rail: 'midtrans', ...money }),
      { debit, credit, ...money, reason: `rail_${kind}` },
      kind,
    );
  }
  t.end();
});

t.test('its id', (t) => {
  const booking = { kind: 'fee', rail: 'midtrans', reference: 'STL-1' } as const;
  t.match(deriveBookingId(booking), /^book_[0-9a-z]{26}$/);
  t.equal(deriveBookingId({ ...booking }), deriveBookingId(booking), 'the same for the same');
  const others = [{ kind: 'settled' }, { rail: 'xendit' }, { reference: 'STL-2' }] as const;
  const ids = others.map((change) => deriveBookingId({ ...booking, ...change }));
  t.equal(new Set([...ids, deriveBookingId(booking)]).size, 4);
  t.end();
});
