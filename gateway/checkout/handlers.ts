// The hosted page and what belongs to it. Public: whoever knows the id of a payment may see and pay it, and
// sees what its merchant sent to be shown.
import type { PaymentId } from '#actors/core/ids.js';
import {
  chargeableMethod,
  type ChargeableMethod,
  isPaymentMethodId,
} from '#actors/core/payment-methods.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import type { RailName } from '#actors/core/rails/answers.js';
import type { ApiParts } from '../payments/deps.js';
import { sendCommand } from '../payments/handlers.js';
import { readState } from '../payments/read-state.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, type Refusal, refuse, reply, replyAs } from '../routing/response.js';
import type { OpenRequest, Wishes } from '../routing/request.js';
import type { Assets } from '../pages/assets.js';
import { seeOther, wantsPage } from '../pages/respond.js';
import { type Frame, frameOf } from './layout.js';
import { showCheckout, showChoice, showNotFound, showTooMany, showUnavailable } from './pages.js';
import { qrPng } from './qr.js';
import type { ChooseMethodBody } from './schema.js';
import { chooseLanguage } from './texts.js';
import { type Checkout, type Surroundings, viewCheckout, viewCheckoutStatus } from './view.js';

export interface CheckoutParts extends Pick<
  ApiParts,
  'dispatcher' | 'readSnapshot' | 'onError' | 'partitions' | 'baseUrl' | 'live'
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
export async function getCheckout(parts: CheckoutParts, request: PageRequest): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return refuseAsWished(parts, request, found);
  return showCheckout(frameFor(parts, request), found.checkout);
}

/** The choice of a method, also when there is one already. */
export async function getChoice(parts: CheckoutParts, request: PageRequest): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return refuseAsWished(parts, request, found);
  const { checkout } = found;
  if (checkout.offers.length === 0) return seeOther(pathOf(checkout.id));
  return showChoice(frameFor(parts, request), checkout, null);
}

/** A form is answered with a page, JSON with the status. */
export async function postChoice(
  parts: CheckoutParts,
  request: PageRequest<ChooseMethodBody & { isForm: boolean }>,
): Promise<Answer> {
  const { isForm, payment_method: chosen } = request.body;
  const paymentId = request.params.payment_id;
  if (paymentId === null) return refuseChoice(parts, request, 'payment_not_found');
  const method = isPaymentMethodId(chosen) ? chargeableMethod(chosen) : null;
  const answer =
    method === null
      ? refuse('payment_method_unavailable', { param: 'payment_method' })
      : await choose(parts, paymentId, method);
  if (answer.code !== null) {
    return isForm ? refuseChoice(parts, request, answer.code) : answer;
  }
  return isForm ? seeOther(pathOf(paymentId)) : replyStatus(parts, paymentId);
}

/** At a rail that takes its time the customer is shown the wait, and then what became of it. */
async function choose(
  parts: CheckoutParts,
  paymentId: PaymentId,
  method: ChargeableMethod,
): Promise<Answer> {
  const rails = await findRails(parts, paymentId, method);
  if (typeof rails === 'string') return refuse(rails);
  return sendCommand(parts, { type: 'choose_method', paymentId, method, rails }, (state) => {
    const chosen = state.methodChange?.method ?? state.attempts.at(-1)?.method;
    return chosen === method ? 'chosen' : undefined;
  });
}

async function findRails(
  parts: CheckoutParts,
  paymentId: PaymentId,
  method: ChargeableMethod,
): Promise<readonly RailName[] | Fault> {
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return 'dependency_unavailable';
  if (state === undefined) return 'payment_not_found';
  if (state.environment === 'TEST') return [];
  const { merchantId, request } = state;
  try {
    return await parts.live.railsFor({ merchantId, method, amountMinor: request.amountMinor });
  } catch (error) {
    parts.onError(error);
    return 'dependency_unavailable';
  }
}

/** What the page asks for again and again where it cannot be told. */
export async function getCheckoutStatus(
  parts: CheckoutParts,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  return replyStatus(parts, request.params.payment_id);
}

