// Erasure removes texts, keeps facts about money, and later commands bring no text back.
import { inspect } from 'node:util';
import t from 'tap';
import { encodeEnvelope, eraseEnvelope } from '#actors/core/webhooks/envelope.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { viewPayment } from '#actors/core/payment/view.js';
import { given, paymentAfter, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  chargeAnswered,
  choose,
  create,
  endRefund,
  erase,
  refund,
  REFUND_2,
  refundAnswered,
  settle,
} from './samples.js';

const WRITTEN = /Siti|siti@|812 3456|shirts|shop\.example|cart|wrong size/;
const REFERENCES = /ord_1|ret_1/;
const live = create('LIVE');
const refunded = [
  ...[live, choose('VA_BCA'), chargeAnswered(ACCEPTED), settle()],
  refund(40_000n, { referenceId: 'ret_1' }),
  refundAnswered({ result: 'succeeded', railReference: null }),
];

const TEXTS = {
  ...{ description: null, customerName: null, customerEmail: null, customerPhone: null },
  ...{ successUrl: null, cancelUrl: null, metadata: {} },
};

t.test('an erasure removes the texts, and leaves money, times and a fingerprint', (t) => {
  const before = paymentAfter(tell(...refunded));
  const after = paymentAfter(tell(...refunded, erase()));
  t.match(inspect(before, { depth: 5 }), WRITTEN);
  t.notMatch(inspect(after, { depth: 5 }), WRITTEN);
  t.match(inspect(after, { depth: 5 }), REFERENCES, 'references stay without the flag');
  const money = ({ version: _, ...body }: typeof before) => ({
    ...body,
    ...{ erasedAtMs: null, fingerprint: null },
    request: { ...body.request, ...TEXTS },
    refunds: body.refunds.map((one) => ({ ...one, reason: null })),
  });
  t.same(money(after), money(before), 'nothing else changes');
  t.strictSame(decodeSnapshot(encodeSnapshot(after)), after);
  const view = viewPayment(after);
  t.match(view, { customer_name: null, refunded_amount: '40000' });
  t.strictSame(view.metadata, {});
  t.end();
});

t.test('an erasure with references removes them, also after an erasure without', (t) => {
  const erased = tell(...refunded, erase());
  given(erased).when(erase()).then('unchanged');
  const { state } = given(erased).when(erase(true)).then('done', 'payment_erased');
  t.notMatch(inspect(state, { depth: 5 }), REFERENCES);
  t.equal(
    state?.erasedAtMs,
    paymentAfter(erased).erasedAtMs,
    'the time of the first erasure stays',
  );
  given(tell(...refunded, erase(true)))
    .when(erase(true))
    .then('unchanged');
  t.end();
});

t.test('commands after an erasure work and store no new text', (t) => {
  const erased = tell(...refunded, erase(true));
  given(erased).when(live).then('replayed');
  given(erased)
    .when(create('LIVE', { description: 'Three shirts' }))
    .then('idempotency_conflict');
  given(erased)
    .when(refund(40_000n, { referenceId: 'ret_1' }))
    .then('replayed');
  given(erased).when(refund(40_001n)).then('idempotency_conflict');
  const late = given(erased).when(refund(10_000n, { refundId: REFUND_2, reason: 'for Siti' }));
  t.notMatch(inspect(late.state, { depth: 5 }), WRITTEN, 'a new reason is not stored');
  const manual = [...refunded, erase(), refund(10_000n, { refundId: REFUND_2 })];
  const byHand = refundAnswered({ result: 'manual_required' }, REFUND_2);
  given(tell(...manual, byHand))
    .when(erase(true))
    .then('state_conflict');
  const done = given(tell(...manual, byHand)).when(
    endRefund('complete_refund', 'bank-1', REFUND_2),
  );
  const [sent] = done.effects.flatMap(({ webhook }) => (webhook === null ? [] : [webhook]));
  if (sent === undefined) throw new Error('the story sends no webhook');
  const envelope = encodeEnvelope('evt_1' as never, sent.type, 0, sent.data);
  t.notMatch(envelope, WRITTEN);
  t.match(envelope, /"metadata":\{\}/);
  t.end();
});

t.test('erasing a stored envelope removes its metadata and nothing else', (t) => {
  const [sent] = given(tell(...refunded.slice(0, 3)))
    .when(settle())
    .effects.flatMap(({ webhook }) => (webhook === null ? [] : [webhook]));
  if (sent === undefined) throw new Error('the story sends no webhook');
  const before = encodeEnvelope('evt_1' as never, sent.type, 0, sent.data);
  const after = eraseEnvelope(before, false);
  t.equal(after, before.replace('{"cart":"17"}', '{}'), 'nothing else changes');
  t.equal(eraseEnvelope(after, true), after.replace('"ord_1"', 'null'));
  t.equal(eraseEnvelope(after, false), after, 'a repeat changes nothing');
  t.end();
});
