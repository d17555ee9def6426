// Our refunds of a payment compared with what its rail gave back.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { GivenBack } from '#actors/core/rails/answers.js';
import { compareGivenBack, compareRefunds } from '#actors/core/tasks/reconciled-refunds.js';
import { paymentAfter, type Step, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  chargeAnswered,
  create,
  endRefund,
  ORDER_1,
  ORDER_2,
  recordRefund,
  refund,
  REFUND_1,
  REFUND_2,
  refundAnswered,
  settle,
} from '../payment/samples.js';

const PAID = [
  create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans']),
  chargeAnswered(ACCEPTED),
  settle(),
];
const ASKED = [...PAID, refund(40_000n)];
const SUCCEEDED = [...ASKED, refundAnswered({ result: 'succeeded', railReference: null })];
const FAILED = [...ASKED, refundAnswered({ result: 'failed' })];
const MANUAL = [...ASKED, refundAnswered({ result: 'manual_required' })];
const BY_HAND = [...MANUAL, endRefund('complete_refund', 'bank-77')];

const entry = (changes: Partial<GivenBack> = {}): GivenBack => ({
  ...{ railRefundId: 'rail-1', refundKey: REFUND_1, kind: 'refund' },
  amountMinor: makeMinor(40_000n),
  ...changes,
});
const compare = (history: readonly Step[], givenBack: readonly GivenBack[], orderId = ORDER_1) =>
  compareRefunds({ state: paymentAfter(tell(...history)), rail: 'midtrans', orderId }, givenBack);

t.test('a refund that both have agrees, by our key or by the reference of a correction', (t) => {
  t.same(compare(SUCCEEDED, [entry()]), []);
  const recorded = [...PAID, recordRefund(40_000n, { externalReference: 'rail-9' })];
  t.same(compare(recorded, [entry({ railRefundId: 'rail-9', refundKey: null })]), []);
  t.same(compare(BY_HAND, []), [], 'the rail was not asked');
  t.same(compare(PAID, []), []);
  t.end();
});

t.test('a refund or a chargeback that only the rail has can be booked', (t) => {
  for (const refundKey of [null, 'dashboard-1']) {
    t.match(compare(SUCCEEDED, [entry(), entry({ railRefundId: 'rail-2', refundKey })]), [
      {
        ...{ kind: 'orphan', field: 'refund', ours: 'absent', theirs: 'refund 40000 IDR' },
        ...{ subject: 'rail-2', refundId: null, isInquired: false },
        booking: { kind: 'refund', railTransactionId: 'rail-2', amountMinor: 40_000n },
      },
    ]);
  }
  t.match(compare(PAID, [entry({ kind: 'chargeback', refundKey: null })]), [
    { theirs: 'chargeback 40000 IDR', booking: { kind: 'chargeback', currency: 'IDR' } },
  ]);
  t.end();
});

t.test('a refund under a key of ours that we do not know is told, and not booked', (t) => {
  const unknown = entry({ railRefundId: 'rail-2', refundKey: REFUND_2 });
  t.match(compare(SUCCEEDED, [entry(), unknown]), [
    { kind: 'orphan', subject: 'rail-2', refundId: null, isInquired: false, booking: null },
  ]);
  t.end();
});

t.test('a succeeded refund that the rail does not have is missing, on its own order', (t) => {
  t.match(compare(SUCCEEDED, []), [
    {
      ...{ kind: 'missing', field: 'refund', ours: 'succeeded 40000 IDR', theirs: 'absent' },
      ...{ subject: REFUND_1, refundId: REFUND_1, isInquired: false, booking: null },
    },
  ]);
  t.same(compare(SUCCEEDED, [], ORDER_2), []);
  t.same(compareGivenBack(paymentAfter(tell(...SUCCEEDED)), []), [], 'single entries miss nothing');
  t.same(compare(ASKED, []), []);
  t.same(compare(FAILED, []), []);
  t.end();
});

t.test('a refund with another amount or another state is inquired about', (t) => {
  t.match(compare(SUCCEEDED, [entry({ amountMinor: makeMinor(1n) })]), [
    { kind: 'differing', ours: '40000 IDR', theirs: '1 IDR', isInquired: true, booking: null },
  ]);
  for (const [history, ours] of [
    [ASKED, 'asked'],
    [MANUAL, 'manual_required'],
    [FAILED, 'failed'],
  ] as const) {
    t.match(compare(history, [entry()]), [
      { kind: 'differing', ours, theirs: 'made', refundId: REFUND_1, isInquired: true },
    ]);
  }
  const contradicted = [...FAILED, refundAnswered({ result: 'succeeded', railReference: null })];
  t.same(compare(contradicted, [entry()]), [], 'it has a task of its own');
  t.end();
});

t.test('a refund that was paid by hand and made at the rail too can be booked', (t) => {
  t.match(compare(BY_HAND, [entry()]), [
    { ours: 'paid by hand', theirs: 'made', isInquired: false, booking: { kind: 'refund' } },
  ]);
  t.same(compare(BY_HAND, [entry({ railRefundId: 'bank-77' })]), [], 'in the dashboard');
  t.end();
});

t.test('a record that the payment would refuse is not offered', (t) => {
  const chargeback = entry({
    ...{ railRefundId: 'rail-2', refundKey: null, kind: 'chargeback' },
    amountMinor: makeMinor(120_000n),
  });
  t.match(compare(SUCCEEDED, [entry(), chargeback]), [{ kind: 'orphan', booking: null }]);
  t.end();
});

t.test('an open refund that the rail has made needs no person', (t) => {
  t.match(compare(ASKED, [entry()]), [{ needsPerson: false, isInquired: true }]);
  t.match(compare(FAILED, [entry()]), [{ needsPerson: true, isInquired: true }]);
  t.end();
});

t.test('a booked chargeback is not missed in a list of refunds', (t) => {
  const booked = [...PAID, recordRefund(40_000n, { origin: 'chargeback' })];
  t.same(compare(booked, []), []);
  t.end();
});
