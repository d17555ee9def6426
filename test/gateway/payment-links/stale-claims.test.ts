// A use of a payment link is given back only when the payment's own actor says that there is no such payment.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import type { CommandAnswer, Dispatcher } from '#gateway/commands/dispatcher.js';
import { resolveStaleClaims } from '#gateway/payment-links/stale-claims.js';

const CLAIM = {
  paymentId: makeId('pay', Buffer.alloc(16, 1)),
  merchantId: makeId('mer', Buffer.alloc(16, 2)),
  environment: 'TEST',
  claimedAt: '2026-11-21 20:00:00.123456+00',
} as const;

const ANSWERS: readonly (readonly [what: string, answer: CommandAnswer, isGivenBack: boolean])[] = [
  ['there is none', { kind: 'reply', outcome: 'payment_not_found', body: '' }, true],
  ['it was there and is cancelled', { kind: 'reply', outcome: 'done', body: '{}' }, false],
  ['it is paid', { kind: 'reply', outcome: 'state_conflict', body: 'paid' }, false],
  ['its rail has to be asked', { kind: 'reply', outcome: 'outcome_unknown', body: '' }, false],
  ['nobody answers', { kind: 'unanswered' }, false],
  ['the stream did not take it', { kind: 'not_accepted', code: 'overloaded' }, false],
];

for (const [what, answer, isGivenBack] of ANSWERS) {
  t.test(what, async (t) => {
    const given: unknown[] = [];
    const sent: { paymentId: string; text: string }[] = [];
    const dispatcher = {
      dispatch: (command: { paymentId: string; text: string }) => {
        sent.push(command);
        return Promise.resolve(answer);
      },
    } as unknown as Dispatcher;
    await resolveStaleClaims({
      dispatcher,
      partitions: 16,
      onError: (error) => {
        throw error;
      },
      claimStaleClaims: () => Promise.resolve([CLAIM]),
      releaseClaim: (claim) => {
        given.push(claim);
        return Promise.resolve(true);
      },
    });
    t.match(sent, [{ paymentId: CLAIM.paymentId, text: /cancel/ }]);
    t.same(given, isGivenBack ? [CLAIM] : []);
  });
}
