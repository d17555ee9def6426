// Refunds without a result from the rail.
import t from 'tap';
import { decide } from '#actors/core/payment/state-machine.js';
import { decodeSnapshot, encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import {
  ACCEPTED,
  chargeAnswered,
  choose,
  create,
  endRefund,
  RAIL_CLEARING,
  refund,
  REFUND_2,
  refundAnswered,
  settle,
  UNKNOWN,
} from './samples.js';

const paid = [create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()];
const second = refund(60_000n, { refundId: REFUND_2 });

t.test('a refund without a result is ended by an administrator after 6 hours, not before', (t) => {
  const both = tell(...paid, refund(50_000n), second, refundAnswered(UNKNOWN));
  const hours = (count: number) => count * 3_600_000;
  for (const [type, event, status] of [
    ['complete_refund', 'refund_succeeded', 'succeeded'],
    ['fail_refund', 'refund_failed', 'failed'],
  ] as const) {
    given(both)
      .when({ afterMs: hours(5.9), command: endRefund(type) })
      .then('state_conflict');
    const late = given(both).when({ afterMs: hours(6.1), command: endRefund(type) });
    const { state, effects } = late.then('done', event, 'refund_submitted');
    if (type === 'complete_refund') {
      t.match(effects[0]?.postings, [{ credit: RAIL_CLEARING }], 'the rail was asked, so it paid');
    }
    const stored = decodeSnapshot(encodeSnapshot(paymentAfter([...both, ...late.events])));
    t.equal(stored.refunds[0]?.isPaidByHand, false);
    t.match(state?.refunds, [{ status, externalReference: 'bank-77' }, { status: 'asked' }]);
    given([...both, ...late.events])
      .when(endRefund(type))
      .then('unchanged');
  }
  const queued = endRefund('fail_refund', 'bank-77', REFUND_2);
  given(both)
    .when({ afterMs: hours(6.1), command: queued })
    .then('state_conflict');
  t.end();
});

t.test('the hours of a queued refund count from the time at which its rail got it', (t) => {
  const fiveHours = 5 * 3_600_000;
  const both = tell(...paid, refund(50_000n), second);
  const later = given(both).when({
    ...{ afterMs: fiveHours, command: refundAnswered({ result: 'failed' }) },
  });
  const asked = [...both, ...later.then('done', 'refund_failed', 'refund_submitted').events];
  const end = endRefund('fail_refund', 'bank-77', REFUND_2);
  given(asked)
    .when({ afterMs: 10 * 3_600_000, command: end })
    .then('state_conflict');
  given(asked)
    .when({ afterMs: 12 * 3_600_000, command: end })
    .then('done', 'refund_failed');
  const state = paymentAfter(both);
  const refunds = state.refunds.map((one) => ({ ...one, askedAtMs: null }));
  const decision = decide(
    { ...state, refunds },
    endRefund('fail_refund'),
    START_MS + 7 * 3_600_000,
  );
  t.equal(decision.outcome, 'done', 'without that time, from its creation');
  t.end();
});
