// What the pages of payment links and invoices share.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, buildApiError } from '../routing/response.js';
import type { Preferences } from '../routing/request.js';
import { type CheckoutDeps, buildFrame } from './handlers.js';
import { renderMessage } from './layout.js';
import { chooseLanguage, type Language } from './texts.js';
import type { DocumentFrame } from '../pages/document.js';
import { buildPageReply, isPageRequested } from '../pages/respond.js';

export interface PayablePageDeps extends ApiDeps, CheckoutDeps {
  /** Connections of the public pages that take payments. */
  readonly linksAndInvoices: Postgres;
}

export interface PageFrame extends DocumentFrame {
  readonly language: Language;
}

export interface PageMessage {
  readonly title: string;
  readonly text: string;
}

/** `style`: the sheet beside that of the hosted page. */
export function buildPageFrame(
  { brand, assets }: Pick<PayablePageDeps, 'brand' | 'assets'>,
  { acceptLanguage }: Preferences,
  style: string,
): PageFrame {
  const styles = ['checkout.css', style].map((name) => assets.findPath(name));
  const language = chooseLanguage(acceptLanguage);
  return { language, brand, icon: assets.findPath('icon.svg'), styles };
}

/** undefined: the database could not be asked. */
export async function queryLinksAndInvoices<Value extends object>(
  { linksAndInvoices, onError }: PayablePageDeps,
  query: (sql: Postgres) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await query(linksAndInvoices);
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** undefined: it could not be read. */
export async function findMerchantName(
  { nameMerchant, onError }: PayablePageDeps,
  merchantId: MerchantId,
): Promise<string | undefined> {
  try {
    return await nameMerchant(merchantId);
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Browsers get a page, programs the error body. `notFound`: the words of a 404. */
export function answerError(
  parts: PayablePageDeps,
  wishes: Preferences,
  code: ErrorCode,
  notFound: Readonly<Record<Language, PageMessage>>,
): Answer {
  if (!isPageRequested(wishes.accept)) return buildApiError(code);
  const frame = buildFrame(parts, { preferences: wishes });
  const { status } = ERRORS[code];
  const message = status === 404 ? notFound[frame.language] : frame.texts.unavailable;
  return buildPageReply(status, renderMessage(frame, message), frame.language);
}

/** Operators let nothing LIVE be created. */
export function isSwitchedOff(
  { isSwitchedOn }: PayablePageDeps,
  { environment }: { readonly environment: string },
): boolean {
  return environment === 'LIVE' && !isSwitchedOn('live_creates');
}
