// The shortest and the longest texts, and texts as they were stored.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { type CommandType, SOURCES } from '#actors/core/payment/commands.js';
import {
  decodeCommand,
  decodeSentCommand,
  encodeCommand,
} from '#actors/core/payment/wire/command.js';
import { Payment, type PaymentBody } from '#actors/core/schemas/payment.js';
import { viewPayment } from '#actors/core/payment/view.js';
import { cutAnswer, formatPayment, isSnapshotOf } from '#actors/core/payment/wire/answer.js';
import { encodeEvent } from '#actors/core/payment/wire/event.js';
import { decodeRailCall, encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { effectsOf, paymentAfter, tell } from '#test/support/given-when-then.js';
import { COMMANDS, SITUATIONS } from '../matrix/situations.js';
import {
  ACCEPTED,
  cancel,
  chargeAnswered,
  choose,
  create,
  MERCHANT_ID,
  PAYMENT_ID,
  refund,
  REFUND_1,
  refundAnswered,
  settle,
  UNKNOWN,
} from '../samples.js';

const BARE = {
  description: null,
  referenceId: null,
  paymentMethod: null,
  customerName: null,
  customerEmail: null,
  customerPhone: null,
  successUrl: null,
  cancelUrl: null,
  metadata: {},
  expiresInS: null,
} as const;

const paid = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];

t.test('a create without optional fields is written without them', (t) => {
  const command = create('TEST', BARE);
  t.equal(
    encodeCommand(command),
    `{"type":"create","paymentId":"${PAYMENT_ID}","merchantId":"${MERCHANT_ID}","environment":"TEST",` +
      `"request":{"amount":"150000","currency":"IDR"}}`,
  );
  t.strictSame(decodeCommand(encodeCommand(command)), command);
  const state = paymentAfter(tell(command));
  t.strictSame(decodeSnapshot(encodeSnapshot(state)), state);
  t.end();
});

t.test('an approval travels as its id, and is no command of a payment', (t) => {
  const approvalId = makeId('appr', Buffer.alloc(16, 1));
  const sent = { type: 'book_approval', paymentId: PAYMENT_ID, approvalId } as const;
  const text = encodeCommand(sent);
  t.strictSame(decodeSentCommand(text), sent);
  t.throws(() => decodeCommand(text), /"\/type" must be/);
  t.throws(() => decodeSentCommand(text.replace(approvalId, 'appr_1')), /"\/approvalId"/);
  t.strictSame(decodeSentCommand(encodeCommand(cancel())), cancel());
  t.end();
});

t.test('each command that is sent names the process that may send it', (t) => {
  t.strictSame(
    Object.keys(SOURCES).filter((type) => SOURCES[type as CommandType] === null),
    ['disown_settlement', 'record_refund'],
    'made by the payments process itself',
  );
  for (const command of [settle(), chargeAnswered(ACCEPTED), refundAnswered(UNKNOWN)]) {
    t.equal(SOURCES[command.type], 'rails', command.type);
  }
  t.end();
});

t.test('the stored format does not change by accident', (t) => {
  const text =
    '{"id":"pay_00041061050r3gg28a1c60t3g1","object":"payment","environment":"TEST","status":"pending","amount":"150000",' +
    '"currency":"IDR","description":"Two shirts","reference_id":"ord_1","payment_method":"QRIS",' +
    '"customer_name":"Siti","customer_email":"siti@example.com","customer_phone":"+62 812 3456 7890",' +
    '"success_url":"https://shop.example/done","cancel_url":"https://shop.example/cancel",' +
    '"order_id":"fb374945-7997-8628-8e77-ebf06c8256a6","refunded_amount":"0","refundable_amount":"0",' +
    '"failure_code":null,"late":false,"metadata":{"cart":"17"},' +
    '"created_at":"2026-08-02T10:15:31.123Z","expires_at":"2026-08-02T11:15:31.123Z",' +
    '"paid_at":null,"failed_at":null,"cancelled_at":null,"refunded_at":null,' +
    '"internal":{"format":2,"merchantId":"mer_00041061050r3gg28a1c60t3g2","version":1,' +
    '"expiresInS":3600,"attempts":[{"rail":"sandbox","method":"QRIS","status":"open"}]}}';
  t.equal(encodeSnapshot(decodeSnapshot(text)), text);
  t.end();
});

