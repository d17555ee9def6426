// A model of one merchant's LIVE money: payments, refunds and payouts that share its balances, moved by the real state
// machines, one step at a time. It also counts the money that rails and banks hold, from events and not from postings, and
// compares the two after each step.
import { formatMerchantAccount } from '#actors/core/ledger/accounts.js';
import { type Posting } from '#actors/core/ledger/postings.js';
import type { PaymentId, PayoutId } from '#actors/core/ids.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decide, deriveEffects, evolve } from '#actors/core/payment/state-machine.js';
import type { PaymentEvent } from '#actors/core/payment/events.js';
import {
  sumOpenRefundsMinor,
  type PaymentState,
  findRefund,
  sumPaidByHandMinor,
  sumRefundedMinor,
} from '#actors/core/payment/state.js';
import type { LaterCommand, RequestPayout } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import { derivePayoutEffects } from '#actors/core/payout/effects.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { findPayoutDiscrepancies } from '#store/postgres/ledger/payout-discrepancies.js';
import { findPostingDiscrepancies } from '#store/postgres/ledger/posting-discrepancies.js';
import { MERCHANT_ID } from '#test/core/payment/samples.js';
import { START_MS } from '#test/support/given-when-then.js';

export type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'payment'; readonly command: PaymentCommand }
  | { readonly kind: 'request'; readonly command: Omit<RequestPayout, 'availableMinor'> }
  | { readonly kind: 'payout'; readonly payoutId: PayoutId; readonly command: LaterCommand }
  /** Repeats an earlier step: a doubled or late callback, or a repeated request. */
  | { readonly kind: 'again'; readonly back: number };

const AVAILABLE = formatMerchantAccount('merchant_available', MERCHANT_ID, 'LIVE', 'IDR');

export class LedgerWorld {
  readonly payments = new Map<PaymentId, PaymentState>();
  readonly payouts = new Map<PayoutId, PayoutState>();
  readonly happened = new Map<string, number>();
  readonly #balances = new Map<string, bigint>();
  readonly #postings = new Map<string, Posting[]>();
  readonly #taken: Exclude<Step, { kind: 'again' | 'wait' }>[] = [];
  readonly #held: Held = { rails: 0n, bank: 0n };
  #nowMs = START_MS;

  /** @throws when a rule is broken */
  take(step: Step): void {
    if (step.kind === 'wait') {
      this.#nowMs += step.ms;
      return;
    }
    const real = step.kind === 'again' ? this.#taken.at(-1 - step.back) : step;
    if (real === undefined) return;
    if (step.kind !== 'again') this.#taken.push(real);
    if (real.kind === 'payment') this.#movePayment(real.command);
    else this.#movePayout(real);
    this.#check();
  }

  #movePayment(command: PaymentCommand): void {
    const { events } = decide(this.payments.get(command.paymentId), command, this.#nowMs);
    for (const event of events) {
      const before = this.payments.get(command.paymentId);
      const after = evolve(before, event);
      this.payments.set(after.id, after);
      this.#hold(computeHeldByPayment(event, after));
      const available = this.#balance(AVAILABLE);
      this.#post(after.id, deriveEffects(after, event).postings);
      const isHeld = event.type === 'payment_paid' && event.holdUntilMs !== null;
      const isEarly = isHeld && this.#balance(AVAILABLE) !== available;
      claim(!isEarly, 'money is available before its hold has ended');
      const isLate = event.type !== 'hold_released' || this.#nowMs >= holdOf(before);
      claim(isLate, 'a hold was released before its time');
      this.#note(event.type);
    }
    const again = decide(this.payments.get(command.paymentId), command, this.#nowMs);
    claim(again.events.length === 0, `a second ${command.type} has an effect`);
  }

  #movePayout(step: Extract<Step, { kind: 'request' | 'payout' }>): void {
    const payoutId = step.kind === 'request' ? step.command.payoutId : step.payoutId;
    const availableMinor = this.#balance(AVAILABLE);
    const command = step.kind === 'request' ? { ...step.command, availableMinor } : step.command;
    const { events } = decidePayout(this.payouts.get(payoutId), command, this.#nowMs);
    for (const event of events) {
      const after = evolvePayout(this.payouts.get(payoutId), event);
      this.payouts.set(payoutId, after);
      this.#hold(computeHeldByPayout(event, after));
      this.#post(payoutId, derivePayoutEffects(after, event).postings);
      const isOverdrawn = event.type === 'payout_requested' && this.#balance(AVAILABLE) < 0n;
      claim(!isOverdrawn, 'a payout overdrew');
      this.#note(event.type);
    }
  }

  #post(cause: string, postings: readonly Posting[]): void {
    this.#postings.set(cause, [...(this.#postings.get(cause) ?? []), ...postings]);
    for (const { debit, credit, amountMinor } of postings) {
      claim(amountMinor > 0n && debit !== credit, 'a posting moves nothing');
      this.#balances.set(debit, this.#balance(debit) - amountMinor);
      this.#balances.set(credit, this.#balance(credit) + amountMinor);
    }
  }

