// Malformed texts throw: such a command is quarantined, and a process that reads such a snapshot stops.
import t from 'tap';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decodeCommand, encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall, encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { effectsOf, paymentAfter, tell } from '#test/support/given-when-then.js';
import { SITUATIONS } from '../matrix/situations.js';
import {
  ACCEPTED,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  refund,
  refundAnswered,
  settle,
} from '../samples.js';

type Json = Record<string, unknown>;

/** Replaces the member at a path such as `request.amount`; undefined deletes it. */
function damage(text: string, path: string, value: unknown): string {
  const raw = JSON.parse(text) as Json;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Json>((object, key) => object[key] as Json, raw);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return JSON.stringify(raw);
}

t.test('a text that is not an object of the format throws', (t) => {
  for (const text of ['', '{', 'null', '5', '"x"', '[]', '[{}]', '{}']) {
    t.throws(() => decodeCommand(text), text);
    t.throws(() => decodeSnapshot(text), text);
    t.throws(() => decodeRailCall(text), text);
  }
  t.end();
});

const settled = closeAnswered({ result: 'settled', settlement: settle().settlement });
const COMMANDS: readonly (readonly [PaymentCommand, string, ...unknown[]])[] = [
  [create('TEST'), 'type', 'destroy', 'toString', undefined],
  [create('TEST'), 'paymentId', 'pay_1', 7, undefined],
  [create('TEST'), 'merchantId', 'mer_'],
  [create('TEST'), 'environment', 'LIFE'],
  [create('TEST'), 'request', [], undefined],
  [create('TEST'), 'rails', 'midtrans', ['a rail']],
  [create('TEST'), 'request.amount', '12.5', 12, '-12', '', '1'.repeat(19), undefined],
  [create('TEST'), 'request.payment_method', 'CASH'],
  [create('TEST'), 'request.currency', 'USD', undefined],
  [create('TEST'), 'request.expires_in', 1.5, -1],
  [create('TEST'), 'request.metadata', { a: 1 }, { 'a\nb': 1 }, 'a'],
  [create('TEST'), 'request.description', 1],
  [choose('QRIS'), 'method', 'VA', null],
  [settle(), 'settlement.orderId', 'order', 'fb374945-7997-4628-8e77-ebf06c8256a6'],
  [settle(), 'settlement.settledAtMs', 253_402_300_800_000, 9e15, '1', 0.5],
  [settled, 'answer.settlement.amountMinor', '5e3'],
  [settled, 'answer.result', 'perhaps'],
  [chargeAnswered(ACCEPTED), 'answer.result', 'perhaps', 'settled'],
  [chargeAnswered(ACCEPTED), 'answer.instructions', {}, { kind: 'qr' }],
  [refundAnswered({ result: 'pending', railReference: 'r' }), 'answer.railReference', 1],
  [refund(5n), 'amountMinor', '5e3', 5],
];

t.test('a command with a malformed member throws', (t) => {
  for (const [command, path, ...values] of COMMANDS) {
    for (const value of values) {
      const text = damage(encodeCommand(command), path, value);
      t.throws(() => decodeCommand(text), TypeError, text);
    }
  }
  t.end();
});

t.test('an error names the text and the path, and repeats no value', (t) => {
  const message = (text: string, decode: (text: string) => unknown): string => {
    try {
      return String(decode(text));
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  const command = damage(encodeCommand(create('TEST')), 'request.description', { name: 'Siti' });
  t.equal(
    message(command, decodeCommand),
    'command "create" is malformed: "/request/description" Expected union value',
  );
  const environment = damage(encodeCommand(create('TEST')), 'environment', 'LIFE');
  t.equal(
    message(environment, decodeCommand),
    'command "create" is malformed: "/environment" must be TEST or LIVE',
  );
  const snapshot = encodeSnapshot(paymentAfter(tell(create('LIVE', { paymentMethod: 'QRIS' }))));
  t.equal(
    message(damage(snapshot, 'internal.attempts.0.status', 'gone'), decodeSnapshot),
    'snapshot is malformed: "/internal/attempts/0/status" must be charging or open or refused or closed or failed ' +
      'or settled',
  );
  t.end();
});

t.test('a currency that no method offers is written, and is not read', (t) => {
  const text = encodeCommand(create('TEST', { currency: 'USD' as never }));
  t.match(text, /"currency":"USD"/);
  t.throws(() => decodeCommand(text), /"\/request\/currency" must be IDR/);
  t.end();
});

const SNAPSHOT: readonly (readonly [string, ...unknown[]])[] = [
  ['internal', undefined, null],
  ['internal.format', 1, '2', undefined],
  ['internal.version', -1, 1.5, undefined],
  ['internal.merchantId', 'mer_1'],
  ['internal.attempts', {}, [null]],
  ['internal.attempts.0.orderId', 'order'],
  ['internal.refunds', [[]]],
  ['internal.refunds.0.status', 'SUCCEEDED'],
  ['internal.railTransactions.0.amountMinor', '1.5'],
  ['internal.capture', {}, undefined],
  ['internal.capture.holdUntilMs', 9e15],
  ['status', 'gone', 'failed', 'pending', 'creating'],
  ['failure_code', 'expired', 'bored'],
  ['order_id', 'order', undefined],
  ['late', 1],
  [
    'created_at',
    1,
    undefined,
    '2026-08-02',
    '2026-13-02T10:15:31.123Z',
    '2026-08-02T24:15:31.123Z',
  ],
  ['paid_at', undefined, 1785665731123],
];

t.test('a snapshot with a malformed or missing member throws', (t) => {
  const text = encodeSnapshot(paymentAfter(SITUATIONS.refund_manual));
  t.doesNotThrow(() => decodeSnapshot(text));
  for (const [path, ...values] of SNAPSHOT) {
    for (const value of values) {
      const damaged = damage(text, path, value);
      t.throws(() => decodeSnapshot(damaged), TypeError, damaged);
    }
  }
  t.end();
});

t.test('a snapshot of a newer format is reported by its format', (t) => {
  const text = encodeSnapshot(paymentAfter(SITUATIONS.refund_manual));
  const newer = damage(damage(text, 'status', 'disputed'), 'internal.format', 3);
  t.throws(() => decodeSnapshot(newer), /"\/internal\/format" must be 2/);
  t.end();
});

t.test('a rail call with a malformed member throws, and none holds a text of the customer', (t) => {
  for (const history of Object.values(SITUATIONS)) {
    for (const call of effectsOf(history).flatMap(({ railCalls }) => railCalls)) {
      const text = encodeRailCall(call);
      t.notMatch(text, /Siti|siti|812|shirts|shop\.example/);
      t.throws(() => decodeRailCall(damage(text, 'operation', 'charge_twice')), TypeError);
      t.throws(() => decodeRailCall(damage(text, 'orderId', 'order')), TypeError);
    }
  }
  t.end();
});
