// The operator task of a difference between our record and a rail's.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { describeDifference, type Difference } from '#actors/core/tasks/rail-differences.js';

const MATTER = { rail: 'xendit', day: '2026-08-02', orderId: 'order-1' } as const;
const DIFFERENCE: Difference = {
  ...{ kind: 'orphan', field: 'refund', ours: 'absent', theirs: 'refund 5 IDR', subject: 'rfd-1' },
  booking: {
    ...{ kind: 'refund', railTransactionId: 'rfd-1', currency: 'IDR' },
    amountMinor: makeMinor(5n),
  },
};

t.test('the details are texts and name the booking', (t) => {
  const { details } = describeDifference(MATTER, DIFFERENCE);
  t.same(JSON.parse(details), {
    ...MATTER,
    ...{ difference: 'orphan', field: 'refund', ours: 'absent', theirs: 'refund 5 IDR' },
    ...{ booking: 'refund', railTransactionId: 'rfd-1', amount: '5', currency: 'IDR' },
  });
  const plain = describeDifference(MATTER, { ...DIFFERENCE, booking: null }, { payoutId: 'po_1' });
  const shown = JSON.parse(plain.details) as object;
  t.match(shown, { payoutId: 'po_1' });
  t.notOk('booking' in shown);
  t.end();
});

t.test('the same difference is the same task on every day; another subject is another one', (t) => {
  const { id } = describeDifference(MATTER, DIFFERENCE);
  t.equal(describeDifference({ ...MATTER, day: '2026-08-03' }, DIFFERENCE).id, id);
  t.not(describeDifference(MATTER, { ...DIFFERENCE, subject: 'rfd-2' }).id, id);
  t.end();
});
