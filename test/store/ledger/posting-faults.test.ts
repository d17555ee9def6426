// The postings computed from a payment's state against those that its transitions wrote, after any sequence of events, in
// TEST and LIVE: with holds, reversals, suspended money and refunds that end late.
import fc from 'fast-check';
import t from 'tap';
import { PAYMENT_POSTING_REASONS } from '#actors/core/ledger/postings.js';
import {
  findPostingDiscrepancies,
  type StoredPosting,
} from '#store/postgres/ledger/posting-discrepancies.js';
import { story } from '#test/core/payment/properties/commands.js';
import { live, type Turn } from '#test/core/payment/properties/live.js';
import type { PaymentState } from '#actors/core/payment/state.js';

const RUNS = { numRuns: 1500 };

function booksAfter(turns: readonly Turn[]): {
  state: PaymentState | undefined;
  postings: StoredPosting[];
} {
  const moments = turns.flatMap((turn) => turn.moments);
  const postings = moments.flatMap((moment) => [...moment.effects.postings]);
  return { state: moments.at(-1)?.after, postings };
}

t.test('a payment after any sequence has exactly the expected postings', (t) => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(story, (commands) => {
      const { state, postings } = booksAfter(live(commands));
      if (state === undefined) return;
      for (const { reason } of postings) kinds.add(reason);
      const faults = findPostingDiscrepancies(state, postings);
      if (faults.length > 0) throw new Error(`${state.status}: ${faults.join('; ')}`);
    }),
    RUNS,
  );
  // A correction needs six commands in the right order, which few runs hold.
  const missing = PAYMENT_POSTING_REASONS.filter(
    (reason) => reason !== 'refund_corrected' && !kinds.has(reason),
  );
  t.strictSame(missing, [], 'the stories hold every kind of posting');
  t.end();
});

t.test('a missing or an additional posting is a discrepancy', (t) => {
  fc.assert(
    fc.property(story, fc.nat(), (commands, at) => {
      const { state, postings } = booksAfter(live(commands));
      if (state === undefined || postings.length === 0) return;
      const index = at % postings.length;
      const [posting] = postings.slice(index, index + 1);
      if (posting === undefined) return;
      const missing = postings.toSpliced(index, 1);
      const twice = [...postings, posting];
      const less = postings.with(index, { ...posting, amountMinor: posting.amountMinor + 1n });
      for (const wrong of [missing, twice, less]) {
        if (findPostingDiscrepancies(state, wrong).length === 0) {
          throw new Error(`${posting.reason} is not missed`);
        }
      }
    }),
    RUNS,
  );
  t.end();
});
