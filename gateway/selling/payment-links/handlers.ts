// Payment links of a merchant. The price of a link never changes, so that customers pay the price that they were shown.
import { makeId, type PaymentLinkId } from '#actors/core/ids.js';
import { type AmountMinor, isCurrency, parseAmount } from '#actors/core/money.js';
import {
  describeAmountRange,
  isAmountWithinRange,
  PAYMENT_METHODS,
} from '#actors/core/payment-methods.js';
import { isMerchantBlocked } from '#actors/core/rails/live-gate.js';
import { findPageUrlError } from '#actors/core/requests/validation.js';
import { isTestOnlyUrl, normalizeUrl } from '#actors/core/urls.js';
import { canTakePayments } from '#store/postgres/links-and-invoices/link-uses.js';
import {
  changeLink as storeChange,
  createLink,
  findLink,
  type LinkChange,
  type LinkTerms,
  type PaymentLink,
} from '#store/postgres/links-and-invoices/payment-links.js';
import { buildParameterError } from '#gateway/lists/page.js';
import type { FileDeps } from '#gateway/lists/csv-download.js';
import { parseTime } from '#gateway/lists/filters.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { viewLink } from './list.js';
import type { ChangeLinkRequest, CreateLinkRequest } from './schema.js';

export interface LinkDeps extends AccountDeps, Pick<FileDeps, 'lists' | 'downloads'> {
  readonly baseUrl: string;
}

export type LinkParams = { readonly payment_link_id: PaymentLinkId };

const MISSING = buildApiError('payment_link_not_found');
const DEFAULT_CURRENCY = 'IDR';
/** 80 random bits, so that links cannot be guessed. */
const SLUG_CHARACTERS = 16;

/** 200; another merchant's id returns 404. */
export async function showLink(
  deps: LinkDeps,
  { session, params }: MerchantRequest<LinkParams>,
): Promise<Answer> {
  const key = { id: params.payment_link_id, merchantId: session.merchantId };
  const [link] = await findLink(deps.accounts, key);
  return link === undefined ? MISSING : buildLinkAnswer(deps, 200, link);
}

/** 201. A LIVE link requires that the merchant takes LIVE payments. */
export async function makeLink(
  deps: LinkDeps,
  request: MerchantRequest<NoParams, CreateLinkRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  const terms = readTerms(body, deps.nowMs());
  if ('code' in terms) return terms;
  const { merchantId } = session;
  const { environment } = body;
  if (environment === 'LIVE' && isTestOnlyPage(terms)) return NOT_IN_LIVE;
  const takesPayments = await canTakePayments(deps.accounts, merchantId, environment);
  if (isMerchantBlocked({ environment, takesPayments })) return buildApiError('live_not_enabled');
  const id = makeId('plink', generateIdBytes());
  const slug = makeId('plink', generateIdBytes()).slice(-SLUG_CHARACTERS);
  const link = { ...terms, id, slug, merchantId, environment };
  const [made] = await createLink(deps.accounts, actor, link);
  if (made === undefined) throw new Error(`payment link ${id} was not inserted`);
  return buildLinkAnswer(deps, 201, made);
}

/** 200 with the changed link. */
export async function changeLink(
  deps: LinkDeps,
  request: MerchantRequest<LinkParams, ChangeLinkRequest>,
): Promise<Answer> {
  const { session, params } = request;
  const actor = buildActor(request);
  const change = readChange(request.body, deps.nowMs());
  if ('code' in change) return change;
  const key = { id: params.payment_link_id, merchantId: session.merchantId };
  if (isTestOnlyPage(change)) {
    const [link] = await findLink(deps.accounts, key);
    if (link?.environment === 'LIVE') return NOT_IN_LIVE;
  }
  const [link] = await storeChange(deps.accounts, actor, key, change);
  return link === undefined ? MISSING : buildLinkAnswer(deps, 200, link);
}

const NOT_IN_LIVE = buildApiError('url_invalid', { param: 'success_url' });

const isTestOnlyPage = ({ successUrl = null }: LinkChange): boolean =>
  successUrl !== null && isTestOnlyUrl(successUrl);

function buildLinkAnswer(deps: LinkDeps, status: number, link: PaymentLink): Answer {
  return reply(status, JSON.stringify(viewLink(deps, link)));
}

function readTerms(body: CreateLinkRequest, nowMs: number): LinkTerms | ApiError {
  const currency = body.currency ?? DEFAULT_CURRENCY;
  if (!isCurrency(currency)) return buildApiError('currency_unsupported', { param: 'currency' });
  const price = readPrice(body);
  if ('code' in price) return price;
  const change = readChange(body, nowMs);
  if ('code' in change) return change;
  const { description = null, maxUses = null, active = true } = change;
  const { expiresAt = null, successUrl = null } = change;
  const rest = { description, maxUses, active, expiresAt, successUrl };
  return { title: body.title, currency, ...price, ...rest };
}

type Price = Pick<LinkTerms, 'amount' | 'minAmount' | 'maxAmount'>;

/** A fixed amount, or bounds within which the customer chooses. */
function readPrice(body: CreateLinkRequest): Price | ApiError {
  const [amount, min, max] = [
    readAmount('amount', body.amount),
    readAmount('min_amount', body.min_amount),
    readAmount('max_amount', body.max_amount),
  ];
  for (const each of [amount, min, max]) {
    if (each !== null && typeof each === 'object') return each;
  }
  if (typeof amount === 'bigint') {
    if (min === null && max === null) {
      return { amount: String(amount), minAmount: null, maxAmount: null };
    }
    return buildParameterError(
      min === null ? 'max_amount' : 'min_amount',
      'is allowed only without amount',
    );
  }
  const { minAmountMinor, maxAmountMinor } = PAYMENT_METHODS.VA;
  const least = typeof min === 'bigint' ? min : minAmountMinor;
  const most = typeof max === 'bigint' ? max : maxAmountMinor;
  if (least > most)
    return buildParameterError('max_amount', `must be at least ${least}, the min_amount`);
  return { amount: null, minAmount: String(least), maxAmount: String(most) };
}

function readAmount(param: string, text: string | null | undefined): AmountMinor | null | ApiError {
  if (text === undefined || text === null) return null;
  const amount = parseAmount(text);
  const isTaken = typeof amount !== 'string' && isAmountWithinRange(amount, null);
  if (isTaken) return amount;
  const message = `${param} must be ${describeAmountRange(null)}.`;
  return buildApiError('amount_out_of_range', { message, param });
}

/** Absent fields stay, null clears a field. */
function readChange(body: ChangeLinkRequest, nowMs: number): LinkChange | ApiError {
  const { title, description, active, max_uses: maxUses, success_url: successUrl } = body;
  const expiresAt = body.expires_at === undefined ? undefined : readTime(body.expires_at, nowMs);
  if (expiresAt !== undefined && expiresAt !== null && 'code' in expiresAt) return expiresAt;
  const urlError = typeof successUrl === 'string' ? findPageUrlError(successUrl) : null;
  if (urlError !== null) return buildApiError(urlError, { param: 'success_url' });
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(maxUses === undefined ? {} : { maxUses }),
    ...(active === undefined ? {} : { active }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(successUrl === undefined ? {} : { successUrl: successUrl && normalizeUrl(successUrl) }),
  };
}

function readTime(text: string | null, nowMs: number): Date | null | ApiError {
  if (text === null) return null;
  const ms = parseTime(text);
  if (ms !== undefined && ms > nowMs) return new Date(ms);
  return buildParameterError(
    'expires_at',
    'must be a time in the future, such as 2027-08-02T10:15:30Z',
  );
}
