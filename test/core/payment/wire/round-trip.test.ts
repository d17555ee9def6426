// The shortest and the longest of what is written.
import t from 'tap';
import { decodeCommand, encodeCommand } from '#actors/core/payment/wire/command.js';
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

t.test('what is not there is not written', (t) => {
  const command = create('TEST', BARE);
  t.equal(
    encodeCommand(command),
    `{"t":"create","i":"${PAYMENT_ID}","m":"${MERCHANT_ID}","v":"TEST","f":"${command.fingerprint}",` +
      '"q":{"a":"150000"}}',
  );
  t.strictSame(decodeCommand(encodeCommand(command)), command);
  const state = paymentAfter(tell(command));
  t.strictSame(decodeSnapshot(encodeSnapshot(state)), state);
  t.end();
});

t.test('all that can be there is written', (t) => {
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

t.test('a rail without references of its own', (t) => {
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
  const texts = events.map(encodeEvent);
  t.match(texts[2], /^\{"orderId":"[0-9a-f-]{36}"\}$/);
  t.end();
});

t.test('every command and every answer of a rail', (t) => {
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
