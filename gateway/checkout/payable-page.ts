// What the pages of payment links and invoices share.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { askStore } from '../routing/ask-store.js';
import type { ApiParts } from '../payments/deps.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, refuse } from '../routing/response.js';
import type { Wishes } from '../routing/request.js';
import { type CheckoutParts, frameFor } from './handlers.js';
import { renderMessage } from './layout.js';
import { chooseLanguage, type Language } from './texts.js';
import type { DocumentFrame } from '../pages/document.js';
import { page, wantsPage } from '../pages/respond.js';

export interface CollectingParts extends ApiParts, CheckoutParts {
  /** Connections of the public pages that take payments. */
  readonly collecting: Postgres;
}

export interface PageFrame extends DocumentFrame {
  readonly language: Language;
}

export interface Message {
  readonly title: string;
  readonly text: string;
}

/** `style`: the sheet beside that of the hosted page. */
export function pageFrameFor(
  { brand, assets }: Pick<CollectingParts, 'brand' | 'assets'>,
  { acceptLanguage }: Wishes,
  style: string,
): PageFrame {
  const styles = ['checkout.css', style].map((name) => assets.pathOf(name));
  const language = chooseLanguage(acceptLanguage);
  return { language, brand, icon: assets.pathOf('icon.svg'), styles };
}

/** undefined: the database could not be asked. */
export function askCollecting<Value extends object>(
  { collecting, onError }: CollectingParts,
  ask: (sql: Postgres) => Promise<Value>,
): Promise<Value | undefined> {
  return askStore({ lists: collecting, onError }, ask);
}

/** undefined: it could not be read. */
export async function nameOf(
  { nameMerchant, onError }: CollectingParts,
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
export function refuseAsWished(
  parts: CollectingParts,
  wishes: Wishes,
  code: ErrorCode,
  notFound: Readonly<Record<Language, Message>>,
): Answer {
  if (!wantsPage(wishes.accept)) return refuse(code);
  const frame = frameFor(parts, { wishes });
  const { status } = ERRORS[code];
  const message = status === 404 ? notFound[frame.language] : frame.texts.unavailable;
  return page(status, renderMessage(frame, message), frame.language);
}

/** Operators let nothing LIVE be created. */
export function isSwitchedOff(
  { isSwitchedOn }: CollectingParts,
  { environment }: { readonly environment: string },
): boolean {
  return environment === 'LIVE' && !isSwitchedOn('live_creates');
}
