// No money is created or lost: the balances of all postings of a story equal the amounts that
// follow from the payment's state.
import fc from 'fast-check';
import t from 'tap';
import type { Posting } from '#actors/core/ledger/postings.js';
import {
  sumOpenRefundsMinor,
  type PaymentState,
  sumPaidByHandMinor,
  sumRefundedMinor,
} from '#actors/core/payment/state.js';
import { story } from './commands.js';
import { live, type Turn } from './live.js';

type Balances = ReadonlyMap<string, bigint>;

function sumPostings(turns: readonly Turn[]): Balances {
  const balances = new Map<string, bigint>();
  const add = (account: string, amount: bigint) =>
    balances.set(account, (balances.get(account) ?? 0n) + amount);
  for (const { effects, after } of turns.flatMap((turn) => turn.moments)) {
    for (const posting of effects.postings) {
      checkPosting(posting, after);
      add(posting.debit, 0n - posting.amountMinor);
      add(posting.credit, posting.amountMinor);
    }
  }
  return balances;
}

function checkPosting(posting: Posting, { environment }: PaymentState): void {
  if (posting.amountMinor <= 0n) throw new Error('a posting of amount 0');
  if (posting.debit === posting.credit) throw new Error('a posting to itself');
  const end = `:${environment}:${posting.currency}`;
  for (const account of [posting.debit, posting.credit]) {
    if (!account.endsWith(end)) throw new Error(`${account} of another environment or currency`);
  }
}

/** The sum over all rails and currencies. */
function sum(balances: Balances, account: string): bigint {
  return [...balances]
    .filter(([key]) => key.startsWith(`${account}:`))
    .reduce((total, [, amount]) => total + amount, 0n);
}

interface Expected {
  readonly merchant_pending: bigint;
  readonly merchant_available: bigint;
  readonly refund_clearing: bigint;
  readonly suspense: bigint;
  readonly rail_clearing: bigint;
}

function computeExpected(turns: readonly Turn[], state: PaymentState): Expected {
  const isPaid = state.status === 'paid' || state.status === 'refunded';
  const captured = isPaid ? state.request.amountMinor : 0n;
  const open = isPaid ? sumOpenRefundsMinor(state) : 0n;
  const merchant = isPaid ? captured - sumRefundedMinor(state) - open : 0n;
  const suspended = state.railTransactions
    .filter(({ state }) => state === 'suspended')
    .reduce((total, { amountMinor }) => total + amountMinor, 0n);
  const suspense = suspended - refundedAfterReversal(turns) - paidTwice(turns);
  const isHeld = isPaid && state.capture.holdUntilMs !== null;
  return {
    merchant_pending: isHeld ? merchant : 0n,
    merchant_available: isHeld ? 0n : merchant,
    refund_clearing: open,
    suspense,
    rail_clearing: -(merchant + open + suspense),
  };
}

/** Refunds that succeeded after the payment was reversed. */
function refundedAfterReversal(turns: readonly Turn[]): bigint {
  return turns
    .flatMap((turn) => turn.moments)
    .filter(({ event, after }) => event.type === 'refund_succeeded' && after.status === 'failed')
    .reduce((total, { before, after }) => {
      return (
        total + sumRefundedMinor(after) - (before === undefined ? 0n : sumRefundedMinor(before))
      );
    }, 0n);
}

/** Refunds that were paid by hand before the rail took the whole payment back. */
function paidTwice(turns: readonly Turn[]): bigint {
  const reversal = turns
    .flatMap((turn) => turn.moments)
    .find(({ event }) => event.type === 'payment_reversed');
  return reversal === undefined ? 0n : sumPaidByHandMinor(reversal.after);
}

t.test('balances of any story equal the amounts of the payment’s state', (t) => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(story, (commands) => {
      const turns = live(commands);
      const state = turns.at(-1)?.after;
      if (state === undefined) return;
      seen.add(state.status);
      const balances = sumPostings(turns);
      const expected = computeExpected(turns, state);
      for (const [account, amount] of Object.entries(expected)) {
        if (sum(balances, account) !== amount) {
          throw new Error(`${account} is ${sum(balances, account)}, not ${amount}`);
        }
      }
      const byHand = sum(balances, 'rail_clearing:manual');
      if (byHand !== sumPaidByHandMinor(state)) throw new Error(`${byHand} was paid by hand`);
    }),
    { numRuns: 1500 },
  );
  t.same([...seen].sort(), ['cancelled', 'creating', 'failed', 'paid', 'pending', 'refunded']);
  t.end();
});
