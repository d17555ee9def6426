// The hosted page of a payment, its status, its QR code, and the choice of a method. All of it is public: a customer who
// knows the payment id may see the fields that the merchant sent for display, and pay.
import type { PaymentId } from '#actors/core/ids.js';
import {
  findChargeableMethod,
  type ChargeableMethod,
  isPaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import type { SimulateBody } from '#actors/core/schemas/payment.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { admitCharge, sendCommand } from '#gateway/money/payments/handlers.js';
import { readState } from '#gateway/commands/read-state.js';
import { simulatePayment } from '#gateway/money/payments/sandbox.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { OpenRequest, Preferences } from '#gateway/routing/request.js';
import { mapStoreFailure } from '#gateway/routing/store-failures.js';
import { type Assets, serveFile } from '#gateway/pages/assets.js';
import { redirectTo, isPageRequested } from '#gateway/pages/respond.js';
import { type Layout, createLayout } from './layout.js';
import { showCheckout, showChoice, showNotFound, showTooMany, showUnavailable } from './pages.js';
import { findQrPicture } from './qr-picture.js';
import { drawReceipt, listCaption } from './receipt.js';
import type { ChooseMethodBody } from './schema.js';
import { chooseLanguage } from '#gateway/routing/visitor-language.js';
import { type Checkout, type CheckoutContext, viewCheckout, viewCheckoutStatus } from './view.js';

export interface CheckoutDeps extends Pick<
  ApiDeps,
  'dispatcher' | 'readSnapshot' | 'onError' | 'baseUrl' | 'railAvailability'
> {
  readonly brand: string;
  readonly assets: Assets;
  /** Rejects when it cannot be read. */
  readonly findStorefront: (merchantId: string) => Promise<Storefront>;
  readonly nowMs: () => number;
}

export type FrameDeps = Pick<CheckoutDeps, 'brand' | 'assets' | 'baseUrl'>;

/** `payment_id` is null when the path holds none. Pages answer that with a page of their own. */
type PageParams = { payment_id: PaymentId | null };
type IdParams = { payment_id: PaymentId };
type PageRequest<Body = undefined> = OpenRequest<PageParams, Body>;

export async function getCheckout(deps: CheckoutDeps, request: PageRequest): Promise<Answer> {
  const checkout = await findCheckout(deps, request.params.payment_id);
  if (checkout === undefined) return answerError(deps, request, 'payment_not_found');
  return showCheckout(buildLayout(deps, request), checkout);
}

/** The choice of a method, also when one is chosen already. */
export async function getChoice(deps: CheckoutDeps, request: PageRequest): Promise<Answer> {
  const checkout = await findCheckout(deps, request.params.payment_id);
  if (checkout === undefined) return answerError(deps, request, 'payment_not_found');
  if (checkout.offeredMethods.length === 0) return redirectTo(buildPath(checkout.id));
  return showChoice(buildLayout(deps, request), checkout, null);
}

/** A form returns a page, JSON returns the status. */
export async function postChoice(
  deps: CheckoutDeps,
  request: PageRequest<ChooseMethodBody & { isForm: boolean }>,
): Promise<Answer> {
  const { isForm, payment_method: chosen } = request.body;
  const paymentId = request.params.payment_id;
  if (paymentId === null) return showChoiceError(deps, request, 'payment_not_found');
  const method = isPaymentMethodId(chosen) ? findChargeableMethod(chosen) : null;
  const answer =
    method === null
      ? buildApiError('payment_method_unavailable', { param: 'payment_method' })
      : await chooseMethod(deps, paymentId, method);
  if (answer.code !== null) {
    return isForm ? showChoiceError(deps, request, answer.code) : answer;
  }
  return isForm ? redirectTo(buildPath(paymentId)) : replyStatus(deps, paymentId);
}

/** While a slow rail is still creating the order, the customer sees the page that waits for it. */
async function chooseMethod(
  deps: CheckoutDeps,
  paymentId: PaymentId,
  method: ChargeableMethod,
): Promise<Answer> {
  const payment = await readState(deps, paymentId);
  if (payment === undefined) return buildApiError('payment_not_found');
  const { amountMinor, paymentMethod: requested } = payment.request;
  const charge = { requested, method, amountMinor, expiresInS: null };
  const { refusal, rails } = await admitCharge(deps, payment, charge);
  const isChosen = (state: PaymentState): boolean => findChosenMethod(state) === method;
  // A repeated choice leads to its order, also after the LIVE gate was closed.
  if (refusal !== null && !isChosen(payment)) return refusal;
  return sendCommand(deps, { type: 'choose_method', paymentId, method, rails }, (state) =>
    isChosen(state) ? 'chosen' : undefined,
  );
}

/** The buttons of TEST payments. The page shows the new status; a payment that has ended already keeps its own. */
export async function postSimulation(
  deps: CheckoutDeps,
  request: PageRequest<SimulateBody & { isForm: boolean }>,
): Promise<Answer> {
  const paymentId = request.params.payment_id;
  const payment = paymentId === null ? undefined : await readState(deps, paymentId);
  if (payment?.environment !== 'TEST') return answerError(deps, request, 'payment_not_found');
  const { isForm, outcome } = request.body;
  const answer = await simulatePayment(deps, payment.id, outcome);
  if (!isForm) return answer.code === null ? replyStatus(deps, payment.id) : answer;
  const isShown =
    answer.code === null || answer.code === 'state_conflict' || answer.code === 'outcome_unknown';
  return isShown ? redirectTo(buildPath(payment.id)) : answerError(deps, request, answer.code);
}

function findChosenMethod({ methodChange, attempts }: PaymentState): ChargeableMethod | null {
  return methodChange?.method ?? attempts.at(-1)?.method ?? null;
}

/** The page polls it when it has no WebSocket. */
export async function getCheckoutStatus(
  deps: CheckoutDeps,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  return replyStatus(deps, request.params.payment_id);
}

/** The QR code as a file to save, with what is paid to whom; 404 when the payment has none to pay. */
export async function getQrPng(
  deps: CheckoutDeps,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  const checkout = await findPictured(deps, request.params.payment_id);
  if (checkout?.instructions?.kind !== 'qr') return buildApiError('payment_not_found');
  const picture = findQrPicture(checkout.instructions.payload, listCaption(checkout));
  return serveFile(picture, request.preferences);
}

/** The receipt as a file to save; 404 until the payment is paid. */
export async function getReceiptPng(
  deps: CheckoutDeps,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  const checkout = await findPictured(deps, request.params.payment_id);
  if (!checkout?.receipt) return buildApiError('payment_not_found');
  const { language } = buildLayout(deps, request);
  const answer = serveFile(drawReceipt(language, checkout), request.preferences);
  return answer.code === null
    ? { ...answer, headers: [...answer.headers, ['Vary', 'Accept-Language']] }
    : answer;
}

async function replyStatus(deps: CheckoutDeps, paymentId: PaymentId): Promise<Answer> {
  const state = await readState(deps, paymentId);
  if (state === undefined) return buildApiError('payment_not_found');
  return reply(200, JSON.stringify(viewCheckoutStatus(state, deps.nowMs())));
}

const hasNoOffer = (): boolean => false;

/** No picture shows the methods to choose from. */
async function findPictured(deps: CheckoutDeps, id: PaymentId): Promise<Checkout | undefined> {
  const state = await readState(deps, id);
  if (state === undefined) return undefined;
  const storefront = await deps.findStorefront(state.merchantId);
  return viewCheckout(state, { storefront, nowMs: deps.nowMs(), isOfferedLive: hasNoOffer });
}

async function findCheckout(
  deps: CheckoutDeps,
  paymentId: PaymentId | null,
): Promise<Checkout | undefined> {
  const state = paymentId === null ? undefined : await readState(deps, paymentId);
  return state === undefined ? undefined : viewCheckout(state, await loadContext(deps, state));
}

async function loadContext(
  { railAvailability, nowMs, findStorefront }: CheckoutDeps,
  { merchantId, environment }: PaymentState,
): Promise<CheckoutContext> {
  const storefront = await findStorefront(merchantId);
  const isOfferedLive =
    environment === 'LIVE' ? await railAvailability.findMethodFilter(merchantId) : hasNoOffer;
  return { storefront, nowMs: nowMs(), isOfferedLive };
}

export function buildLayout(
  deps: FrameDeps,
  { preferences }: Pick<PageRequest, 'preferences'>,
): Layout {
  const language = chooseLanguage(preferences.acceptLanguage);
  return createLayout(language, deps, (name) => deps.assets.findPath(name));
}

/** Browsers get a page, programs the error body. */
function answerError(
  deps: FrameDeps,
  request: Pick<PageRequest, 'preferences'>,
  code: ErrorCode,
): Answer {
  if (!isPageRequested(request.preferences.accept)) return buildApiError(code);
  const layout = buildLayout(deps, request);
  if (code === 'payment_not_found') return showNotFound(layout);
  return showUnavailable(layout, ERRORS[code].status);
}

/** A browser gets a page when a store query of the handler fails; for programs the transport builds the error body. */
export async function answerPage<Request extends Pick<PageRequest, 'preferences'>>(
  deps: FrameDeps & Pick<CheckoutDeps, 'onError'>,
  request: Request,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    const failure = mapStoreFailure(error);
    if (failure === undefined || !isPageRequested(request.preferences.accept)) throw error;
    deps.onError(error);
    return answerError(deps, request, failure.code);
  }
}

