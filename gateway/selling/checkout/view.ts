// The fields of a payment that the hosted page shows. They depend on the stored state and the clock only, so that the
// page, its status and its WebSocket always agree.
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
import { findShownMethod, findShownOrderId, findShownStatus } from '#actors/core/payment/view.js';
import type { Instructions } from '#actors/core/rails/answers.js';
import { buildSandboxInstructions } from '#actors/core/rails/sandbox.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import type { CheckoutStatusBody } from './schema.js';

/** wait: the rail is creating the order, or the time to pay is over and the rail has not reported the outcome. */
export type CheckoutPhase =
  'choose' | 'pay' | 'wait' | 'paid' | 'failed' | 'expired' | 'cancelled' | 'refunded';

/** Of a payment that is paid. */
export interface Receipt {
  readonly method: ChargeableMethod | null;
  readonly paidAtMs: number;
}

export interface Checkout {
  readonly id: PaymentId;
  readonly environment: Environment;
  readonly phase: CheckoutPhase;
  /** Set in the phase `pay`. */
  readonly instructions: Instructions | null;
  readonly method: ChargeableMethod | null;
  /** The methods to choose from; empty when the merchant chose one, or when the payment has ended. */
  readonly offeredMethods: readonly ChargeableMethod[];
  /** The rail rejected the method that the customer chose last. */
  readonly isRefused: boolean;
  /** Set in the phase `paid`. */
  readonly receipt: Receipt | null;
  readonly amount: string;
  readonly description: string | null;
  readonly storefront: Storefront;
  readonly customer: readonly (string | null)[];
  readonly expiresAtMs: number;
  readonly nowMs: number;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  /** Changes whenever the content of the page changes. */
  readonly revision: string;
}

/** Input of a page besides the payment. */
export interface CheckoutContext {
  readonly storefront: Storefront;
  readonly nowMs: number;
  /** Whether LIVE payments can be taken by the method now. */
  readonly isOfferedLive: (id: PaymentMethodId) => boolean;
}

export function viewCheckout(state: PaymentState, context: CheckoutContext): Checkout {
  const { request } = state;
  const { storefront, nowMs } = context;
  const attempt = findCurrentAttempt(state);
  const instructions = attempt === undefined ? null : findInstructions(state, attempt);
  const phase = findPhase(state, { attempt, instructions, nowMs });
  return {
    id: state.id,
    environment: state.environment,
    phase,
    instructions: phase === 'pay' ? instructions : null,
    method: attempt?.method ?? null,
    offeredMethods: phase === 'choose' || phase === 'pay' ? listOfferedMethods(state, context) : [],
    isRefused: phase === 'choose' && findLatestAttempt(state)?.status === 'refused',
    receipt: phase === 'paid' ? findReceipt(state) : null,
    amount: formatAmount(request.amountMinor),
    description: request.description,
    storefront,
    customer: [request.customerName, request.customerEmail, request.customerPhone],
    expiresAtMs: state.expiresAtMs,
    nowMs,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl,
    revision: computeRevision(state, phase),
  };
}

function findReceipt(state: PaymentState): Receipt | null {
  const orderId = findShownOrderId(state);
  const method = state.attempts.find((attempt) => attempt.orderId === orderId)?.method ?? null;
  return state.paidAtMs === null ? null : { method, paidAtMs: state.paidAtMs };
}

/** Public, so it holds no customer data and no field that the page does not show. */
export function viewCheckoutStatus(state: PaymentState, nowMs: number): CheckoutStatusBody {
  const attempt = findCurrentAttempt(state);
  const instructions = attempt === undefined ? null : findInstructions(state, attempt);
  const phase = findPhase(state, { attempt, instructions, nowMs });
  return {
    id: state.id,
    object: 'checkout_status',
    status: findShownStatus(state),
    payment_method: findShownMethod(state),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    revision: computeRevision(state, phase),
  };
}

function computeRevision(state: PaymentState, phase: CheckoutPhase): string {
  return `${state.version}-${phase}`;
}

/** The attempt that the customer can pay or is waiting for. */
function findCurrentAttempt(state: PaymentState): Attempt | undefined {
  const latest = findLatestAttempt(state);
  const isAlive = latest?.status === 'open' || latest?.status === 'charging';
  return isAlive ? latest : undefined;
}

/** TEST stores none: the sandbox derives its instructions from the order id. */
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
  // The page closes exactly at the deadline; the payment itself expires a little later.
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
