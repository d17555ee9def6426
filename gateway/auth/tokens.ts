// Random tokens: session tokens (`cs_`) and one-time links. 32 random bytes cannot be guessed; only their SHA-256 is
// stored.
import { hash, randomBytes } from 'node:crypto';

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