/** The answer to a request that its limit or its admission rejects. */
export function showApiError(deps: FrameDeps, error: ApiError, preferences: Preferences): Answer {
  if (!isPageRequested(preferences.accept) || error.code !== 'rate_limited') return error;
  const { headers = [], retryAfterSeconds = 1 } = error.details;
  const retryAfter = ['Retry-After', String(retryAfterSeconds)] as const;
  return showTooMany(buildLayout(deps, { preferences }), [retryAfter, ...headers]);
}

/** The choice again with the reason, or the page of the payment when its state has changed meanwhile. */
async function showChoiceError(
  deps: CheckoutDeps,
  request: Pick<PageRequest, 'preferences' | 'params'>,
  code: ErrorCode,
): Promise<Answer> {
  const checkout = await findCheckout(deps, request.params.payment_id);
  if (checkout === undefined) return answerError(deps, request, 'payment_not_found');
  if (code === 'state_conflict' || code === 'outcome_unknown') {
    return redirectTo(buildPath(checkout.id));
  }
  const layout = buildLayout(deps, request);
  const isRejected = code === 'payment_method_unavailable' || code === 'payment_processing_failed';
  if (isRejected && checkout.offeredMethods.length > 0) {
    return showChoice(layout, checkout, layout.texts.methodUnavailable);
  }
  return answerError(deps, request, code);
}

function buildPath(paymentId: PaymentId): string {
  return `/checkout/${paymentId}`;
}
