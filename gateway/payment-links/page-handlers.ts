// The page of a payment link, and what its form does. Public: whoever knows the address may use it.
//
// The form carries a token that was made with the page. Token and amount name the payment, so a form that is sent
// twice makes one. Before its command is sent, the use is claimed in Postgres; what became of
// it is told by the payment, never by this process, which may die at any line.
import { encodeBase32 } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import {
  claimUse,
  type LinkClosed,
  canTakePayments,
} from '#store/postgres/links-and-invoices/link-uses.js';
import {
  findLinkBySlug,
  type PaymentLink,
} from '#store/postgres/links-and-invoices/payment-links.js';
import { isStored, derivePaymentId, submitPayment } from '../payments/handlers.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, buildApiError } from '../routing/response.js';
import type { OpenRequest, Preferences } from '../routing/request.js';
import {
  queryLinksAndInvoices,
  type PayablePageDeps,
  isSwitchedOff,
  findMerchantName,
  buildPageFrame,
  answerError as refusePage,
} from '../checkout/payable-page.js';
import { buildPageReply, redirectTo, isPageRequested } from '../pages/respond.js';
import { readForm, type UseLinkBody, type LinkPaymentInput } from './page-form.js';
import { type FormState, type LinkView, renderClosed, renderLink } from './page.js';
import { LINK_TEXTS, type LinkFault } from './page-texts.js';

/** null: what stands in the path is no slug. */
export type LinkPageParams = { readonly slug: string | null };
type PageRequest<Body = undefined> = OpenRequest<LinkPageParams, Body>;
type Fault = 'payment_link_not_found' | 'dependency_unavailable';

const STYLE = 'entry.css';
/** A place on a bounded link is not kept as long as a bank's number would be good. */
const BOUNDED_EXPIRES_IN_S = 3_600;

/** The page with its form, or why the link cannot be used. */
export async function getLink(parts: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const view = await findView(parts, request.params.slug);
  if (typeof view === 'string') return answerLinkError(parts, request.preferences, view);
  const frame = buildPageFrame(parts, request.preferences, STYLE);
  const { link } = view;
  const takes = await queryLinksAndInvoices(parts, async (sql) => ({
    is: await canTakePayments(sql, link.merchantId, link.environment),
  }));
  if (takes === undefined)
    return answerLinkError(parts, request.preferences, 'dependency_unavailable');
  const closed = takes.is ? findClosed(parts, link) : 'not_live';
  if (closed !== null)
    return buildPageReply(200, renderClosed(frame, view, closed), frame.language);
  return buildPageReply(200, renderLink(frame, view, createEmptyForm()), frame.language);
}

/** 303 to the hosted page of the payment that the form made, now or before; else the form, or why not. */
export async function useLink(
  parts: PayablePageDeps,
  request: PageRequest<UseLinkBody & { readonly isForm: boolean }>,
): Promise<Answer> {
  const { body, preferences } = request;
  const view = await findView(parts, request.params.slug);
  if (typeof view === 'string') return answerLinkError(parts, preferences, view);
  const wish = readForm(view.link, body);
  if (typeof wish === 'string') return showFault(parts, request, view, wish);
  const outcome = await payLink(parts, view.link, wish, body.token);
  if (outcome.kind === 'payment') return redirectTo(`/checkout/${outcome.paymentId}`);
  if (outcome.kind === 'closed') return showClosed(parts, preferences, view, outcome.reason);
  if (!isPageRequested(preferences.accept)) return buildApiError(outcome.code);
  const status = ERRORS[outcome.code].status;
  return showForm(parts, { preferences, body }, view, { fault: 'unavailable', status });
}

type LinkPayOutcome =
  | { readonly kind: 'payment'; readonly paymentId: string }
  | { readonly kind: 'closed'; readonly reason: LinkClosed }
  | { readonly kind: 'failed'; readonly code: ErrorCode };

