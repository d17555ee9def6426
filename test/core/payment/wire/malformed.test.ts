// What cannot be read throws: a command is parked then, a process that meets such a snapshot stops.
import t from 'tap';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decodeCommand, encodeCommand } from '#actors/core/payment/wire/command.js';
import { decodeRailCall, encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { effectsOf, paymentAfter } from '#test/support/given-when-then.js';
import { SITUATIONS } from '../matrix/situations.js';
import { ACCEPTED, chargeAnswered, create, refund, settle } from '../samples.js';

type Json = Record<string, unknown>;

function damage(text: string, change: (raw: Json) => void): string {
  const raw = JSON.parse(text) as Json;
  change(raw);
  return JSON.stringify(raw);
}

t.test('texts that are no object', (t) => {
  for (const text of ['', '{', 'null', '5', '"x"', '[]', '[{}]', '{}']) {
    t.throws(() => decodeCommand(text), text);
    t.throws(() => decodeSnapshot(text), text);
    t.throws(() => decodeRailCall(text), text);
  }
  t.end();
});

t.test('commands', (t) => {
  const cases: readonly (readonly [PaymentCommand, (raw: Json) => void])[] = [
    [create('TEST'), (raw) => (raw.t = 'destroy')],
    [create('TEST'), (raw) => (raw.t = 'toString')],
    [create('TEST'), (raw) => (raw.i = 'pay_1')],
    [create('TEST'), (raw) => (raw.i = 7)],
    [create('TEST'), (raw) => (raw.m = 'mer_')],
    [create('TEST'), (raw) => (raw.v = 'LIFE')],
    [create('TEST'), (raw) => delete raw.q],
    [create('TEST'), (raw) => (raw.q = [])],
    [create('TEST'), (raw) => delete raw.f],
    [create('TEST'), (raw) => (raw.r = 'midtrans')],
    [create('TEST'), (raw) => (raw.r = ['a rail'])],
    [create('TEST'), (raw) => ((raw.q as Json).a = '12.5')],
    [create('TEST'), (raw) => ((raw.q as Json).a = 12)],
    [create('TEST'), (raw) => ((raw.q as Json).a = '-12')],
    [create('TEST'), (raw) => ((raw.q as Json).m = 'CASH')],
    [create('TEST'), (raw) => ((raw.q as Json).c = 'USD')],
    [create('TEST'), (raw) => ((raw.q as Json).x = 1.5)],
    [create('TEST'), (raw) => ((raw.q as Json).x = -1)],
    [create('TEST'), (raw) => ((raw.q as Json).t = { a: 1 })],
    [create('TEST'), (raw) => ((raw.q as Json).t = 'a')],
    [create('TEST'), (raw) => ((raw.q as Json).d = 1)],
    [settle(), (raw) => ((raw.s as Json).o = 'order')],
    [settle(), (raw) => ((raw.s as Json).s = 9e15)],
    [settle(), (raw) => ((raw.s as Json).s = '1')],
    [chargeAnswered(ACCEPTED), (raw) => ((raw.a as Json).k = 'perhaps')],
    [chargeAnswered(ACCEPTED), (raw) => ((raw.a as Json).i = {})],
    [refund(5n), (raw) => (raw.a = '5e3')],
  ];
  for (const [command, change] of cases) {
    const text = damage(encodeCommand(command), change);
    t.throws(() => decodeCommand(text), TypeError, text);
  }
  t.end();
});

t.test('a currency that nobody offers is written, and not read', (t) => {
  const text = encodeCommand(create('TEST', { currency: 'USD' as never }));
  t.match(text, /"c":"USD"/);
  t.throws(() => decodeCommand(text), /field c is malformed/);
  t.end();
});

t.test('snapshots', (t) => {
  const text = encodeSnapshot(paymentAfter(SITUATIONS.refund_manual));
  t.doesNotThrow(() => decodeSnapshot(text));
  const changes: readonly ((raw: Json) => void)[] = [
    (raw) => (raw.v = 2),
    (raw) => delete raw.v,
    (raw) => (raw.s = 'gone'),
    (raw) => delete raw.p,
    (raw) => delete raw.pa,
    (raw) => (raw.a = {}),
    (raw) => (raw.a = [null]),
    (raw) => (raw.u = [[]]),
    (raw) => (raw.s = 'failed'),
    (raw) => (raw.s = 'pending'),
    (raw) => (raw.w = 'expired'),
  ];
  for (const change of changes) {
    const damaged = damage(text, change);
    t.throws(() => decodeSnapshot(damaged), TypeError, damaged);
  }
  t.throws(() => decodeSnapshot(damage(text, (raw) => (raw.v = 2))), /format 2, not 1/);
  t.end();
});

t.test('the format of a snapshot is fixed for ever', (t) => {
  const text =
    '{"v":1,"i":"pay_00041061050r3gg28a1c60t3g1","n":1,"m":"mer_00041061050r3gg28a1c60t3g2",' +
    '"e":"TEST","s":"pending","q":{"a":"150000","d":"Two shirts","r":"ord_1","m":"QRIS","n":"Siti",' +
    '"e":"siti@example.com","p":"+62 812 3456 7890","s":"https://shop.example/done",' +
    '"k":"https://shop.example/cancel","t":{"cart":"17"},"x":3600},"f":"1:x","c":1785665731123,' +
    '"x":1785669331123,"a":[{"o":"fb374945-7997-8628-8e77-ebf06c8256a6","r":"sandbox","m":"QRIS","s":"open"}]}';
  t.equal(encodeSnapshot(decodeSnapshot(text)), text);
  t.end();
});

t.test('calls to rails', (t) => {
  for (const history of Object.values(SITUATIONS)) {
    for (const call of effectsOf(history).flatMap(({ railCalls }) => railCalls)) {
      const text = encodeRailCall(call);
      t.notMatch(text, /Siti|siti|812|shirts|shop\.example/, 'nothing that the customer wrote');
      t.throws(() => decodeRailCall(damage(text, (raw) => (raw.operation = 'charge_twice'))));
      t.throws(() => decodeRailCall(damage(text, (raw) => (raw.orderId = 'order'))));
    }
  }
  t.end();
});
