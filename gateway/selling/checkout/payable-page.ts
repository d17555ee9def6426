// Shared parts of the pages of payment links and invoices, which start payments.
import type { Postgres } from '#store/postgres/client.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import type { Tenant } from '#gateway/lists/listing.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { Preferences } from '#gateway/routing/request.js';
import { mapStoreFailure } from '#gateway/routing/store-failures.js';
import { type CheckoutDeps, buildLayout } from './handlers.js';
import { renderMessage } from './layout.js';
import { listStyles, NO_STOREFRONT } from './storefronts.js';
import { chooseLanguage, type Language } from '#gateway/routing/visitor-language.js';
import type { DocumentLayout } from '#gateway/pages/document.js';
import { buildPageReply, isPageRequested } from '#gateway/pages/respond.js';

export interface PayablePageDeps extends ApiDeps, CheckoutDeps {
  /** The pool of these pages, so that a crowd at a payment link delays no login. */
  readonly linksAndInvoices: Postgres;
}

export interface PageLayout extends DocumentLayout {
  readonly language: Language;
}

export interface PageMessage {
  readonly title: string;
  readonly text: string;
}

/** `style`: a style sheet to load after that of the hosted page. */
export function buildPageLayout(
  { brand, assets, baseUrl }: Pick<PayablePageDeps, 'brand' | 'assets' | 'baseUrl'>,
  { acceptLanguage }: Preferences,
  style: string,
  storefront: Storefront = NO_STOREFRONT,
): PageLayout {
  const own = ['checkout.css', style].map((name) => assets.findPath(name));
  const styles = [...own, ...listStyles(storefront)];
  const language = chooseLanguage(acceptLanguage);
  const picture = baseUrl + assets.findPath('preview.png');
  return { language, brand, icon: assets.findPath('icon.svg'), picture, styles };
}

/** The outcome of a payment that a failed store query kept from starting: its form is shown again. */
export function describeStoreFailure(
  { onError }: PayablePageDeps,
  error: unknown,
): { readonly kind: 'failed'; readonly code: ErrorCode } {
  const failure = mapStoreFailure(error);
  if (failure === undefined) throw error;
  onError(error);
  return { kind: 'failed', code: failure.code };
}

/** Browsers get a page, programs the error body. */
export function answerNotFound(
  deps: PayablePageDeps,
  preferences: Preferences,
  code: 'payment_link_not_found' | 'invoice_not_found',
  messages: Readonly<Record<Language, { readonly notFound: PageMessage }>>,
): Answer {
  if (!isPageRequested(preferences.accept)) return buildApiError(code);
  const layout = buildLayout(deps, { preferences });
  const { status } = ERRORS[code];
  const { notFound } = messages[layout.language];
  return buildPageReply(status, renderMessage(layout, notFound), layout.language);
}

/** Whether the LIVE gate is closed for the payments of this link or invoice. */
export async function isBlocked(
  { railAvailability }: Pick<PayablePageDeps, 'railAvailability'>,
  { merchantId, environment }: Tenant,
): Promise<boolean> {
  return environment === 'LIVE' && (await railAvailability.isClosed(merchantId));
}
