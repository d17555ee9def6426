// Create. The payment's id is derived from the idempotency key, so a repeated create finds the
// payment itself.
//
// Two creates with one key are the same when the descriptions of their requests are equal: a text
// of the parsed fields, so that white space, the order of fields and leading zeros make no
// difference. A field at its default is left out, and the defaults are frozen here, apart from those
// in use, so that neither a new field nor a new default turns a repeat into a conflict. An erasure
// removes fields and leaves the fingerprint of the description, which names its format. A later
// format is added to FORMATS; a repeat is compared in the format of the stored fingerprint. URLs are
// stored in their normal form and compared in it; those of older payments were stored as they were sent.
import { hash } from 'node:crypto';
import { deriveOrderId, type Environment } from '../ids.js';
import { findChargeableMethod, findDefaultExpiresInS } from '../payment-methods.js';
import type { RailName } from '../rails/rail-names.js';
import { normalizeUrl } from '../urls.js';
import type { CreatePayment } from './commands.js';
import type { AttemptPlan, EventOf } from './events.js';
import { callCharge } from './rail-calls.js';
import { type Decision, type Effects, NO_EFFECTS, reject, REPLAYED, WAITING } from './slice.js';
import { type Attempt, isOfTenant, type PaymentRequest, type PaymentState } from './state.js';

export function decideCreate(
  state: PaymentState | undefined,
  command: CreatePayment,
  nowMs: number,
): Decision {
  if (state === undefined) return createNew(command, nowMs);
  if (!isOfTenant(state, command) || !isSameRequest(state, command.request)) {
    return reject('idempotency_conflict');
  }
  return state.status === 'creating' ? WAITING : REPLAYED;
}

function createNew(command: CreatePayment, nowMs: number): Decision {
  const { request, paymentId, environment } = command;
  const attempt = planFirstAttempt(command);
  if (attempt === undefined) return reject('payment_method_unavailable');
  const expiresInS = request.expiresInS ?? findDefaultExpiresInS(request.paymentMethod);
  return {
    events: [
      {
        type: 'payment_created',
        paymentId,
        version: 1,
        atMs: nowMs,
        merchantId: command.merchantId,
        environment,
        request: normalizeUrls(request),
        expiresAtMs: nowMs + expiresInS * 1000,
        attempt,
      },
    ],
    outcome: environment === 'LIVE' && attempt !== null ? 'waiting' : 'created',
  };
}

/**
 * Whether a create is rejected if its payment does not exist. A repeat of an accepted create is
 * never rejected, so a caller has to know that the payment does not exist before it rejects one.
 */
export function isRejectedAsFirst(command: CreatePayment): boolean {
  return command.environment === 'LIVE' && decideCreate(undefined, command, 0).events.length === 0;
}

/** Returns null when the customer of a LIVE payment chooses a method later, and undefined when no rail has the method. */
function planFirstAttempt(command: CreatePayment): AttemptPlan | null | undefined {
  const method = findChargeableMethod(command.request.paymentMethod);
  const orderId = deriveOrderId(command.paymentId, 1);
  if (command.environment === 'TEST') return { orderId, rail: 'sandbox', method, nextRails: [] };
  if (method === null) return null;
  const rail = findFirstLiveRail(command.rails);
  if (rail === undefined) return undefined;
  return { orderId, rail, method, nextRails: command.rails.slice(1) };
}

/** The state after the first event. */
export function createPayment(event: EventOf<'payment_created'>): PaymentState {
  const { attempt, environment } = event;
  return {
    id: event.paymentId,
    version: 1,
    merchantId: event.merchantId,
    environment,
    status: environment === 'LIVE' && attempt !== null ? 'creating' : 'pending',
    request: event.request,
    fingerprint: null,
    attempts: attempt === null ? [] : [createAttempt(attempt, 1, environment)],
    nextRails: attempt?.nextRails ?? [],
    railTransactions: [],
    refunds: [],
    cancelRequest: null,
    expiryRequestedAtMs: null,
    methodChange: null,
    capture: null,
    failureCode: null,
    isLate: false,
    createdAtMs: event.atMs,
    expiresAtMs: event.expiresAtMs,
    paidAtMs: null,
    failedAtMs: null,
    cancelledAtMs: null,
    refundedAtMs: null,
    erasedAtMs: null,
  };
}

