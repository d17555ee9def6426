// The page of a payment link, and what its form does. Public: whoever knows the address may use it.
//
// The form carries a token that was made with the page. Token and amount name the payment, so a form that is sent
// twice makes one. Before its command is sent, the use is claimed in Postgres (migration 0015); what became of
// it is told by the payment, never by this process, which may die at any line.
import { encodeBase32 } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import { claimUse, type LinkClosed, takesPayments } from '#store/postgres/collecting/link-uses.js';
import { findLinkBySlug, type PaymentLink } from '#store/postgres/collecting/payment-links.js';
import { isStored, paymentIdOf, placeOrder } from '#gateway/api/payments.js';
import { randomIdBytes } from '#gateway/api/random-id-bytes.js';
import { ERRORS, type ErrorCode } from '#gateway/errors.js';
import { type Answer, refuse } from '#gateway/http/answer.js';
import type { OpenRequest, Wishes } from '#gateway/http/request.js';
import {
  askCollecting,
  type CollectingParts,
  isSwitchedOff,
  nameOf,
  pageFrameFor,
  refuseAsWished as refusePage,
} from '../collecting.js';
import { page, seeOther, wantsPage } from '../respond.js';
import { readForm, type UseLinkBody, type Wish } from './form.js';
import { type FormState, type LinkView, renderClosed, renderLink } from './page.js';
import { LINK_TEXTS, type LinkFault } from './texts.js';

/** null: what stands in the path is no slug. */
export type LinkPageParams = { readonly slug: string | null };
type PageRequest<Body = undefined> = OpenRequest<LinkPageParams, Body>;
type Fault = 'payment_link_not_found' | 'dependency_unavailable';

const STYLE = 'entry.css';
/** A place on a bounded link is not kept as long as a bank's number would be good. */
const BOUNDED_EXPIRES_IN_S = 3_600;

/** The page with its form, or why the link cannot be used. */
export async function getLink(parts: CollectingParts, request: PageRequest): Promise<Answer> {
  const view = await findView(parts, request.params.slug);
  if (typeof view === 'string') return refuseAsWished(parts, request.wishes, view);
  const frame = pageFrameFor(parts, request.wishes, STYLE);
  const { link } = view;
  const takes = await askCollecting(parts, async (sql) => ({
    is: await takesPayments(sql, link.merchantId, link.environment),
  }));
  if (takes === undefined) return refuseAsWished(parts, request.wishes, 'dependency_unavailable');
  const closed = takes.is ? findClosed(parts, link) : 'not_live';
  if (closed !== null) return page(200, renderClosed(frame, view, closed), frame.language);
  return page(200, renderLink(frame, view, emptyForm()), frame.language);
}

/** 303 to the hosted page of the payment that the form made, now or before; else the form, or why not. */
export async function useLink(
  parts: CollectingParts,
  request: PageRequest<UseLinkBody & { readonly isForm: boolean }>,
): Promise<Answer> {
  const { body, wishes } = request;
  const view = await findView(parts, request.params.slug);
  if (typeof view === 'string') return refuseAsWished(parts, wishes, view);
  const wish = readForm(view.link, body);
  if (typeof wish === 'string') return showFault(parts, request, view, wish);
  const outcome = await pay(parts, view.link, wish, body.token);
  if (outcome.kind === 'payment') return seeOther(`/checkout/${outcome.paymentId}`);
  if (outcome.kind === 'closed') return showClosed(parts, wishes, view, outcome.reason);
  if (!wantsPage(wishes.accept)) return refuse(outcome.code);
  const status = ERRORS[outcome.code].status;
  return showForm(parts, { wishes, body }, view, { fault: 'unavailable', status });
}

type Outcome =
  | { readonly kind: 'payment'; readonly paymentId: string }
  | { readonly kind: 'closed'; readonly reason: LinkClosed }
  | { readonly kind: 'failed'; readonly code: ErrorCode };