const BASE_URL = 'https://pay.example';
/** Only a payment that was charged back has it. */
const OF_SOME_PAYMENTS = 'charged_back_amount';

t.test('a snapshot is the answer without checkout_url, then what is internal', (t) => {
  for (const history of Object.values(SITUATIONS).filter(({ length }) => length > 0)) {
    const state = paymentAfter(history);
    const { internal, ...shown } = JSON.parse(encodeSnapshot(state)) as Record<string, unknown>;
    t.type(internal, 'object');
    t.strictSame(shown, viewPayment(state));
    t.strictSame(Object.keys(shown), Object.keys(viewPayment(state)), 'names and order');
  }
  t.end();
});

t.test('the answer is cut out of a snapshot with checkout_url in its documented place', (t) => {
  for (const history of Object.values(SITUATIONS).filter(({ length }) => length > 0)) {
    const state = paymentAfter(history);
    const answer = JSON.parse(cutAnswer(encodeSnapshot(state), BASE_URL)) as PaymentBody;
    t.equal(answer.checkout_url, `${BASE_URL}/checkout/${PAYMENT_ID}`);
    const names = Object.keys(Payment.properties).filter(
      (name) => name !== OF_SOME_PAYMENTS || name in viewPayment(state),
    );
    t.strictSame(Object.keys(answer), names, 'all fields in order');
    t.strictSame(
      { ...answer, checkout_url: undefined },
      { ...viewPayment(state), checkout_url: undefined },
    );
    t.equal(formatPayment(state, BASE_URL), cutAnswer(encodeSnapshot(state), BASE_URL));
  }
  t.throws(() => cutAnswer('{}', BASE_URL), /snapshot is malformed/);
  t.throws(() => cutAnswer('{"id":"pay_1","order_id":null}', BASE_URL), /snapshot is malformed/);
  const newer = encodeSnapshot(paymentAfter(tell(create('TEST')))).replace(
    '"format":2',
    '"format":3',
  );
  t.throws(() => cutAnswer(newer, BASE_URL), /not of format 2/);
  t.end();
});

/** Texts that look like the places at which the answer is cut. */
const TRICKS = [
  ',"internal":{"format":2',
  ',"order_id":null',
  '","object":"payment","environment":"LIVE",',
  '\\","order_id":"',
];

t.test('no text of a merchant looks like a place at which the answer is cut', (t) => {
  for (const trick of TRICKS) {
    const metadata = { internal: '{', order_id: trick, checkout_url: trick, [trick]: trick };
    const request = { description: trick, referenceId: trick, customerName: trick, metadata };
    const state = paymentAfter(tell(create('TEST', { ...request, successUrl: trick })));
    const text = encodeSnapshot(state);
    t.strictSame(decodeSnapshot(text), state);
    const { checkout_url: url, ...rest } = JSON.parse(cutAnswer(text, BASE_URL)) as PaymentBody;
    t.equal(url, `${BASE_URL}/checkout/${PAYMENT_ID}`);
    t.strictSame(rest, viewPayment(state));
    t.ok(isSnapshotOf(text, state));
    t.notOk(isSnapshotOf(text, { ...state, environment: 'LIVE' }));
  }
  t.end();
});

t.test('a snapshot belongs to its merchant and environment only', (t) => {
  const state = paymentAfter(tell(create('TEST')));
  const text = encodeSnapshot(state);
  const merchantId = makeId('mer', Buffer.alloc(16, 9));
  t.ok(isSnapshotOf(text, { merchantId: MERCHANT_ID, environment: 'TEST' }));
  t.notOk(isSnapshotOf(text, { merchantId: MERCHANT_ID, environment: 'LIVE' }));
  t.notOk(isSnapshotOf(text, { merchantId, environment: 'TEST' }));
  const { id, environment, ...others } = JSON.parse(text) as Record<string, unknown>;
  const moved = JSON.stringify({ environment, ...others, id });
  t.ok(isSnapshotOf(moved, state), 'a text with another order is decoded');
  t.notOk(isSnapshotOf(moved, { merchantId, environment: 'TEST' }));
  t.end();
});