export function deriveCreateEffects(
  state: PaymentState,
  event: EventOf<'payment_created'>,
): Effects {
  if (state.status === 'pending') return NO_EFFECTS;
  return { ...NO_EFFECTS, railCalls: callCharge(state, event.attempt) };
}

const LATEST = '1';
const DIGEST_CHARACTERS = 22;
const DEFAULT_CURRENCY_1 = 'IDR';
const DEFAULT_EXPIRES_IN_S_1 = 86_400;
const QRIS_EXPIRES_IN_S_1 = 900;

type Describe = (request: PaymentRequest) => string;
const FORMATS: ReadonlyMap<string, Describe> = new Map([[LATEST, describe1]]);

function describe1(request: PaymentRequest): string {
  const { currency, paymentMethod, expiresInS, metadata } = request;
  const defaultS = paymentMethod === 'QRIS' ? QRIS_EXPIRES_IN_S_1 : DEFAULT_EXPIRES_IN_S_1;
  const pairs = Object.entries(metadata);
  return JSON.stringify({
    amount: request.amountMinor.toString(),
    currency: currency === DEFAULT_CURRENCY_1 ? undefined : currency,
    description: request.description ?? undefined,
    reference_id: request.referenceId ?? undefined,
    payment_method: paymentMethod ?? undefined,
    customer_name: request.customerName ?? undefined,
    customer_email: request.customerEmail ?? undefined,
    customer_phone: request.customerPhone ?? undefined,
    success_url: request.successUrl ?? undefined,
    cancel_url: request.cancelUrl ?? undefined,
    metadata: pairs.length === 0 ? undefined : pairs.sort(compareKeys),
    expires_in: expiresInS === null || expiresInS === defaultS ? undefined : expiresInS,
  });
}

function compareKeys([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}

/** `<format>:<128 bits in base64url>`. */
export function fingerprintRequest(request: PaymentRequest): string {
  return digest(LATEST, describe1(request));
}

function digest(format: string, description: string): string {
  return `${format}:${hash('sha256', description, 'base64url').slice(0, DIGEST_CHARACTERS)}`;
}

/** Whether a create with `sent` repeats that of the payment. */
export function isSameRequest(
  { request, fingerprint }: Pick<PaymentState, 'request' | 'fingerprint'>,
  sent: PaymentRequest,
): boolean {
  const normal = normalizeUrls(sent);
  if (fingerprint === null) return describe1(normalizeUrls(request)) === describe1(normal);
  const format = fingerprint.slice(0, fingerprint.indexOf(':'));
  const describe = FORMATS.get(format);
  if (describe === undefined) return false;
  return [normal, sent].some((each) => fingerprint === digest(format, describe(each)));
}

function normalizeUrls(request: PaymentRequest): PaymentRequest {
  const { successUrl, cancelUrl } = request;
  if (successUrl === null && cancelUrl === null) return request;
  const normalize = (url: string | null): string | null =>
    url === null ? null : normalizeUrl(url);
  return { ...request, successUrl: normalize(successUrl), cancelUrl: normalize(cancelUrl) };
}

/** The sandbox moves no money, so a LIVE payment never goes there. */
export function findFirstLiveRail(rails: readonly RailName[]): RailName | undefined {
  return rails.includes('sandbox') ? undefined : rails[0];
}

/** The sandbox accepts every charge at once. */
export function createAttempt(
  plan: AttemptPlan,
  number: number,
  environment: Environment,
): Attempt {
  return {
    number,
    orderId: plan.orderId,
    rail: plan.rail,
    method: plan.method,
    status: environment === 'TEST' ? 'open' : 'charging',
    isUnconfirmed: false,
    railReference: null,
    instructions: null,
  };
}
