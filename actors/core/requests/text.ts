// Rules for texts that people send, beside their length.
import { hasCardNumber } from '../card-data.js';

export type TextFault = 'field_invalid' | 'card_data_refused';

/** Neither U+0000 (Postgres cannot keep it) nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function findFreeTextFault(text: string): TextFault | null {
  if (!isStorable(text)) return 'field_invalid';
  return hasCardNumber(text) ? 'card_data_refused' : null;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

export function findEmailFault(text: string): TextFault | null {
  return EMAIL.test(text) ? findFreeTextFault(text) : 'field_invalid';
}

const PHONE = /^\+?[0-9 ().\-/]+$/;
const MAX_PHONE_DIGITS = 15;

/** At most the 15 digits of E.164, so that no card of 16 fits in. */
export function isPhone(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '').length;
  return PHONE.test(text) && digits >= 3 && digits <= MAX_PHONE_DIGITS;
}

const UNSAFE_IN_URL = /[\s\p{Cc}\p{Cf}\\]/u;

/** HTTPS, no user information, nothing that browsers would drop or turn round. */
export function isSafeUrl(text: string): boolean {
  if (!isStorable(text) || UNSAFE_IN_URL.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}

/** Whether a text has at most `max` characters, counted as code points, as JSON Schema does. */
export function isWithinLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= max * 2 && [...text].length <= max);
}
