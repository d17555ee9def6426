// The page of a payment link and its form. It is public: a customer who knows the address may pay.
//
// Each page carries a fresh token. Token and amount give the payment id, so a form that is sent twice creates one
// payment. Before the create command is sent, a use of the link is claimed in Postgres. The payment's events settle the
// claim, because this process may die at any line.
import { encodeBase32 } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import { EMAIL_REQUIREMENT } from '#actors/core/schemas/fields.js';
import { claimUse, type LinkClosed } from '#store/postgres/links-and-invoices/link-uses.js';
import {
  findLinkBySlug,
  type PaymentLink,
} from '#store/postgres/links-and-invoices/payment-links.js';
import { isStored, derivePaymentId, submitPayment } from '#gateway/money/payments/handlers.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { OpenRequest, Preferences } from '#gateway/routing/request.js';
import {
  answerNotFound,
  buildPageLayout,
  describeStoreFailure,
  isBlocked,
  type PayablePageDeps,
} from '../checkout/payable-page.js';
import { buildPageReply, redirectTo, isPageRequested } from '#gateway/pages/respond.js';
import {
  NAME_REQUIREMENT,
  readForm,
  type UseLinkBody,
  type LinkPaymentInput,
} from './page-form.js';
import { type FormState, type LinkView, renderClosed, renderLink } from './page.js';
import { LINK_TEXTS, type LinkFault } from './page-texts.js';

/** `slug` is null when the path holds none. */
export type LinkPageParams = { readonly slug: string | null };
type PageRequest<Body = undefined> = OpenRequest<LinkPageParams, Body>;

const STYLE = 'entry.css';
/** A payment of a link with `max_uses` holds one of its uses, so it expires sooner than others. */
const BOUNDED_EXPIRES_IN_S = 3_600;

/** The page with its form, or the reason why the link takes no payment. */
export async function getLink(deps: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const view = await findView(deps, request.params.slug);
  if (view === undefined) return answerLinkNotFound(deps, request.preferences);
  const { link } = view;
  const closed = (await isBlocked(deps, link)) ? 'not_live' : findClosed(deps, link);
  const layout = buildPageLayout(deps, request.preferences, STYLE, view.storefront);
  const page =
    closed === null
      ? renderLink(layout, view, createEmptyForm())
      : renderClosed(layout, view, closed);
  return buildPageReply(200, page, layout.language);
}

/** 303 to the hosted page of the payment that this form created, now or before; otherwise the form with the error. */
export async function useLink(
  deps: PayablePageDeps,
  request: PageRequest<UseLinkBody & { readonly isForm: boolean }>,
): Promise<Answer> {
  const { body, preferences } = request;
  const view = await findView(deps, request.params.slug);
  if (view === undefined) return answerLinkNotFound(deps, preferences);
  const input = readForm(view.link, body);
  if (typeof input === 'string') return showFault(deps, request, view, input);
  const outcome = await payLink(deps, view.link, input, body.token).catch((error: unknown) =>
    describeStoreFailure(deps, error),
  );
  if (outcome.kind === 'payment') return redirectTo(`/checkout/${outcome.paymentId}`);
  if (outcome.kind === 'closed') return showClosed(deps, preferences, view, outcome.reason);
  if (!isPageRequested(preferences.accept)) return buildApiError(outcome.code);
  const status = ERRORS[outcome.code].status;
  return showForm(deps, { preferences, body }, view, { fault: 'unavailable', status });
}

type LinkPayOutcome =
  | { readonly kind: 'payment'; readonly paymentId: string }
  | { readonly kind: 'closed'; readonly reason: LinkClosed }
  | { readonly kind: 'failed'; readonly code: ErrorCode };

async function payLink(
  deps: PayablePageDeps,
  link: PaymentLink,
  input: LinkPaymentInput,
  token: string,
): Promise<LinkPayOutcome> {
  // The leading line feed keeps the keys of merchants, which are printable, from naming this payment.
  const key = `\nplink:${link.id}:${token}:${formatAmount(input.amountMinor)}`;
  const paymentId = derivePaymentId(deps, link, key);
  // A repeated form leads to its payment, also after the LIVE gate was closed.
  const isClosed = (await isBlocked(deps, link)) && !(await isStored(deps, paymentId));
  if (isClosed) return { kind: 'closed', reason: 'not_live' };
  const claim = await claimUse(deps.linksAndInvoices, link.id, paymentId);
  if (claim === 'made') return { kind: 'payment', paymentId };
  if (claim !== 'claimed') return { kind: 'closed', reason: claim };
  const request = buildRequest(deps, link, input);
  const answer = await submitPayment(deps, { tenant: link, request, idempotencyKey: key });
  // A conflict means that the same form was sent before with another name: its payment exists.
  const isCreated = answer.code === null || answer.code === 'idempotency_conflict';
  return isCreated ? { kind: 'payment', paymentId } : { kind: 'failed', code: answer.code };
}

