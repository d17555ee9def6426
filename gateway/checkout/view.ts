// What the hosted page shows of a payment. A function of the stored state and the clock, so that the page, its
// status and the push of changes always say the same.
import type { Environment, PaymentId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import {
  type ChargeableMethod,
  isAmountWithinRange,
  isChoiceOpen,
  PAYMENT_METHOD_IDS,
  type PaymentMethodId,
} from '#actors/core/payment-methods.js';
import {
  type Attempt,
  isOpen,
  findLatestAttempt,
  type PaymentState,
} from '#actors/core/payment/state.js';
import { methodShown, statusShown } from '#actors/core/payment/view.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { buildSandboxInstructions } from '#actors/core/rails/sandbox.js';
import type { CheckoutStatusBody } from './schema.js';

/** wait: the rail is asked, or the page is closed and the rail has not said yet how the payment ended. */
export type CheckoutPhase =
  'choose' | 'pay' | 'wait' | 'paid' | 'failed' | 'expired' | 'cancelled' | 'refunded';

export interface Checkout {
  readonly id: PaymentId;
  readonly environment: Environment;
  readonly phase: CheckoutPhase;
  /** Set while `stage` is pay. */
  readonly instructions: Instructions | null;
  readonly method: ChargeableMethod | null;
  /** What the customer can choose; empty when the merchant did, or when it is over. */
  readonly offeredMethods: readonly ChargeableMethod[];
  /** The method that the customer chose last could not be had. */
  readonly isRefused: boolean;
  readonly amount: string;
  readonly description: string | null;
  readonly merchantName: string;
  readonly customer: readonly (string | null)[];
  readonly expiresAtMs: number;
  readonly nowMs: number;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  /** Changes whenever the page would look different. */
  readonly revision: string;
}

/** What a page is made from beside the payment. */
export interface CheckoutContext {
  readonly merchantName: string;
  readonly nowMs: number;
  /** Whether LIVE payments can be taken by the method now. */
  readonly isOfferedLive: (id: PaymentMethodId) => boolean;
}

export function viewCheckout(state: PaymentState, around: CheckoutContext): Checkout {
  const { request } = state;
  const { merchantName, nowMs } = around;
  const attempt = findCurrentAttempt(state);
  const instructions = attempt === undefined ? null : findInstructions(state, attempt);
  const stage = findPhase(state, { attempt, instructions, nowMs });
  return {
    id: state.id,
    environment: state.environment,
    phase: stage,
    instructions: stage === 'pay' ? instructions : null,
    method: attempt?.method ?? null,
    offeredMethods: stage === 'choose' || stage === 'pay' ? listOfferedMethods(state, around) : [],
    isRefused: stage === 'choose' && findLatestAttempt(state)?.status === 'refused',
    amount: formatAmount(request.amountMinor),
    description: request.description,
    merchantName,
    customer: [request.customerName, request.customerEmail, request.customerPhone],
    expiresAtMs: state.expiresAtMs,
    nowMs,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    revision: computeRevision(state, stage),
  };
}

/** Public: nothing of the customer, and nothing that the page does not show. */
export function viewCheckoutStatus(state: PaymentState, nowMs: number): CheckoutStatusBody {
  const attempt = findCurrentAttempt(state);
  const instructions = attempt === undefined ? null : findInstructions(state, attempt);
  const stage = findPhase(state, { attempt, instructions, nowMs });
  return {
    id: state.id,
    object: 'checkout_status',
    status: statusShown(state),
    payment_method: methodShown(state),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    revision: computeRevision(state, stage),
  };
}

function computeRevision(state: PaymentState, stage: CheckoutPhase): string {
  return `${state.version}-${stage}`;
}

/** The attempt that the customer can pay or waits for. */
function findCurrentAttempt(state: PaymentState): Attempt | undefined {
  const latest = findLatestAttempt(state);
  const isAlive = latest?.status === 'open' || latest?.status === 'charging';
  return isAlive ? latest : undefined;
}

/** TEST keeps none: what the sandbox shows follows from the order. */
function findInstructions(state: PaymentState, attempt: Attempt): Instructions | null {
  if (attempt.status !== 'open') return null;
  if (state.environment === 'LIVE') return attempt.instructions;
  const { orderId, method } = attempt;
  return buildSandboxInstructions({ orderId, method, amountMinor: state.request.amountMinor });
}

interface PhaseInput {
  readonly attempt: Attempt | undefined;
  readonly instructions: Instructions | null;
  readonly nowMs: number;
}

function findPhase(
  state: PaymentState,
  { attempt, instructions, nowMs }: PhaseInput,
): CheckoutPhase {
  if (!isOpen(state)) {
    const isExpired = state.status === 'failed' && state.failureCode === 'expired';
    return isExpired ? 'expired' : state.status;
  }
  // The page closes on the second; how the payment ends, the machine says a little later.
  if (nowMs >= state.expiresAtMs) return state.environment === 'TEST' ? 'expired' : 'wait';
  if (state.methodChange !== null || state.cancelRequest !== null) return 'wait';
  if (instructions !== null) return 'pay';
  const isAsked = attempt !== undefined && attempt.method !== null;
  return state.status === 'creating' || isAsked ? 'wait' : 'choose';
}

function listOfferedMethods(
  state: PaymentState,
  { isOfferedLive }: CheckoutContext,
): readonly ChargeableMethod[] {
  const { amountMinor, paymentMethod } = state.request;
  return PAYMENT_METHOD_IDS.filter(
    (id): id is ChargeableMethod =>
      id !== 'VA' &&
      isChoiceOpen(paymentMethod, id) &&
      isAmountWithinRange(amountMinor, id) &&
      (state.environment === 'TEST' || isOfferedLive(id)),
  );
}