/** The QR code to be saved; 404 when there is none to pay. */
export async function getQrPng(
  parts: CheckoutParts,
  request: OpenRequest<IdParams>,
): Promise<Answer> {
  const state = await readState(parts, request.params.payment_id);
  if (state === 'unavailable') return refuse('dependency_unavailable');
  const checkout = state === undefined ? undefined : viewCheckout(state, around(parts));
  const instructions = checkout?.instructions;
  if (instructions?.kind !== 'qr') return refuse('payment_not_found');
  return replyAs('image/png', 200, await qrPng(instructions.payload));
}

async function replyStatus(parts: CheckoutParts, paymentId: PaymentId): Promise<Answer> {
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return refuse('dependency_unavailable');
  if (state === undefined) return refuse('payment_not_found');
  return reply(200, JSON.stringify(viewCheckoutStatus(state, parts.nowMs())));
}

const OFFERS_NOTHING = (): boolean => false;

/** A page that offers no choice. */
function around({ nowMs }: CheckoutParts): Surroundings {
  return { merchantName: '', nowMs: nowMs(), isOfferedLive: OFFERS_NOTHING };
}

async function surround(
  { live, nowMs, nameMerchant }: CheckoutParts,
  { merchantId, environment }: PaymentState,
): Promise<Surroundings> {
  const merchantName = await nameMerchant(merchantId);
  const isOfferedLive = environment === 'LIVE' ? await live.offersTo(merchantId) : OFFERS_NOTHING;
  return { merchantName, nowMs: nowMs(), isOfferedLive };
}

async function findCheckout(
  parts: CheckoutParts,
  paymentId: PaymentId | null,
): Promise<Found | Fault> {
  if (paymentId === null) return 'payment_not_found';
  const state = await readState(parts, paymentId);
  if (state === 'unavailable') return 'dependency_unavailable';
  if (state === undefined) return 'payment_not_found';
  try {
    return { state, checkout: viewCheckout(state, await surround(parts, state)) };
  } catch (error) {
    parts.onError(error);
    return 'dependency_unavailable';
  }
}

export function frameFor(
  parts: Pick<CheckoutParts, 'brand' | 'assets'>,
  { wishes }: Pick<PageRequest, 'wishes'>,
): Frame {
  const language = chooseLanguage(wishes.acceptLanguage);
  return frameOf(language, parts.brand, (name) => parts.assets.pathOf(name));
}

/** Browsers get a page, programs the error body. */
function refuseAsWished(
  parts: CheckoutParts,
  request: Pick<PageRequest, 'wishes'>,
  code: ErrorCode,
): Answer {
  if (!wantsPage(request.wishes.accept)) return refuse(code);
  const frame = frameFor(parts, request);
  if (code === 'payment_not_found') return showNotFound(frame);
  return showUnavailable(frame, ERRORS[code].status);
}

/** What a request is told that its limit, or the admission of its row, does not let in. */
export function showRefusal(
  parts: Pick<CheckoutParts, 'brand' | 'assets'>,
  refusal: Refusal,
  wishes: Wishes,
): Answer {
  if (!wantsPage(wishes.accept) || refusal.code !== 'rate_limited') return refusal;
  const { headers = [], retryAfterSeconds = 1 } = refusal.details;
  const retryAfter = ['Retry-After', String(retryAfterSeconds)] as const;
  return showTooMany(frameFor(parts, { wishes }), [retryAfter, ...headers]);
}

/** What became of the form: the choice again with the reason, or the payment as it stands by now. */
async function refuseChoice(
  parts: CheckoutParts,
  request: Pick<PageRequest, 'wishes' | 'params'>,
  code: ErrorCode,
): Promise<Answer> {
  const found = await findCheckout(parts, request.params.payment_id);
  if (typeof found === 'string') return refuseAsWished(parts, request, found);
  const { checkout } = found;
  if (code === 'state_conflict' || code === 'outcome_unknown') return seeOther(pathOf(checkout.id));
  const frame = frameFor(parts, request);
  const isRefused = code === 'payment_method_unavailable' || code === 'payment_processing_failed';
  const isChoiceOpen = isRefused && checkout.offers.length > 0;
  if (isChoiceOpen) return showChoice(frame, checkout, frame.texts.methodUnavailable);
  return refuseAsWished(parts, request, code);
}

function pathOf(paymentId: PaymentId): string {
  return `/checkout/${paymentId}`;
}