async function pay(
  parts: CollectingParts,
  link: PaymentLink,
  wish: Wish,
  token: string,
): Promise<Outcome> {
  // A merchant's own keys are printable: none of them can name this payment.
  const key = `\nplink:${link.id}:${token}:${formatAmount(wish.amountMinor)}`;
  const paymentId = paymentIdOf(parts, link, key);
  // The same form again leads to its payment, whatever operators let be taken now.
  const isClosed = isSwitchedOff(parts, link) && (await isStored(parts, paymentId)) !== true;
  if (isClosed) return { kind: 'closed', reason: 'not_live' };
  const claimed = await askCollecting(parts, async (sql) => ({
    claim: await claimUse(sql, link.id, paymentId),
  }));
  if (claimed === undefined) return { kind: 'failed', code: 'dependency_unavailable' };
  const { claim } = claimed;
  if (claim === 'made') return { kind: 'payment', paymentId };
  if (claim !== 'claimed') return { kind: 'closed', reason: claim };
  const request = requestOf(parts, link, wish);
  const answer = await placeOrder(parts, { owner: link, request, idempotencyKey: key });
  // Sent before with another name: the payment of that form is there.
  const isThere = answer.code === null || answer.code === 'idempotency_conflict';
  return isThere ? { kind: 'payment', paymentId } : { kind: 'failed', code: answer.code };
}

function requestOf(
  { baseUrl }: CollectingParts,
  link: PaymentLink,
  { amountMinor, customerName, customerEmail }: Wish,
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
  parts: CollectingParts,
  link: PaymentLink,
): Exclude<LinkClosed, 'missing'> | null {
  const { active, expiresAt, maxUses, uses } = link;
  if (isSwitchedOff(parts, link)) return 'not_live';
  if (!active) return 'inactive';
  if (expiresAt !== null && expiresAt.getTime() <= parts.nowMs()) return 'expired';
  return maxUses !== null && uses >= maxUses ? 'used_up' : null;
}

async function findView(parts: CollectingParts, slug: string | null): Promise<LinkView | Fault> {
  if (slug === null) return 'payment_link_not_found';
  const rows = await askCollecting(parts, (sql) => findLinkBySlug(sql, slug));
  if (rows === undefined) return 'dependency_unavailable';
  const [link] = rows;
  if (link === undefined) return 'payment_link_not_found';
  const merchantName = await nameOf(parts, link.merchantId);
  return merchantName === undefined ? 'dependency_unavailable' : { link, merchantName };
}

function emptyForm(): FormState {
  return { token: encodeBase32(randomIdBytes()), amount: '', name: '', email: '', fault: null };
}

function showFault(
  parts: CollectingParts,
  { wishes, body }: Pick<PageRequest<UseLinkBody>, 'wishes' | 'body'>,
  view: LinkView,
  fault: LinkFault,
): Answer {
  if (!wantsPage(wishes.accept)) return refuse(CODES[fault]);
  return showForm(parts, { wishes, body }, view, { fault, status: 400 });
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
  parts: CollectingParts,
  { wishes, body }: Pick<PageRequest<UseLinkBody>, 'wishes' | 'body'>,
  view: LinkView,
  { fault, status }: { readonly fault: LinkFault; readonly status: number },
): Answer {
  const frame = pageFrameFor(parts, wishes, STYLE);
  const { token, amount = '', customer_name: name = '', customer_email: email = '' } = body;
  const texts = fault === 'card' ? { name: '', email: '' } : { name, email };
  return page(status, renderLink(frame, view, { token, amount, ...texts, fault }), frame.language);
}

function showClosed(
  parts: CollectingParts,
  wishes: Wishes,
  view: LinkView,
  reason: LinkClosed,
): Answer {
  if (reason === 'missing') return refuseAsWished(parts, wishes, 'payment_link_not_found');
  if (!wantsPage(wishes.accept)) {
    return reason === 'not_live'
      ? refuse('live_not_enabled')
      : refuse('state_conflict', { currentStatus: reason });
  }
  const frame = pageFrameFor(parts, wishes, STYLE);
  return page(ERRORS.state_conflict.status, renderClosed(frame, view, reason), frame.language);
}

function refuseAsWished(parts: CollectingParts, wishes: Wishes, code: Fault): Answer {
  const { id, en } = LINK_TEXTS;
  return refusePage(parts, wishes, code, { id: id.notFound, en: en.notFound });
}
