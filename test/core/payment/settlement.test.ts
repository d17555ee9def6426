import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  account,
  AMOUNT,
  cancel,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  disown,
  EXPIRE,
  fail,
  MERCHANT_ID,
  ORDER_1,
  ORDER_2,
  PAYMENT_ID,
  posting,
  RAIL_CLEARING as rail,
  refund,
  refundAnswered,
  RELEASE,
  reverse,
  settle,
  simulate,
} from './samples.js';

const DAY_MS = 86_400_000;
const NOW_MS = START_MS + 1000;
const open = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED)];
const paid = [...open, settle()];
const held = [create('LIVE'), choose('QRIS'), chargeAnswered(ACCEPTED), settle()];

t.test('a settlement makes the payment paid, posts its money and sends payment.paid', (t) => {
  const { state, effects } = given(tell(...open))
    .when(settle())
    .then('done', 'payment_paid');
  t.match(state, {
    status: 'paid',
    isLate: false,
    paidAtMs: NOW_MS,
    capture: { rail: 'midtrans', railTransactionId: 'tx-1', orderId: ORDER_1, holdUntilMs: null },
  });
  t.equal(state?.attempts[0]?.status, 'settled');
  t.strictSame(effects[0]?.webhook, {
    type: 'payment.paid',
    data: {
      id: PAYMENT_ID,
      status: 'paid',
      amount: '150000',
      currency: 'IDR',
      reference_id: 'ord_1',
      order_id: ORDER_1,
      paid_at: '2026-08-02T10:15:31.123Z',
      payment_method: 'VA_BNI',
      refunded_amount: '0',
      failure_code: null,
      late: false,
      metadata: { cart: '17' },
    },
  });
  t.strictSame(effects[0]?.postings, [
    posting(rail, account('merchant_available'), AMOUNT, 'payment_paid'),
  ]);
  t.same(effects[0]?.railTransaction, { rail: 'midtrans', transactionId: 'tx-1' });
  t.same(effects[0]?.railCalls, []);
  t.same(effects[0]?.tasks, []);
  t.end();
});

t.test('a settlement with a time of the rail sets paid_at to it', (t) => {
  const settledAtMs = START_MS - 60_000;
  const { state } = given(tell(...open)).when(settle('tx-1', { settledAtMs }));
  t.equal(state?.paidAtMs, settledAtMs);
  t.end();
});

t.test('a TEST settlement posts at the sandbox, without hold or rail call', (t) => {
  const { state, effects } = given(tell(create('TEST', { paymentMethod: 'QRIS' })))
    .when(simulate('paid'))
    .then('done', 'payment_paid');
  t.equal(state?.capture?.holdUntilMs, null);
  t.strictSame(effects[0]?.postings, [
    posting(
      'rail_clearing:sandbox:TEST:IDR',
      account('merchant_available', 'TEST'),
      AMOUNT,
      'payment_paid',
    ),
  ]);
  t.end();
});

t.test('a hold keeps the money pending until its time, then makes it available', (t) => {
  const { state, effects } = given(tell(...held.slice(0, -1))).when(settle());
  t.equal(state?.capture?.holdUntilMs, NOW_MS + 2 * DAY_MS);
  t.equal(effects[0]?.postings[0]?.credit, account('merchant_pending'));
  const atMs = 1000 + 2 * DAY_MS;
  given(tell(...held))
    .when({ afterMs: atMs - 1, command: RELEASE })
    .then('unchanged');
  const released = given(tell(...held))
    .when({ afterMs: atMs, command: RELEASE })
    .then('done', 'hold_released');
  t.equal(released.state?.capture?.holdUntilMs, null);
  t.strictSame(released.effects[0]?.postings, [
    posting(account('merchant_pending'), account('merchant_available'), AMOUNT, 'hold_released'),
  ]);
  t.end();
});

t.test('a refund under a hold takes pending money, and the release moves the rest', (t) => {
  const { effects } = given(tell(...held)).when(refund(50_000n));
  t.strictSame(effects[0]?.postings, [
    posting(account('merchant_pending'), account('refund_clearing'), 50_000n, 'refund_requested'),
  ]);
  const release = { afterMs: 3 * DAY_MS, command: RELEASE };
  const released = given(tell(...held, refund(50_000n))).when(release);
  t.equal(released.effects[0]?.postings[0]?.amountMinor, 100_000n);
  const failed = given(tell(...held, refund(50_000n), release)).when(
    refundAnswered({ result: 'failed' }),
  );
  t.equal(failed.effects[0]?.postings[0]?.credit, account('merchant_available'));
  const all = given(tell(...held, refund()))
    .when(release)
    .then('done', 'hold_released');
  t.same(all.effects[0]?.postings, [], 'nothing is left');
  t.end();
});

t.test('a settlement of a failed or cancelled payment makes it paid with late set', (t) => {
  const cancelled = tell(...open, cancel(), closeAnswered({ result: 'closed' }));
  for (const history of [cancelled, tell(...open, fail())]) {
    const { state, effects } = given(history).when(settle()).then('done', 'payment_paid');
    t.match(state, { status: 'paid', isLate: true, failureCode: null });
    t.match(effects[0]?.webhook, { type: 'payment.paid', data: { late: true, status: 'paid' } });
  }
  t.equal(paymentAfter([...cancelled]).cancelledAtMs, NOW_MS);
  t.end();
});

