// The texts of mails by language. A text that is missing in one language does not compile.
import { ENGLISH } from './english.js';
import { INDONESIAN } from './indonesian.js';
import type { MailKind, MailText } from './mail-text.js';

export const MAIL_LANGUAGES = ['id', 'en'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** A merchant whose name is not shown (merchant-name.ts). */
export const UNNAMED: Readonly<Record<MailLanguage, string>> = {
  id: 'sebuah toko',
  en: 'a shop',
};

export const MAIL_TEXTS: Readonly<Record<MailLanguage, Readonly<Record<MailKind, MailText>>>> = {
  id: INDONESIAN,
  en: ENGLISH,
};
