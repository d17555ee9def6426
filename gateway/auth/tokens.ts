// Random tokens: session tokens (`cs_`), one-time links and recovery codes. They cannot be guessed (256 random bits, 80 of a
// recovery code, which people type); only their SHA-256 is stored.
import { hash, randomBytes } from 'node:crypto';
import { encodeBase32 } from '#actors/core/ids.js';

const TOKEN_BYTES = 32;
export const SESSION_PREFIX = 'cs_';
const SESSION_FORM = /^cs_[\w-]{43}$/;
export const LINK_TOKEN_PATTERN = '^[A-Za-z0-9_-]{43}$';

export interface Token {
  /** Shown to the user once, never stored. */
  readonly text: string;
  /** SHA-256 in hexadecimal; stored. */
  readonly digest: string;
}

export function makeSessionToken(): Token {
  return makeToken(SESSION_PREFIX);
}

export function makeLinkToken(): Token {
  return makeToken('');
}

function makeToken(prefix: string): Token {
  const text = prefix + randomBytes(TOKEN_BYTES).toString('base64url');
  return { text, digest: digestToken(text) };
}

export function digestToken(text: string): string {
  return hash('sha256', text, 'hex');
}

export function isSessionToken(text: string): boolean {
  return SESSION_FORM.test(text);
}

/** In the alphabet of ids, without the letters i, l, o and u. */
export const RECOVERY_CODE_FORM = '[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){3}';
const RECOVERY_CHARACTERS = 16;
const ID_BYTES = 16;

export function makeRecoveryCode(): Token {
  const text = encodeBase32(randomBytes(ID_BYTES)).slice(-RECOVERY_CHARACTERS);
  const groups = text.replace(/(.{4})(?=.)/g, '$1-');
  return { text: groups, digest: digestToken(groups) };
}
