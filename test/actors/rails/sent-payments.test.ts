// Due payments whose command was sent, as the leading process remembers them.
import t from 'tap';
import { SentPayments } from '#actors/rails/schedulers/sent-payments.js';
import type { PaymentId } from '#actors/core/ids.js';

const payment = { id: 'pay_1' as PaymentId, version: 1 };
const MAX_WAIT_MS = 3_600_000;

function openScene() {
  const clock = { nowMs: 0 };
  return { clock, sent: new SentPayments(() => clock.nowMs) };
}

t.test('a command without effect is sent again after doubled waits up to an hour', (t) => {
  const { clock, sent } = openScene();
  t.equal(sent.findWaitMs(payment), 0);
  const waits = Array.from({ length: 13 }, () => {
    const waitMs = sent.note(payment, false);
    t.equal(sent.findWaitMs(payment), waitMs);
    clock.nowMs += waitMs;
    t.equal(sent.findWaitMs(payment), 0);
    return waitMs;
  });
  t.strictSame(waits.slice(0, 4), [3_000, 6_000, 12_000, 24_000]);
  t.strictSame(waits.slice(-2), [MAX_WAIT_MS, MAX_WAIT_MS]);
  t.end();
});

t.test('a payment that has changed does not wait', (t) => {
  const { sent } = openScene();
  sent.note(payment, true);
  t.equal(sent.findWaitMs({ ...payment, version: 2 }), 0);
  t.equal(sent.note({ ...payment, version: 2 }, true), 3_000);
  t.end();
});

t.test('a payment is under way until its frame is not', (t) => {
  const { sent } = openScene();
  sent.note(payment, true);
  sent.note({ id: 'pay_2' as PaymentId, version: 1 }, false);
  t.strictSame(
    sent.listUnderWay(() => true),
    ['pay_1'],
  );
  t.strictSame(
    sent.listUnderWay(() => false),
    [],
  );
  t.strictSame(
    sent.listUnderWay(() => true),
    [],
  );
  t.end();
});

t.test('payments are forgotten some time after their wait, and beyond a bound', (t) => {
  const { clock, sent } = openScene();
  sent.note(payment, false);
  clock.nowMs = 13_001;
  sent.note({ id: 'pay_2' as PaymentId, version: 1 }, false);
  t.equal(sent.note(payment, false), 3_000, 'as if it was never sent');
  for (let index = 0; index < 20_000; index += 1) {
    sent.note({ id: `pay_x${index}` as PaymentId, version: 1 }, false);
  }
  t.equal(sent.findWaitMs({ id: 'pay_2' as PaymentId, version: 1 }), 0);
  t.equal(sent.findWaitMs({ id: 'pay_x0' as PaymentId, version: 1 }), 3_000);
  t.end();
});
