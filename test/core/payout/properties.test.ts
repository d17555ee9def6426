// Whatever comes in whatever order: no payout overdraws, no money is made or lost, none is sent twice.
import fc from 'fast-check';
import t from 'tap';
import { makeId, type PayoutId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import { derivePayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import * as s from './samples.js';

const PAYOUTS = 3;
const ids: readonly PayoutId[] = Array.from({ length: PAYOUTS }, (_, index) =>
  makeId('po', Buffer.alloc(16, index + 1)),
);

/** What happens in a merchant's environment: money comes, is refunded (also below zero), is paid out. */
type Move =
  | { readonly kind: 'paid'; readonly amount: bigint }
  | { readonly kind: 'refunded'; readonly amount: bigint }
  | { readonly kind: 'request'; readonly which: number; readonly amount: bigint }
  | { readonly kind: 'later'; readonly which: number; readonly command: LaterCommand };

const amount = fc.bigInt({ min: 1n, max: 100n });
const which = fc.nat({ max: PAYOUTS - 1 });
const later = fc.constantFrom<LaterCommand>(
  s.SEND,
  { type: 'send', rail: 'midtrans' },
  s.BY_HAND,
  ...[s.COMPLETED, s.PENDING, s.REVERSED, s.FAILED, s.UNKNOWN],
  s.UNRESOLVED,
  s.COMPLETE,
  ...[s.FAIL, s.REVERSE],
);
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constantFrom('paid' as const, 'refunded' as const), amount }),
  fc.record({ kind: fc.constant('request' as const), which, amount }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('later' as const), which, command: later }),
  },
);

class Books {
  readonly balances = new Map<string, bigint>();
  readonly payouts = new Map<number, PayoutState>();
  readonly events: PayoutEvent[] = [];

  of(account: string): bigint {
    const named = [...this.balances].filter(([name]) => name.startsWith(`${account}:`));
    return named.reduce((sum, [, balance]) => sum + balance, 0n);
  }

  transfer(debit: string, credit: string, units: bigint): void {
    this.balances.set(debit, (this.balances.get(debit) ?? 0n) - units);
    this.balances.set(credit, (this.balances.get(credit) ?? 0n) + units);
  }

  apply(one: Move): void {
    const available = `merchant_available:${s.MERCHANT_ID}:LIVE:IDR`;
    switch (one.kind) {
      case 'paid':
        return this.transfer('outside:x', available, one.amount);
      case 'refunded':
        return this.transfer(available, 'outside:x', one.amount);
      case 'request':
      case 'later':
        return this.decide(one);
    }
  }

  decide(one: Extract<Move, { which: number }>): void {
    const before = this.payouts.get(one.which);
    const availableMinor = this.of('merchant_available');
    const command =
      one.kind === 'later'
        ? one.command
        : s.request({
            payoutId: ids[one.which] ?? s.PAYOUT_ID,
            request: { ...s.REQUEST, amountMinor: makeMinor(one.amount) },
            fingerprint: String(one.amount),
            availableMinor,
          });
    let state = before;
    for (const event of decidePayout(before, command, s.START_MS).events) {
      state = evolvePayout(state, event);
      this.events.push(event);
      for (const { debit, credit, amountMinor } of derivePayoutEffects(state, event).postings) {
        this.transfer(debit, credit, amountMinor);
      }
    }
    if (state !== undefined) this.payouts.set(one.which, state);
    if (one.kind === 'request' && before === undefined && state !== undefined) {
      if (this.of('merchant_available') < 0n) throw new Error('a payout overdrew');
    }
  }
}

const sumOf = (states: readonly PayoutState[], ...statuses: readonly string[]): bigint =>
  states
    .filter(({ status }) => statuses.includes(status))
    .reduce((sum, { request }) => sum + request.amountMinor, 0n);

t.test('no payout overdraws, and no money is made or lost', (t) => {
  const seen = new Set<string>();
  const holds = fc.property(fc.array(move, { maxLength: 60, size: 'max' }), (moves) => {
    const books = new Books();
    for (const one of moves) books.apply(one);
    const states = [...books.payouts.values()];
    for (const { status } of states) seen.add(status);
    const open = sumOf(states, 'PENDING', 'PROCESSING', 'MANUAL_REQUIRED');
    if (books.of('payout_clearing') !== open) throw new Error('clearing is not what is under way');
    const gone = sumOf(states, 'COMPLETED');
    if (books.of('rail_clearing') !== gone) throw new Error('the rails do not have what was sent');
    const came = -books.of('outside');
    if (books.of('merchant_available') !== came - open - gone) throw new Error('money was lost');
  });
  fc.assert(holds, { numRuns: 2_000 });
  t.same([...seen].sort(), [
    ...['COMPLETED', 'FAILED', 'MANUAL_REQUIRED', 'PENDING', 'PROCESSING', 'REVERSED'],
  ]);
  t.end();
});

t.test('each is sent at most once, through the one rail that was stored', (t) => {
  const holds = fc.property(fc.array(move, { maxLength: 60, size: 'max' }), (moves) => {
    const books = new Books();
    for (const one of moves) books.apply(one);
    for (const id of ids) {
      const own = books.events.filter(({ payoutId }) => payoutId === id);
      const sent = own.filter(({ type }) => type === 'payout_sent');
      const manual = own.filter(({ type }) => type === 'payout_made_manual');
      if (sent.length + manual.length > 1) throw new Error(`${id} was sent twice`);
      own.forEach(({ version }, index) => {
        if (version !== index + 1) throw new Error(`${id} has a gap before version ${version}`);
      });
    }
  });
  fc.assert(holds, { numRuns: 1_000 });
  t.end();
});
