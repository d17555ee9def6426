// The hosted page and what belongs to it. Public: whoever knows the id of a payment may see and pay it, and
// sees what its merchant sent to be shown.
import type { PaymentId } from '#actors/core/ids.js';
import {
  findChargeableMethod,
  type ChargeableMethod,
  isPaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { sendCommand } from '../payments/handlers.js';
import { readState } from '../payments/read-state.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, type ApiError, buildApiError, reply, replyAs } from '../routing/response.js';
import type { OpenRequest, Preferences } from '../routing/request.js';
import type { Assets } from '../pages/assets.js';
import { redirectTo, isPageRequested } from '../pages/respond.js';
import { type Frame, createFrame } from './layout.js';
import { showCheckout, showChoice, showNotFound, showTooMany, showUnavailable } from './pages.js';
import { renderQrPng } from './qr.js';
import type { ChooseMethodBody } from './schema.js';
import { chooseLanguage } from './texts.js';
import { type Checkout, type CheckoutContext, viewCheckout, viewCheckoutStatus } from './view.js';

export interface CheckoutDeps extends Pick<
  ApiDeps,
  'dispatcher' | 'readSnapshot' | 'onError' | 'partitions' | 'baseUrl' | 'railAvailability'
> {
  readonly brand: string;
  readonly assets: Assets;
  /** The business name of a merchant; rejects when it cannot be read. */
  readonly nameMerchant: (merchantId: string) => Promise<string>;
  readonly nowMs: () => number;
}

/** null: what stands in the path is no id. Pages answer that themselves. */
type PageParams = { payment_id: PaymentId | null };
type IdParams = { payment_id: PaymentId };
type PageRequest<Body = undefined> = OpenRequest<PageParams, Body>;
type Found = { state: PaymentState; checkout: Checkout };
type Fault = 'payment_not_found' | 'dependency_unavailable';

/** The page of the payment as it stands. */
export async function getCheckout(parts: CheckoutDeps, request: PageRequest): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return answerError(parts, request, found);
  return showCheckout(buildFrame(parts, request), found.checkout);
}

/** The choice of a method, also when there is one already. */
export async function getChoice(parts: CheckoutDeps, request: PageRequest): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return answerError(parts, request, found);
  const { checkout } = found;
  if (checkout.offeredMethods.length === 0) return redirectTo(buildPath(checkout.id));
  return showChoice(buildFrame(parts, request), checkout, null);
}

/** A form is answered with a page, JSON with the status. */
export async function postChoice(
  parts: CheckoutDeps,
  request: PageRequest<ChooseMethodBody & { isForm: boolean }>,
): Promise<Answer> {
  const { isForm, payment_method: chosen } = request.body;
  const paymentId = request.params.payment_id;
  if (paymentId === null) return showChoiceError(parts, request, 'payment_not_found');
  const method = isPaymentMethodId(chosen) ? findChargeableMethod(chosen) : null;
  const answer =
    method === null
      ? buildApiError('payment_method_unavailable', { param: 'payment_method' })
      : await chooseMethod(parts, paymentId, method);
  if (answer.code !== null) {
    return isForm ? showChoiceError(parts, request, answer.code) : answer;
  }
  return isForm ? redirectTo(buildPath(paymentId)) : replyStatus(parts, paymentId);
}

/** At a rail that takes its time the customer is shown the wait, and then what became of it. */
async function chooseMethod(
  parts: CheckoutDeps,
  paymentId: PaymentId,
  method: ChargeableMethod,
): Promise<Answer> {
  const rails = await findRails(parts, paymentId, method);
  if (typeof rails === 'string') return buildApiError(rails);
  return sendCommand(parts, { type: 'choose_method', paymentId, method, rails }, (state) => {
    const chosen = state.methodChange?.method ?? state.attempts.at(-1)?.method;
    return chosen === method ? 'chosen' : undefined;
  });
}

async function findRails(
  parts: CheckoutDeps,
  paymentId: PaymentId,
  method: ChargeableMethod,
): Promise<readonly RailName[] | Fault> {
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return 'dependency_unavailable';
  if (state === undefined) return 'payment_not_found';
  if (state.environment === 'TEST') return [];
  const { merchantId, request } = state;
  try {
    return await parts.railAvailability.findRails({
      merchantId,
      method,
      amountMinor: request.amountMinor,
    });
  } catch (error) {
    parts.onError(error);
    return 'dependency_unavailable';
  }
}

