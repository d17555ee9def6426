import { encodeEnvelope } from '#actors/core/webhooks/envelope.js';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import t from 'tap';
import { viewRefund, viewSandbox } from '#actors/core/payment/view.js';
import { formatPayment } from '#actors/core/payment/wire/answer.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import {
  effectsOf,
  paymentAfter,
  START_MS,
  type Step,
  tell,
} from '#test/support/given-when-then.js';
import { deriveEventId } from '#actors/core/ids.js';
import { EventEnvelope, PAYMENT_WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { Payment, type PaymentBody, SandboxPayment } from '#actors/core/schemas/payment.js';
import { Refund } from '#actors/core/schemas/refund.js';
import {
  ACCEPTED,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  ORDER_1,
  ORDER_2,
  PAYMENT_ID,
  refund,
  REFUND_1,
  refundAnswered,
  settle,
} from './samples.js';
import { SITUATIONS } from './matrix/situations.js';

const BASE_URL = 'https://pay.example';
/** The body of an answer. */
const viewPayment = (state: PaymentState) =>
  JSON.parse(formatPayment(state, BASE_URL)) as PaymentBody;

const paid = [create('LIVE'), choose('VA_BCA'), chargeAnswered(ACCEPTED), settle()];

t.test('a payment is shown with all fields in the documented order', (t) => {
  const state = paymentAfter(tell(create('TEST', { paymentMethod: 'QRIS' })));
  t.equal(
    formatPayment(state, BASE_URL),
    JSON.stringify({
      id: PAYMENT_ID,
      object: 'payment',
      environment: 'TEST',
      status: 'pending',
      amount: '150000',
      currency: 'IDR',
      description: 'Two shirts',
      reference_id: 'ord_1',
      payment_method: 'QRIS',
      customer_name: 'Siti',
      customer_email: 'siti@example.com',
      customer_phone: '+62 812 3456 7890',
      success_url: 'https://shop.example/done',
      cancel_url: 'https://shop.example/cancel',
      checkout_url: `https://pay.example/checkout/${PAYMENT_ID}`,
      order_id: ORDER_1,
      refunded_amount: '0',
      refundable_amount: '0',
      failure_code: null,
      late: false,
      metadata: { cart: '17' },
      created_at: '2026-08-02T10:15:31.123Z',
      expires_at: '2026-08-02T11:15:31.123Z',
      paid_at: null,
      failed_at: null,
      cancelled_at: null,
      refunded_at: null,
    }),
  );
  t.end();
});

t.test('the view of each situation fits the schemas and never shows creating', (t) => {
  const [isPayment, isSandbox] = [Payment, SandboxPayment].map((schema) =>
    TypeCompiler.Compile(schema),
  );
  for (const [name, history] of Object.entries(SITUATIONS)) {
    if (history.length === 0) continue;
    const state = paymentAfter(history);
    const body = viewPayment(state);
    t.ok(isPayment?.Check(body), name);
    t.equal(body.status, state.status === 'creating' ? 'pending' : state.status, name);
    const sandbox = viewSandbox(state);
    t.equal(sandbox !== null, state.environment === 'TEST', name);
    if (sandbox !== null) t.ok(isSandbox?.Check(sandbox), name);
  }
  t.end();
});

t.test('the sandbox view shows no data of the customer', (t) => {
  t.equal(
    JSON.stringify(viewSandbox(paymentAfter(tell(create('TEST'))))),
    JSON.stringify({
      id: PAYMENT_ID,
      object: 'payment',
      environment: 'TEST',
      status: 'pending',
      amount: '150000',
      currency: 'IDR',
      description: 'Two shirts',
      payment_method: null,
      expires_at: '2026-08-02T11:15:31.123Z',
      paid_at: null,
    }),
  );
  t.end();
});

t.test('a refunded payment is shown with its amounts and times', (t) => {
  const partly = tell(...paid, refund(50_000n), refundAnswered({ result: 'unknown' }));
  t.match(viewPayment(paymentAfter(partly)), {
    status: 'paid',
    refunded_amount: '0',
    refundable_amount: '100000',
    paid_at: '2026-08-02T10:15:31.123Z',
  });
  const done = { result: 'succeeded', railReference: null } as const;
  const whole = tell(...paid, refund(), refundAnswered(done));
  t.match(viewPayment(paymentAfter(whole)), {
    status: 'refunded',
    refunded_amount: '150000',
    refundable_amount: '0',
    refunded_at: '2026-08-02T10:15:31.123Z',
  });
  t.end();
});

t.test('method and order are the paid ones, else the latest, else the requested ones', (t) => {
  const shown = (...steps: readonly Step[]) => {
    const { payment_method, order_id } = viewPayment(paymentAfter(tell(...steps)));
    return [payment_method, order_id];
  };
  t.same(shown(create('LIVE')), [null, null]);
  t.same(shown(create('LIVE', { paymentMethod: 'VA' })), ['VA', null]);
  t.same(shown(create('TEST', { paymentMethod: 'VA' })), ['VA', ORDER_1]);
  const changed = [
    ...paid.slice(0, 3),
    choose('VA_BRI'),
    closeAnswered({ result: 'closed' }, 'switch'),
  ];
  t.same(shown(...changed), ['VA_BRI', ORDER_2]);
  t.same(shown(...changed, settle()), ['VA_BCA', ORDER_1], 'the former order was paid');
  t.end();
});

t.test('a refund is shown with its public status', (t) => {
  const statusAfter = (...steps: readonly Step[]) => {
    const state = paymentAfter(tell(...paid, ...steps));
    return state.refunds.map((item) => {
      const body = viewRefund(state, item);
      t.ok(TypeCompiler.Compile(Refund).Check(body));
      return body.status;
    });
  };
  const state = paymentAfter(tell(...paid, refund(50_000n)));
  const [first] = state.refunds;
  t.equal(
    first && JSON.stringify(viewRefund(state, first)),
    JSON.stringify({
      id: REFUND_1,
      object: 'refund',
      payment_id: PAYMENT_ID,
      origin: 'merchant',
      status: 'PENDING',
      amount: '50000',
      currency: 'IDR',
      reason: 'wrong size',
      reference_id: null,
      created_at: '2026-08-02T10:15:31.123Z',
      completed_at: null,
    }),
  );
  const answered = (result: 'failed' | 'manual_required') => refundAnswered({ result });
  const succeeded = refundAnswered({ result: 'succeeded', railReference: null });
  t.same(statusAfter(refund(), succeeded), ['SUCCEEDED']);
  t.same(statusAfter(refund(), answered('failed')), ['FAILED']);
  t.same(statusAfter(refund(), answered('manual_required')), ['MANUAL_REQUIRED']);
  t.end();
});

t.test('each webhook fits its schema and has the type of a payment', (t) => {
  const isEnvelope = TypeCompiler.Compile(EventEnvelope);
  const seen = new Set<string>();
  const failedRefund = tell(...paid, refund(), refundAnswered({ result: 'failed' }));
  for (const history of [...Object.values(SITUATIONS), failedRefund]) {
    effectsOf(history).forEach(({ webhook }, index) => {
      if (webhook === null) return;
      seen.add(webhook.type);
      const id = deriveEventId(PAYMENT_ID, index + 1);
      const text = encodeEnvelope(id, webhook.type, START_MS, webhook.data);
      const envelope: unknown = JSON.parse(text);
      t.ok(isEnvelope.Check(envelope), text);
      t.match(envelope, { id, type: webhook.type, created_at: '2026-08-02T10:15:30.123Z' });
      t.same(Object.keys(envelope as object), ['id', 'type', 'created_at', 'data']);
    });
  }
  t.same([...seen].sort(), [...PAYMENT_WEBHOOK_TYPES].sort());
  t.end();
});