  #hold(change: Partial<Held>): void {
    this.#held.rails += change.rails ?? 0n;
    this.#held.bank += change.bank ?? 0n;
  }

  #check(): void {
    const owed: Held = { rails: 0n, bank: 0n };
    for (const [account, amount] of this.#balances) {
      if (!account.startsWith('rail_clearing:')) continue;
      owed[account.startsWith('rail_clearing:manual:') ? 'bank' : 'rails'] -= amount;
    }
    const { rails, bank } = this.#held;
    claim(owed.rails === rails, `rails hold ${rails}, the ledger says ${owed.rails}`);
    claim(owed.bank === bank, `the bank holds ${bank}, the ledger says ${owed.bank}`);
    for (const state of this.payments.values()) {
      const claimed = sumRefundedMinor(state) + sumOpenRefundsMinor(state);
      claim(claimed <= state.request.amountMinor, 'more is refunded than was paid');
    }
  }

  /** Checks the postings as `kasir ledger verify` does. */
  verify(): void {
    for (const state of this.payments.values()) {
      const faults = findPostingDiscrepancies(state, this.#postings.get(state.id) ?? []);
      claim(faults.length === 0, `${state.id}: ${faults.join('; ')}`);
    }
    for (const state of this.payouts.values()) {
      const faults = findPayoutDiscrepancies(
        describePayout(state),
        this.#postings.get(state.id) ?? [],
      );
      claim(faults.length === 0, `${state.id}: ${faults.join('; ')}`);
    }
  }

  #balance(account: string): bigint {
    return this.#balances.get(account) ?? 0n;
  }

  #note(type: string): void {
    this.happened.set(type, (this.happened.get(type) ?? 0) + 1);
  }
}

function claim(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

const holdOf = (state: PaymentState | undefined): number => state?.capture?.holdUntilMs ?? 0;

/** The money of the platform at rails, and on its own bank account, from which people pay by hand. */
interface Held {
  rails: bigint;
  bank: bigint;
}

/** The change of the money that is held outside. */
function computeHeldByPayment(event: PaymentEvent, after: PaymentState): Partial<Held> {
  switch (event.type) {
    case 'payment_paid':
    case 'settlement_suspended':
      return { rails: event.settlement.amountMinor };
    case 'suspense_reversed':
      return { rails: 0n - event.amountMinor };
    case 'payment_reversed': {
      const refundedByRail = sumRefundedMinor(after) - sumPaidByHandMinor(after);
      return { rails: refundedByRail - after.request.amountMinor };
    }
    case 'refund_recorded':
    case 'refund_corrected':
    case 'refund_succeeded': {
      const refund = findRefund(after, event.refundId);
      const paid = 0n - (refund?.amountMinor ?? 0n);
      return refund?.isPaidByHand === true ? { bank: paid } : { rails: paid };
    }
    default:
      return {};
  }
}

function computeHeldByPayout(
  { type }: PayoutEvent,
  { rail, request: { amountMinor } }: PayoutState,
): Partial<Held> {
  const holder = rail === null ? 'bank' : 'rails';
  if (type === 'payout_completed' || type === 'payout_corrected') {
    return { [holder]: 0n - amountMinor };
  }
  return type === 'payout_reversed' ? { [holder]: amountMinor } : {};
}

function describePayout({
  merchantId,
  environment,
  status,
  rail,
  request,
  correctedAtMs,
}: PayoutState) {
  const { amountMinor, currency } = request;
  const of = {
    merchant: merchantId,
    environment,
    status,
    rail,
    isCorrected: correctedAtMs !== null,
  };
  return { ...of, amount: amountMinor.toString(), currency };
}
