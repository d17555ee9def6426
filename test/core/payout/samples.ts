// Payouts for tests of their state machine.
import { type MerchantId, makeId, type PayoutId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { PayoutCommand, RequestPayout } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutRequest, PayoutState } from '#actors/core/payout/state.js';
import type { PayoutAnswer } from '#actors/core/rails/answers.js';

export const START_MS = Date.UTC(2026, 7, 2, 10, 15, 30, 123);
export const PAYOUT_ID: PayoutId = makeId('po', Buffer.alloc(16, 3));
export const MERCHANT_ID: MerchantId = makeId('mer', Buffer.alloc(16, 1));

export const REQUEST: PayoutRequest = {
  amountMinor: makeMinor(40_000n),
  currency: 'IDR',
  bankCode: 'BCA',
  accountNumber: '1234567890',
  accountHolder: 'Budi Santoso',
  referenceId: 'gaji-1',
  description: null,
};

export function request(changes: Partial<RequestPayout> = {}): RequestPayout {
  return {
    type: 'request',
    payoutId: PAYOUT_ID,
    merchantId: MERCHANT_ID,
    environment: 'LIVE',
    request: REQUEST,
    fingerprint: '1:a',
    availableMinor: 40_000n,
    ...changes,
  };
}

export const SEND = { type: 'send', rail: 'xendit' } as const;
export const BY_HAND = { type: 'make_manual' } as const;
export const UNSENT = { type: 'leave_unresolved', status: 'PENDING' } as const;
export const UNRESOLVED = { type: 'leave_unresolved', status: 'PROCESSING' } as const;
export const COMPLETE = { type: 'complete', externalReference: 'bank-7' } as const;
export const FAIL = { type: 'fail', externalReference: 'bank-8' } as const;
export const CANCEL = { type: 'cancel', externalReference: null } as const;
export const REVERSE = { type: 'reverse', externalReference: 'bank-9' } as const;
export const answer = (railAnswer: PayoutAnswer) =>
  ({ type: 'answer', answer: railAnswer }) as const;
export const COMPLETED = answer({ result: 'completed', railReference: 'disb-1' });
export const PENDING = answer({ result: 'pending', railReference: 'disb-1' });
export const REVERSED = answer({ result: 'reversed', railReference: 'disb-1' });
export const FAILED = answer({ result: 'failed', failureCode: 'rejected_by_bank' });
export const UNKNOWN = answer({ result: 'unknown' });

/** The events of these commands, sent one second apart. */
export function tell(...commands: readonly PayoutCommand[]): readonly PayoutEvent[] {
  const events: PayoutEvent[] = [];
  commands.forEach((command, index) => {
    const decision = decidePayout(fold(events), command, START_MS + index * 1000);
    events.push(...decision.events);
  });
  return events;
}

export function fold(events: readonly PayoutEvent[]): PayoutState | undefined {
  return events.reduce<PayoutState | undefined>(
    (state, event) => evolvePayout(state, event),
    undefined,
  );
}

export function payoutAfter(...commands: readonly PayoutCommand[]): PayoutState {
  const state = fold(tell(...commands));
  if (state === undefined) throw new Error('the commands make no payout');
  return state;
}
