// Our record of a payout compared with its rail's. A difference that an inquiry can settle needs nobody;
// a contradiction needs a person, because the money may have moved twice, or not at all.
import { type AmountMinor, formatAmount } from '../money.js';
import type { PayoutState } from '../payout/state.js';
import { unreachable } from '../unreachable.js';
import type { Difference } from './rail-differences.js';

/** pending: the rail has accepted it. absent: the rail does not know it. */
export const RAIL_PAYOUT_STATES = ['pending', 'completed', 'failed', 'reversed', 'absent'] as const;
export type RailPayoutState = (typeof RAIL_PAYOUT_STATES)[number];

export interface RailPayout {
  readonly state: RailPayoutState;
  /** null: the rail named none; always when it does not know the payout. */
  readonly amountMinor: AmountMinor | null;
}

export interface PayoutDifference {
  readonly difference: Difference;
  readonly needsPerson: boolean;
}

/** null: both records agree, or a person has decided between them. */
export function comparePayout(payout: PayoutState, theirs: RailPayout): PayoutDifference | null {
  const { amountMinor, currency } = payout.request;
  if (theirs.amountMinor !== null && theirs.amountMinor !== amountMinor) {
    const [ours, named] = [amountMinor, theirs.amountMinor].map((it) => formatAmount(it));
    return differ('differing', `${ours} ${currency}`, `${named} ${currency}`, true);
  }
  const verdict = judgeStates(payout, theirs.state);
  if (verdict === 'agreed') return null;
  const isKnown = verdict === 'contradictory' && isReported(payout, theirs.state);
  if (isKnown && payout.contradictionClosedAtMs !== null) return null;
  const kind = theirs.state === 'absent' ? 'missing' : 'differing';
  const needsPerson = verdict === 'contradictory' && !isKnown;
  return differ(kind, payout.status, theirs.state, needsPerson);
}

/** The rail has said so before: that contradiction has a task of its own, and perhaps a decision. */
function isReported({ contradiction }: PayoutState, theirs: RailPayoutState): boolean {
  if (contradiction === null || theirs === 'absent') return false;
  return theirs === 'pending' || (contradiction === 'completed') === (theirs === 'completed');
}

function differ(
  kind: 'missing' | 'differing',
  ours: string,
  theirs: string,
  needsPerson: boolean,
): PayoutDifference {
  const difference: Difference = {
    ...{ kind, field: 'payout', ours, theirs },
    ...{ subject: '', booking: null },
  };
  return { difference, needsPerson };
}

type Verdict = 'agreed' | 'behind' | 'contradictory';

/** behind: one side has not heard of the end yet. */
function judgeStates(payout: PayoutState, theirs: RailPayoutState): Verdict {
  const { status } = payout;
  switch (status) {
    case 'PENDING':
    case 'MANUAL_REQUIRED':
      return theirs === 'completed' || theirs === 'pending' ? 'contradictory' : 'agreed';
    case 'PROCESSING':
      return theirs === 'pending' ? 'agreed' : 'behind';
    case 'COMPLETED':
      if (theirs === 'completed') return 'agreed';
      return theirs === 'failed' || theirs === 'absent' ? 'contradictory' : 'behind';
    case 'FAILED':
    case 'REVERSED':
      return judgeReturned(payout, theirs);
    default:
      return unreachable(status);
  }
}

/** Our record says that the money came back, or never left; written off, that it left all the same. */
function judgeReturned(payout: PayoutState, theirs: RailPayoutState): Verdict {
  if (payout.isWrittenOff) {
    return theirs === 'failed' || theirs === 'reversed' ? 'contradictory' : 'agreed';
  }
  if (theirs === 'pending') return payout.status === 'FAILED' ? 'contradictory' : 'agreed';
  // The rail does not know a return that an administrator reported, unless it has reported a failure.
  const isExpected = payout.reversalReference !== null && payout.contradiction !== 'failed';
  return theirs === 'completed' && !isExpected ? 'contradictory' : 'agreed';
}
