// Composes a mail: its text and its link. The token of a link follows a `#`, so that no server or log on the way sees
// it. Some programs that rewrite the links in mails drop what follows a `#`, so the mail has the token once more, as a code
// that a person pastes into the page.
import { removeHidden } from '#actors/core/hidden-characters.js';
import { encodeBase32 } from '#actors/core/ids.js';
import type { Mail, MailBudget } from '#store/postgres/accounts/mails.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import type { MailFields, MailKind } from './mail-text.js';
import { MAIL_TEXTS, type MailLanguage, UNNAMED } from './texts.js';

export interface MailInput extends Omit<MailFields, 'brand' | 'link' | 'code' | 'businessName'> {
  readonly kind: MailKind;
  /** null: "a shop" (merchant-name.ts). */
  readonly businessName?: string | null;
  readonly recipient: string;
  readonly language: string;
  /** The secret of the link; the mail is the only place that holds it. */
  readonly token?: string;
  /** The link's path instead, without a secret. */
  readonly path?: string;
}

export type Compose = (input: MailInput) => Mail;

const PAGES: Readonly<Partial<Record<MailKind, string>>> = {
  verify: 'verify',
  reset: 'reset',
  invite: 'join',
};

const BUDGETS = {
  verify: 'registration',
  known_address: 'registration',
  reset: 'reset',
  invite: 'invite',
  invite_known: 'invite',
  invoice: 'invoice',
  invoice_reminder: 'invoice',
  password_changed: 'notice',
  second_factor_changed: 'notice',
  key_made: 'notice',
  locked_out: 'notice',
  administrator_changed: 'notice',
  protected_change: 'notice',
  kyc_approved: 'notice',
  kyc_rejected: 'notice',
  endpoint_failing: 'operation',
  endpoint_disabled: 'operation',
  payout_failed: 'operation',
  charged_back: 'operation',
  payment_received: 'payment',
  receipt: 'receipt',
} as const satisfies Record<MailKind, MailBudget>;

export function createCompose({ baseUrl, brand }: { baseUrl: string; brand: string }): Compose {
  return ({ kind, recipient, language, businessName = '', token = '', path, ...details }) => {
    const spoken = isMailLanguage(language) ? language : 'id';
    const texts = MAIL_TEXTS[spoken][kind];
    const name = businessName ?? UNNAMED[spoken];
    const page = PAGES[kind];
    const secret = page === undefined ? '/dashboard' : `/dashboard/${page}#${token}`;
    const link = baseUrl + (path ?? secret);
    const named = { brand, businessName: disarm(name) };
    const fields: MailFields = { ...named, link, code: token, ...details };
    const finish = (text: string): string =>
      businessName === null ? startSentences(text, name) : text;
    const subject = finish(disarm(texts.subject(fields)));
    const id = `mail_${encodeBase32(generateIdBytes())}`;
    return { id, budget: BUDGETS[kind], recipient, subject, body: finish(texts.body(fields)) };
  };
}

function isMailLanguage(language: string): language is MailLanguage {
  return language === 'id' || language === 'en';
}

/** Texts begin with the name of the merchant, which has its own capitals; "a shop" has none. */
const startSentences = (text: string, shop: string): string =>
  text.replace(
    new RegExp(`^((?:\\[TEST\\] )?)${shop}`, 'gm'),
    (_, before: string) => before + shop.charAt(0).toUpperCase() + shop.slice(1),
  );

/** A text that somebody wrote must not begin another line of the mail, nor contain a link. */
export function disarm(text: string): string {
  return removeHidden(text).replace(/:\/\//g, ': //');
}
