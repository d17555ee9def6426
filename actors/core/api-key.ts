// API keys: `sk_test_` or `sk_live_`, 32 base62 characters (190 bits), and 6 base62 characters of
// CRC-32 over all before them, so that a mistyped key is rejected without a query.
//
// Keys are stored and found by their SHA-256 only; the text is shown once, when the key is made.
// Random bytes come from the caller.
import { hash } from 'node:crypto';
import type { Environment, KeyId, MerchantId } from './ids.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const SECRET_CHARACTERS = 32;
const CHECK_CHARACTERS = 6;
/** Larger bytes are dropped: they would favour the first characters of the alphabet. */
const BYTE_LIMIT = 256 - (256 % BASE);
/** 32 are needed and 1 in 32 is dropped on average: 96 always suffice in practice. */
export const API_KEY_RANDOM_BYTES = 96;

const PREFIXES = { TEST: 'sk_test_', LIVE: 'sk_live_' } as const satisfies Record<
  Environment,
  string
>;
const FORM = /^sk_(?:test|live)_[0-9A-Za-z]{38}$/;

export const SCOPES = ['read', 'write', 'payouts'] as const;
export type Scope = (typeof SCOPES)[number];

/** The rights of an API key, as the gateway caches them. A revoked key has none. */
export interface Credential {
  readonly keyId: KeyId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  /** SHA-256 of the whole key text. */
  readonly digest: Buffer;
  /** The condition of the LIVE gate (rails/live-gate.ts). */
  readonly takesPayments: boolean;
  /** Empty: everything, except payouts for a LIVE key. */
  readonly scopes: readonly Scope[];
  /** Addresses and CIDRs; empty: every address. */
  readonly allowedAddresses: readonly string[];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value;
});

/** Throws when `random` has fewer than 32 usable bytes. */
export function makeApiKey(environment: Environment, random: Uint8Array): string {
  let text: string = PREFIXES[environment];
  const length = text.length + SECRET_CHARACTERS;
  for (const byte of random) {
    if (byte < BYTE_LIMIT && text.length < length) text += ALPHABET.charAt(byte % BASE);
  }
  if (text.length < length) throw new RangeError('too few random bytes for an API key');
  return text + computeCheck(text);
}

/** The environment of a key; undefined: the text is no key, or is mistyped. */
export function parseApiKey(text: string): Environment | undefined {
  if (!FORM.test(text)) return undefined;
  const body = text.slice(0, -CHECK_CHARACTERS);
  if (computeCheck(body) !== text.slice(-CHECK_CHARACTERS)) return undefined;
  return text.startsWith(PREFIXES.LIVE) ? 'LIVE' : 'TEST';
}

/** The stored form of a key: 32 bytes. */
export function digestApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The parts of a key that lists show. */
export function showApiKey(text: string): { prefix: string; lastFour: string } {
  return { prefix: text.slice(0, PREFIXES.TEST.length), lastFour: text.slice(-4) };
}

function computeCheck(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECK_CHARACTERS) {
    text = ALPHABET.charAt(rest % BASE) + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

/** CRC-32 (IEEE 802.3) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc = (crc >>> 8) ^ Number(CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff]);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