t.test('commands and snapshots with all optional fields are read as they were', (t) => {
  const command = create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans', 'xendit']);
  t.strictSame(decodeCommand(encodeCommand(command)), command);
  const settlement = settle('tx-1', { settledAtMs: 1_785_665_730_123 });
  t.strictSame(decodeCommand(encodeCommand(settlement)), settlement);
  const wanted = refund(5n, { referenceId: 'r' });
  t.strictSame(decodeCommand(encodeCommand(wanted)), wanted);
  for (const [name, history] of Object.entries(SITUATIONS)) {
    if (history.length === 0) continue;
    const state = paymentAfter(history);
    t.strictSame(decodeSnapshot(encodeSnapshot(state)), state, name);
  }
  t.end();
});

t.test('a call to a rail without references is read as it was', (t) => {
  const accepted = { ...ACCEPTED, railReference: null, instructions: null };
  const open = [create('LIVE'), choose('QRIS'), chargeAnswered(accepted)];
  const events = tell(...open, cancel());
  const calls = [
    ...effectsOf(events).flatMap(({ railCalls }) => railCalls),
    ...effectsOf(tell(...open, settle(), refund())).flatMap(({ railCalls }) => railCalls),
  ];
  t.same([...new Set(calls.map(({ operation }) => operation))], ['charge', 'close', 'refund']);
  for (const call of calls) t.strictSame(decodeRailCall(encodeRailCall(call)), call);
  t.match(calls.at(-1), { operation: 'refund', refundId: REFUND_1, railReference: null });
  const texts = events.flatMap((one) => (one.type === 'payment_created' ? [] : encodeEvent(one)));
  t.match(texts[1], /^\{"orderId":"[0-9a-f-]{36}"\}$/);
  t.end();
});

t.test('each command and each answer of a rail is read as it was', (t) => {
  const asked = Object.entries(COMMANDS).map(([, ask]) => ask('open'));
  const commands = asked.map((step) => ('command' in step ? step.command : step));
  const qr = { kind: 'qr', payload: '000201' } as const;
  const bill = { kind: 'virtual_account', number: '1', billerCode: '70012' } as const;
  commands.push(
    chargeAnswered({ result: 'accepted', railReference: null, instructions: qr }),
    chargeAnswered({ result: 'accepted', railReference: 'r', instructions: bill }),
    refundAnswered({ result: 'pending', railReference: 'r' }),
    refundAnswered({ result: 'pending', railReference: null }),
  );
  for (const command of commands) {
    t.strictSame(decodeCommand(encodeCommand(command)), command, command.type);
  }
  const shown = [qr, bill].map((instructions) => {
    const accepted = chargeAnswered({ result: 'accepted', railReference: null, instructions });
    return paymentAfter(tell(create('LIVE'), choose('QRIS'), accepted));
  });
  for (const state of shown) t.strictSame(decodeSnapshot(encodeSnapshot(state)), state);
  const unsaid = refund(5n, { reason: null, referenceId: 'r' });
  t.strictSame(decodeCommand(encodeCommand(unsaid)), unsaid);
  const failed = [...paid, refund(), refundAnswered({ result: 'failed' })];
  const contradicted = [...failed, refundAnswered({ result: 'succeeded', railReference: null })];
  const left = [...paid, refund(), refundAnswered(UNKNOWN)];
  for (const steps of [contradicted, left, [...paid, unsaid]]) {
    const state = paymentAfter(tell(...steps));
    t.strictSame(decodeSnapshot(encodeSnapshot(state)), state);
  }
  t.end();
});