function buildRequest(
  { baseUrl }: PayablePageDeps,
  link: PaymentLink,
  { amountMinor, customerName, customerEmail }: LinkPaymentInput,
): PaymentRequest {
  return {
    amountMinor,
    currency: link.currency,
    description: link.title,
    referenceId: null,
    paymentMethod: null,
    customerName,
    customerEmail,
    customerPhone: null,
    successUrl: link.successUrl,
    cancelUrl: `${baseUrl}/pay/${link.slug}`,
    metadata: { payment_link: link.id },
    expiresInS: link.maxUses === null ? null : BOUNDED_EXPIRES_IN_S,
  };
}

/** Without a claim this is only a snapshot: the form of an open page may still be rejected. */
function findClosed(
  deps: PayablePageDeps,
  link: PaymentLink,
): Exclude<LinkClosed, 'missing'> | null {
  const { active, expiresAt, maxUses, uses } = link;
  if (!active) return 'inactive';
  if (expiresAt !== null && expiresAt.getTime() <= deps.nowMs()) return 'expired';
  return maxUses !== null && uses >= maxUses ? 'used_up' : null;
}

async function findView(
  { linksAndInvoices, findStorefront }: PayablePageDeps,
  slug: string | null,
): Promise<LinkView | undefined> {
  const [link] = slug === null ? [] : await findLinkBySlug(linksAndInvoices, slug);
  return link === undefined
    ? undefined
    : { link, storefront: await findStorefront(link.merchantId) };
}

function createEmptyForm(): FormState {
  return { token: encodeBase32(generateIdBytes()), amount: '', name: '', email: '', fault: null };
}

function showFault(
  deps: PayablePageDeps,
  { preferences, body }: Pick<PageRequest<UseLinkBody>, 'preferences' | 'body'>,
  view: LinkView,
  fault: LinkFault,
): Answer {
  if (!isPageRequested(preferences.accept)) return buildFaultError(fault, view.link);
  return showForm(deps, { preferences, body }, view, { fault, status: 400 });
}

/** The fault for a program, which asks for JSON. */
function buildFaultError(fault: LinkFault, { minAmount, maxAmount }: PaymentLink): Answer {
  switch (fault) {
    case 'amount':
      return buildApiError('amount_invalid', { param: 'amount' });
    case 'bounds': {
      const message = `amount must be from ${minAmount ?? '1'} to ${maxAmount ?? 'any amount'}.`;
      return buildApiError('amount_out_of_range', { message, param: 'amount' });
    }
    case 'name':
      return buildParameterError('customer_name', NAME_REQUIREMENT);
    case 'email':
      return buildParameterError('customer_email', EMAIL_REQUIREMENT);
    case 'card':
      return buildApiError('card_data_refused');
    case 'unavailable':
      return buildApiError('dependency_unavailable');
  }
}

/** Keeps the values of the form, except a card number. */
function showForm(
  deps: PayablePageDeps,
  { preferences, body }: Pick<PageRequest<UseLinkBody>, 'preferences' | 'body'>,
  view: LinkView,
  { fault, status }: { readonly fault: LinkFault; readonly status: number },
): Answer {
  const layout = buildPageLayout(deps, preferences, STYLE, view.storefront);
  const { token, amount = '', customer_name: name = '', customer_email: email = '' } = body;
  const texts = fault === 'card' ? { name: '', email: '' } : { name, email };
  return buildPageReply(
    status,
    renderLink(layout, view, { token, amount, ...texts, fault }),
    layout.language,
  );
}

function showClosed(
  deps: PayablePageDeps,
  preferences: Preferences,
  view: LinkView,
  reason: LinkClosed,
): Answer {
  if (reason === 'missing') return answerLinkNotFound(deps, preferences);
  if (!isPageRequested(preferences.accept)) {
    return reason === 'not_live'
      ? buildApiError('live_not_enabled')
      : buildApiError('state_conflict', { currentStatus: reason });
  }
  const layout = buildPageLayout(deps, preferences, STYLE, view.storefront);
  const page = renderClosed(layout, view, reason);
  return buildPageReply(ERRORS.state_conflict.status, page, layout.language);
}

const answerLinkNotFound = (deps: PayablePageDeps, preferences: Preferences): Answer =>
  answerNotFound(deps, preferences, 'payment_link_not_found', LINK_TEXTS);