/** What the page asks for again and again where it cannot be told. */
export async function getCheckoutStatus(
  parts: CheckoutDeps,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  return replyStatus(parts, request.params.payment_id);
}

/** The QR code to be saved; 404 when there is none to pay. */
export async function getQrPng(
  parts: CheckoutDeps,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  const state = await readState(parts, request.params.payment_id);
  if (state === 'unavailable') return buildApiError('dependency_unavailable');
  const checkout = state === undefined ? undefined : viewCheckout(state, buildContext(parts));
  const instructions = checkout?.instructions;
  if (instructions?.kind !== 'qr') return buildApiError('payment_not_found');
  return replyAs('image/png', 200, await renderQrPng(instructions.payload));
}

async function replyStatus(parts: CheckoutDeps, paymentId: PaymentId): Promise<Answer> {
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return buildApiError('dependency_unavailable');
  if (state === undefined) return buildApiError('payment_not_found');
  return reply(200, JSON.stringify(viewCheckoutStatus(state, parts.nowMs())));
}

const hasNoOffer = (): boolean => false;

/** A page that offers no choice. */
function buildContext({ nowMs }: CheckoutDeps): CheckoutContext {
  return { merchantName: '', nowMs: nowMs(), isOfferedLive: hasNoOffer };
}

async function loadContext(
  { railAvailability, nowMs, nameMerchant }: CheckoutDeps,
  { merchantId, environment }: PaymentState,
): Promise<CheckoutContext> {
  const merchantName = await nameMerchant(merchantId);
  const isOfferedLive =
    environment === 'LIVE' ? await railAvailability.findMethodFilter(merchantId) : hasNoOffer;
  return { merchantName, nowMs: nowMs(), isOfferedLive };
}

async function findCheckout(
  parts: CheckoutDeps,
  paymentId: PaymentId | null,
): Promise<Found | Fault> {
  if (paymentId === null) return 'payment_not_found';
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return 'dependency_unavailable';
  if (state === undefined) return 'payment_not_found';
  try {
    return { state, checkout: viewCheckout(state, await loadContext(parts, state)) };
  } catch (error) {
    parts.onError(error);
    return 'dependency_unavailable';
  }
}

export function buildFrame(
  parts: Pick<CheckoutDeps, 'brand' | 'assets'>,
  { preferences }: Pick<PageRequest, 'preferences'>,
): Frame {
  const language = chooseLanguage(preferences.acceptLanguage);
  return createFrame(language, parts.brand, (name) => parts.assets.findPath(name));
}

/** Browsers get a page, programs the error body. */
function answerError(
  parts: CheckoutDeps,
  request: Pick<PageRequest, 'preferences'>,
  code: ErrorCode,
): Answer {
  if (!isPageRequested(request.preferences.accept)) return buildApiError(code);
  const frame = buildFrame(parts, request);
  if (code === 'payment_not_found') return showNotFound(frame);
  return showUnavailable(frame, ERRORS[code].status);
}

/** What a request is told that its limit, or the admission of its row, does not let in. */
export function showApiError(
  parts: Pick<CheckoutDeps, 'brand' | 'assets'>,
  refusal: ApiError,
  wishes: Preferences,
): Answer {
  if (!isPageRequested(wishes.accept) || refusal.code !== 'rate_limited') return refusal;
  const { headers = [], retryAfterSeconds = 1 } = refusal.details;
  const retryAfter = ['Retry-After', String(retryAfterSeconds)] as const;
  return showTooMany(buildFrame(parts, { preferences: wishes }), [retryAfter, ...headers]);
}

/** What became of the form: the choice again with the reason, or the payment as it stands by now. */
async function showChoiceError(
  parts: CheckoutDeps,
  request: Pick<PageRequest, 'preferences' | 'params'>,
  code: ErrorCode,
): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return answerError(parts, request, found);
  const { checkout } = found;
  if (code === 'state_conflict' || code === 'outcome_unknown')
    return redirectTo(buildPath(checkout.id));
  const frame = buildFrame(parts, request);
  const isRefused = code === 'payment_method_unavailable' || code === 'payment_processing_failed';
  const isChoiceOpen = isRefused && checkout.offeredMethods.length > 0;
  if (isChoiceOpen) return showChoice(frame, checkout, frame.texts.methodUnavailable);
  return answerError(parts, request, code);
}

function buildPath(paymentId: PaymentId): string {
  return `/checkout/${paymentId}`;
}