t.test('a settlement closes the other open order of the payment', (t) => {
  const changed = tell(
    ...open,
    choose('VA_BRI'),
    closeAnswered({ result: 'closed' }, 'switch'),
    chargeAnswered(ACCEPTED, ORDER_2),
  );
  const { state, effects } = given(changed).when(settle()).then('done', 'payment_paid');
  t.same(
    state?.attempts.map(({ status }) => status),
    ['settled', 'open'],
  );
  t.match(effects[0]?.railCalls, [
    { operation: 'close', purpose: 'supersede', orderId: ORDER_2, rail: 'midtrans' },
  ]);
  t.equal(effects[0]?.railCalls.length, 1);
  t.end();
});

t.test('a repeated rail transaction has no effect in any state', (t) => {
  const refunded = [
    ...paid,
    refund(),
    refundAnswered({ result: 'succeeded', railReference: null }),
  ];
  for (const history of [paid, refunded, [...paid, reverse()]]) {
    given(tell(...history))
      .when(settle())
      .then('unchanged');
    given(tell(...history))
      .when(settle('tx-1', { amountMinor: makeMinor(1n) }))
      .then('unchanged');
  }
  t.end();
});

t.test('the same transaction id of another rail is another transaction', (t) => {
  given(tell(...paid))
    .when(settle('tx-1', { rail: 'xendit' }))
    .then('done', 'settlement_suspended');
  t.end();
});

t.test('money that is not the payment’s goes to suspense with a task', (t) => {
  const cases = [
    { reason: 'amount_differs', steps: open, settlement: { amountMinor: makeMinor(149_999n) } },
    { reason: 'currency_differs', steps: open, settlement: { currency: 'USD' } },
    { reason: 'order_unknown', steps: open, settlement: { orderId: ORDER_2 } },
    { reason: 'order_unknown', steps: open, settlement: { rail: 'xendit' } },
    { reason: 'already_paid', steps: paid, settlement: {} },
    { reason: 'already_paid', steps: [...paid, reverse()], settlement: {} },
  ] as const;
  for (const { reason, steps, settlement } of cases) {
    const history = tell(...steps);
    const { state, events, effects } = given(history)
      .when(settle('tx-2', settlement))
      .then('done', 'settlement_suspended');
    t.equal(state?.status, paymentAfter(history).status, 'the status stays');
    t.match(events[0], { reason });
    const { currency, rail: from, amountMinor } = settle('tx-2', settlement).settlement;
    t.strictSame(effects[0]?.postings, [
      {
        debit: `rail_clearing:${from}:LIVE:${currency}`,
        credit: `suspense:${MERCHANT_ID}:LIVE:${currency}`,
        amountMinor,
        currency,
        reason: 'settlement_suspended',
      },
    ]);
    t.same(effects[0]?.railTransaction, { rail: from, transactionId: 'tx-2' });
    t.match(effects[0]?.tasks, [
      { kind: 'settlement_suspended', details: { railTransactionId: 'tx-2', reason, currency } },
    ]);
    t.equal(effects[0]?.webhook, null);
    given([...history, ...events])
      .when(settle('tx-2', settlement))
      .then('unchanged');
  }
  t.end();
});

t.test('a settlement of amount 0 opens a task and posts nothing', (t) => {
  const { effects } = given(tell(...open)).when(settle('tx-2', { amountMinor: makeMinor(0n) }));
  t.same(effects[0]?.postings, []);
  t.equal(effects[0]?.tasks.length, 1);
  t.end();
});

t.test('a settlement booked on another payment posts nothing and opens one task', (t) => {
  for (const steps of [open, paid, [...paid, reverse()]]) {
    const history = tell(...steps);
    const { state, events, effects } = given(history)
      .when(disown('tx-8'))
      .then('done', 'settlement_unapplied');
    t.equal(state?.status, paymentAfter(history).status, 'the status stays');
    t.match(effects[0], {
      postings: { length: 0 },
      railTransaction: null,
      webhook: null,
      answers: { length: 0 },
    });
    t.match(effects[0]?.tasks, [
      {
        kind: 'settlement_unapplied',
        details: {
          rail: 'midtrans',
          railTransactionId: 'tx-8',
          orderId: ORDER_1,
          amount: '150000',
        },
      },
    ]);
    const after = [...history, ...events];
    for (const again of [disown('tx-8'), settle('tx-8')])
      given(after).when(again).then('unchanged');
    const taken = given(after).when(reverse('tx-8')).then('done', 'reversal_unapplied');
    t.match(taken.effects[0], {
      postings: { length: 0 },
      tasks: [{ kind: 'reversal_unapplied', details: { reason: 'transaction_elsewhere' } }],
    });
    given([...after, ...taken.events])
      .when(reverse('tx-8'))
      .then('unchanged');
  }
  given(tell(...paid))
    .when(disown('tx-1'))
    .then('unchanged');
  t.end();
});

t.test('simulate settles or fails pending TEST payments, also without a method', (t) => {
  const failed = given(tell(create('TEST')))
    .when(simulate('failed'))
    .then('done', 'payment_failed');
  t.match(failed.state, { failureCode: 'simulated' });
  t.equal(failed.state?.attempts[0]?.status, 'failed');
  const simulated = given(tell(create('TEST')))
    .when(simulate('paid'))
    .then('done', 'payment_paid');
  t.match(simulated.state, {
    capture: { rail: 'sandbox', railTransactionId: `sandbox-${ORDER_1}`, orderId: ORDER_1 },
  });
  const chosen = tell(create('TEST'), choose('QRIS'));
  t.equal(given(chosen).when(simulate('paid')).state?.capture?.orderId, ORDER_2);
  const expired = tell(create('TEST'), EXPIRE);
  given(expired).when(simulate('failed')).then('unchanged');
  given(expired).when(simulate('paid')).then('state_conflict');
  t.end();
});
