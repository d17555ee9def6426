// The use of a payment link is released only when the payment's actor replies that the payment does not exist.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import type { CommandAnswer, Dispatcher } from '#gateway/commands/dispatcher.js';
import { resolveStaleClaims } from '#gateway/selling/payment-links/stale-claims.js';

const CLAIM = {
  paymentId: makeId('pay', Buffer.alloc(16, 1)),
  merchantId: makeId('mer', Buffer.alloc(16, 2)),
  environment: 'TEST',
  claimedAt: '2026-11-21 20:00:00.123456+00',
} as const;

const ANSWERS: readonly (readonly [title: string, answer: CommandAnswer, isReleased: boolean])[] = [
  [
    'payment not found: the use is released',
    { kind: 'reply', outcome: 'payment_not_found', body: '' },
    true,
  ],
  [
    'payment cancelled by this command: its event releases the use',
    { kind: 'reply', outcome: 'done', body: '{}' },
    false,
  ],
  [
    'payment paid: the use stays',
    { kind: 'reply', outcome: 'state_conflict', body: 'paid' },
    false,
  ],
  [
    'rail has not answered: the use stays',
    { kind: 'reply', outcome: 'outcome_unknown', body: '' },
    false,
  ],
  ['no reply: the use stays', { kind: 'unanswered' }, false],
  [
    'command not accepted by the stream: the use stays',
    { kind: 'not_accepted', code: 'overloaded' },
    false,
  ],
];

for (const [title, answer, isReleased] of ANSWERS) {
  t.test(title, async (t) => {
    const released: unknown[] = [];
    const sent: { paymentId: string; text: string }[] = [];
    const dispatcher = {
      dispatch: (command: { paymentId: string; text: string }) => {
        sent.push(command);
        return Promise.resolve(answer);
      },
    } as unknown as Dispatcher;
    await resolveStaleClaims({
      dispatcher,
      claimStaleClaims: () => Promise.resolve([CLAIM]),
      releaseClaim: (claim) => {
        released.push(claim);
        return Promise.resolve(true);
      },
    });
    t.match(sent, [{ paymentId: CLAIM.paymentId, text: /cancel/ }]);
    t.same(released, isReleased ? [CLAIM] : []);
  });
}