async function payLink(
  parts: PayablePageDeps,
  link: PaymentLink,
  wish: LinkPaymentInput,
  token: string,
): Promise<LinkPayOutcome> {
  // A merchant's own keys are printable: none of them can name this payment.
  const key = `\nplink:${link.id}:${token}:${formatAmount(wish.amountMinor)}`;
  const paymentId = derivePaymentId(parts, link, key);
  // The same form again leads to its payment, whatever operators let be taken now.
  const isClosed = isSwitchedOff(parts, link) && (await isStored(parts, paymentId)) !== true;
  if (isClosed) return { kind: 'closed', reason: 'not_live' };
  const claimed = await queryLinksAndInvoices(parts, async (sql) => ({
    claim: await claimUse(sql, link.id, paymentId),
  }));
  if (claimed === undefined) return { kind: 'failed', code: 'dependency_unavailable' };
  const { claim } = claimed;
  if (claim === 'made') return { kind: 'payment', paymentId };
  if (claim !== 'claimed') return { kind: 'closed', reason: claim };
  const request = buildRequest(parts, link, wish);
  const answer = await submitPayment(parts, { owner: link, request, idempotencyKey: key });
  // Sent before with another name: the payment of that form is there.
  const isThere = answer.code === null || answer.code === 'idempotency_conflict';
  return isThere ? { kind: 'payment', paymentId } : { kind: 'failed', code: answer.code };
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

/** As far as it can be told without a claim: a page that is open may still be refused by the next one. */
function findClosed(
  parts: PayablePageDeps,
  link: PaymentLink,
): Exclude<LinkClosed, 'missing'> | null {
  const { active, expiresAt, maxUses, uses } = link;
  if (isSwitchedOff(parts, link)) return 'not_live';
  if (!active) return 'inactive';
  if (expiresAt !== null && expiresAt.getTime() <= parts.nowMs()) return 'expired';
  return maxUses !== null && uses >= maxUses ? 'used_up' : null;
}

async function findView(parts: PayablePageDeps, slug: string | null): Promise<LinkView | Fault> {
  if (slug === null) return 'payment_link_not_found';
  const rows = await queryLinksAndInvoices(parts, (sql) => findLinkBySlug(sql, slug));
  if (rows === undefined) return 'dependency_unavailable';
  const [link] = rows;
  if (link === undefined) return 'payment_link_not_found';
  const merchantName = await findMerchantName(parts, link.merchantId);
  return merchantName === undefined ? 'dependency_unavailable' : { link, merchantName };
}

function createEmptyForm(): FormState {
  return { token: encodeBase32(generateIdBytes()), amount: '', name: '', email: '', fault: null };
}

function showFault(
  parts: PayablePageDeps,
  { preferences, body }: Pick<PageRequest<UseLinkBody>, 'preferences' | 'body'>,
  view: LinkView,
  fault: LinkFault,
): Answer {
  if (!isPageRequested(preferences.accept)) return buildApiError(CODES[fault]);
  return showForm(parts, { preferences, body }, view, { fault, status: 400 });
}

const CODES: Readonly<Record<LinkFault, ErrorCode>> = {
  amount: 'amount_invalid',
  bounds: 'amount_out_of_range',
  name: 'field_invalid',
  email: 'field_invalid',
  card: 'card_data_refused',
  unavailable: 'dependency_unavailable',
};

/** What was filled in stays, a card number apart. */
function showForm(
  parts: PayablePageDeps,
  { preferences, body }: Pick<PageRequest<UseLinkBody>, 'preferences' | 'body'>,
  view: LinkView,
  { fault, status }: { readonly fault: LinkFault; readonly status: number },
): Answer {
  const frame = buildPageFrame(parts, preferences, STYLE);
  const { token, amount = '', customer_name: name = '', customer_email: email = '' } = body;
  const texts = fault === 'card' ? { name: '', email: '' } : { name, email };
  return buildPageReply(
    status,
    renderLink(frame, view, { token, amount, ...texts, fault }),
    frame.language,
  );
}

function showClosed(
  parts: PayablePageDeps,
  wishes: Preferences,
  view: LinkView,
  reason: LinkClosed,
): Answer {
  if (reason === 'missing') return answerLinkError(parts, wishes, 'payment_link_not_found');
  if (!isPageRequested(wishes.accept)) {
    return reason === 'not_live'
      ? buildApiError('live_not_enabled')
      : buildApiError('state_conflict', { currentStatus: reason });
  }
  const frame = buildPageFrame(parts, wishes, STYLE);
  return buildPageReply(
    ERRORS.state_conflict.status,
    renderClosed(frame, view, reason),
    frame.language,
  );
}

function answerLinkError(parts: PayablePageDeps, wishes: Preferences, code: Fault): Answer {
  const { id, en } = LINK_TEXTS;
  return refusePage(parts, wishes, code, { id: id.notFound, en: en.notFound });
}
