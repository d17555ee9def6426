// Identifiers as people type and copy them: `112 150`, `01.234.567.8-901.000`, `+62 812‑3456‑7890`. Separators and hidden
// characters are no part of an identifier, so that they are ignored. Gateway and dashboard read identifiers here.
import { removeHidden } from './hidden-characters.js';

/** Blanks and dashes of every script, dots and slashes. */
const SEPARATORS = /[\p{Zs}\p{Pd}\u2212./]/gu;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const DASHES = /[\p{Pd}\u2212]/gu;
const BLANKS = /\p{Zs}/gu;

/** A recovery code has 16 letters and digits in groups of four. */
const RECOVERY_CODE = /^[0-9a-z]{16}$/;
const GROUPS = /(.{4})(?=.)/g;

/** A tax, identity or account number, or a code of digits, without its separators. */
export const removeSeparators = (text: string): string =>
  removeHidden(text, '').replace(SEPARATORS, '');

/** A code of an authenticator app, or a recovery code in the form in which it was shown. */
export function readCode(text: string): string {
  const code = removeSeparators(text).toLowerCase();
  return RECOVERY_CODE.test(code) ? code.replace(GROUPS, '$1-') : code;
}

/** A telephone number keeps its groups: with ASCII blanks and dashes, and in ASCII digits. */
export const readPhone = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text.trim() : convertPhone(text);

function convertPhone(text: string): string {
  const digits = removeHidden(text, '').normalize('NFKC');
  return digits.replace(DASHES, '-').replace(BLANKS, ' ').trim();
}
