// Our record of a payout compared with its rail's, in every state of both.
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { PAYOUT_STATUSES } from '#actors/core/statuses.js';
import { comparePayout, RAIL_PAYOUT_STATES } from '#actors/core/tasks/reconciled-payouts.js';
import {
  BY_HAND,
  COMPLETED,
  FAILED,
  payoutAfter,
  request,
  REQUEST,
  REVERSE,
  REVERSED,
  SEND,
} from '../payout/samples.js';

const { amountMinor } = REQUEST;
const SENT = [request(), SEND];
const PAYOUTS: Readonly<Record<PayoutState['status'], PayoutState>> = {
  PENDING: payoutAfter(request()),
  PROCESSING: payoutAfter(...SENT),
  COMPLETED: payoutAfter(...SENT, COMPLETED),
  FAILED: payoutAfter(...SENT, FAILED),
  MANUAL_REQUIRED: payoutAfter(request(), BY_HAND),
  REVERSED: payoutAfter(...SENT, REVERSED),
};
/** By our status: pending, completed, failed, reversed, absent at the rail. */
const VERDICTS: Readonly<Record<PayoutState['status'], string>> = {
  PENDING: '! ! = = =',
  PROCESSING: '= ~ ~ ~ ~',
  COMPLETED: '~ = ! ~ !',
  FAILED: '! ! = = =',
  MANUAL_REQUIRED: '! ! = = =',
  REVERSED: '= ! = = =',
};

t.test('states agree (=), one side has not heard yet (~), or they contradict (!)', (t) => {
  for (const status of PAYOUT_STATUSES) {
    const verdicts = RAIL_PAYOUT_STATES.map((state) => {
      const named = state === 'absent' ? null : amountMinor;
      const found = comparePayout(PAYOUTS[status], { state, amountMinor: named });
      if (found === null) return '=';
      const kind = state === 'absent' ? 'missing' : 'differing';
      t.match(found.difference, { kind, field: 'payout', ours: status, theirs: state });
      return found.needsPerson ? '!' : '~';
    });
    t.equal(verdicts.join(' '), VERDICTS[status], status);
  }
  t.end();
});

t.test('another amount needs a person', (t) => {
  const theirs = { state: 'completed', amountMinor: makeMinor(1n) } as const;
  t.match(comparePayout(PAYOUTS.COMPLETED, theirs), {
    difference: { kind: 'differing', ours: '40000 IDR', theirs: '1 IDR', booking: null },
    needsPerson: true,
  });
  t.end();
});

t.test('a person is asked once about a contradiction', (t) => {
  const paid = { state: 'completed', amountMinor } as const;
  const contradicted = payoutAfter(...SENT, FAILED, COMPLETED);
  t.match(comparePayout(contradicted, paid), { needsPerson: false }, 'it has a task');
  const closed = { ...contradicted, contradictionClosedAtMs: 1 };
  t.equal(comparePayout(closed, paid), null, 'a person has decided');
  const completed = { ...PAYOUTS.COMPLETED, contradictionClosedAtMs: 1 };
  const absent = { state: 'absent', amountMinor: null } as const;
  t.match(comparePayout(completed, absent), { needsPerson: true }, 'that is another matter');
  const news = { state: 'failed', amountMinor } as const;
  t.match(comparePayout({ ...completed, contradiction: 'completed' }, news), { needsPerson: true });
  const known = { ...completed, contradiction: 'failed' } as const;
  t.equal(comparePayout(known, news), null, 'a person has decided about that word');
  const pending = { state: 'pending', amountMinor } as const;
  t.equal(comparePayout(closed, pending), null);
  const returned = payoutAfter(...SENT, COMPLETED, REVERSE);
  t.equal(comparePayout(returned, paid), null, 'an administrator reported the return');
  const failedBefore = { ...returned, contradiction: 'failed' } as const;
  t.match(comparePayout(failedBefore, paid), { needsPerson: true }, 'the rail had said it failed');
  t.end();
});

t.test('a payout that the platform bears agrees with money that left', (t) => {
  for (const payout of [PAYOUTS.FAILED, PAYOUTS.REVERSED]) {
    const borne = { ...payout, isWrittenOff: true };
    const verdicts = RAIL_PAYOUT_STATES.map(
      (state) => comparePayout(borne, { state, amountMinor: null })?.needsPerson ?? '=',
    );
    t.strictSame(verdicts, ['=', '=', true, true, '=']);
  }
  t.end();
});

t.test('a state that does not exist is a bug', (t) => {
  const other = { ...PAYOUTS.PENDING, status: 'LOST' } as unknown as PayoutState;
  t.throws(() => comparePayout(other, { state: 'completed', amountMinor }));
  t.end();
});
