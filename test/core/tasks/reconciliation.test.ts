// Our record of an order compared with the record of its rail.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { compareOrder, type RailRecord } from '#actors/core/tasks/reconciliation.js';
import { findLastRailDay } from '#actors/core/tasks/rail-days.js';
import { paymentAfter, type Step, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  AMOUNT,
  chargeAnswered,
  create,
  disown,
  fail,
  ORDER_1,
  reverse,
  settle,
} from '../payment/samples.js';

const OPEN = [create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans']), chargeAnswered(ACCEPTED)];
const PAID = [...OPEN, settle()];
const settled = (changes: Partial<Extract<RailRecord, { state: 'settled' }>> = {}): RailRecord => ({
  state: 'settled',
  railTransactionId: 'tx-1',
  amountMinor: AMOUNT,
  currency: 'IDR',
  ...changes,
});
const compare = (history: readonly Step[], seen: RailRecord) =>
  compareOrder({ state: paymentAfter(tell(...history)), rail: 'midtrans', orderId: ORDER_1 }, seen);
const differing = (field: string, ours: string, theirs: string) => ({
  ...{ kind: 'differing', field, ours, theirs, subject: '', booking: null },
});
const booking = (kind: string, railTransactionId: string) => ({
  booking: { kind, railTransactionId, amountMinor: AMOUNT, currency: 'IDR' },
});

t.test('an order that is settled at the rail differs unless the same money is booked here', (t) => {
  t.equal(compare(PAID, settled()), null);
  t.equal(compare(PAID, settled({ railTransactionId: null })), null, 'found by its order');
  t.same(compare(OPEN, settled()), {
    ...differing('status', 'pending', 'settled'),
    ...{ subject: 'tx-1', ...booking('settlement', 'tx-1') },
  });
  t.same(
    compare(PAID, settled({ railTransactionId: 'tx-2' })),
    {
      ...differing('status', 'paid', 'settled'),
      ...{ subject: 'tx-2', ...booking('settlement', 'tx-2') },
    },
    'a second payment',
  );
  t.same(
    compare(OPEN, settled({ railTransactionId: null })),
    differing('status', 'pending', 'settled'),
    'nothing names the settlement',
  );
  t.same(
    compare(PAID, settled({ amountMinor: makeMinor(1n) })),
    differing('amount', AMOUNT.toString(), '1'),
  );
  t.same(compare(PAID, settled({ currency: 'USD' })), differing('currency', 'IDR', 'USD'));
  t.same(compare([...PAID, reverse()], settled()), differing('status', 'reversed', 'settled'));
  t.equal(compare([...OPEN, disown()], settled()), null, 'booked on another payment');
  t.end();
});

t.test('an order that is reversed at the rail differs while its money is booked here', (t) => {
  const reversed = { state: 'reversed', railTransactionId: 'tx-1' } as const;
  t.same(compare(PAID, reversed), {
    ...differing('status', 'captured', 'reversed'),
    ...{ subject: 'tx-1', ...booking('reversal', 'tx-1') },
  });
  t.equal(compare([...PAID, reverse()], reversed), null);
  t.equal(compare(OPEN, reversed), null, 'never booked here');
  t.end();
});

t.test('an order that is unpaid at the rail differs when it is paid or open here', (t) => {
  for (const state of ['open', 'ended', 'absent'] as const) {
    t.same(
      compare(PAID, { state }),
      {
        ...differing('status', 'settled', state),
        ...{ kind: 'missing', ...booking('reversal', 'tx-1') },
      },
      state,
    );
    t.equal(compare([...PAID, reverse()], { state }), null, `${state}: reversed here`);
    t.equal(compare([...OPEN, fail()], { state }), null, `${state}: ended here too`);
  }
  t.equal(compare(OPEN, { state: 'open' }), null);
  t.same(compare(OPEN, { state: 'ended' }), differing('status', 'open', 'ended'));
  t.match(compare(OPEN, { state: 'absent' }), { kind: 'missing', ours: 'open' });
  t.throws(() => compare(OPEN, { state: 'other' } as unknown as RailRecord));
  t.end();
});

t.test('the last rail day is the last day in Jakarta that was over', (t) => {
  t.equal(findLastRailDay(Date.parse('2026-08-02T16:59:59Z')), '2026-08-01');
  t.equal(findLastRailDay(Date.parse('2026-08-02T17:00:00Z')), '2026-08-02');
  t.end();
});
