// Secrets that must be read back are stored encrypted, with AES-256-GCM and the first key of SECRETS_KEY. A ciphertext
// names its key, so that keys can be rotated: the new one comes first, old ones stay until every secret is sealed anew.
// It is bound to its row as additional data: copied to another row it cannot be opened.
//   texts   v1.<name of the key>.<base64url of nonce (12), tag (16) and ciphertext>
//   files   v1.<name of the key>.<nonce (12), tag (16) and ciphertext>
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { NamedKey } from './environment/variables.js';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DOT = 0x2e;

/** Encrypts `text` for the row `owner` (an id). */
export function sealSecret(keys: readonly NamedKey[], owner: string, text: string): string {
  const { name, packed } = encrypt(keys, owner, Buffer.from(text));
  return `${VERSION}.${name}.${packed.toString('base64url')}`;
}

/** @throws Error when its key is not among `keys`, or it was modified, or belongs to another row */
export function openSecret(keys: readonly NamedKey[], owner: string, sealed: string): string {
  const [version, name = '', packed] = sealed.split('.');
  if (version !== VERSION || packed === undefined) throw new Error('not a sealed secret');
  return decrypt(keys, owner, { name, packed: Buffer.from(packed, 'base64url') }).toString('utf8');
}

/** Encrypts `file` for the row `owner` (an id). */
export function sealFile(keys: readonly NamedKey[], owner: string, file: Buffer): Buffer {
  const { name, packed } = encrypt(keys, owner, file);
  return Buffer.concat([Buffer.from(`${VERSION}.${name}.`), packed]);
}

/** @throws Error as `openSecret` does */
export function openFile(keys: readonly NamedKey[], owner: string, sealed: Buffer): Buffer {
  const start = VERSION.length + 1;
  const end = sealed.indexOf(DOT, start);
  if (sealed.subarray(0, start).toString('latin1') !== `${VERSION}.` || end === -1) {
    throw new Error('not a sealed file');
  }
  const name = sealed.subarray(start, end).toString('latin1');
  return decrypt(keys, owner, { name, packed: sealed.subarray(end + 1) });
}

interface Sealed {
  /** Name of the key. */
  readonly name: string;
  readonly packed: Buffer;
}

function encrypt(keys: readonly NamedKey[], owner: string, content: Buffer): Sealed {
  const key = keys[0];
  if (key === undefined)
    throw new Error('SECRETS_KEY holds no key, so secrets cannot be encrypted');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.key, nonce);
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()]);
  return { name: key.name, packed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
}

function decrypt(keys: readonly NamedKey[], owner: string, { name, packed }: Sealed): Buffer {
  const key = keys.find((candidate) => candidate.name === name);
  if (key === undefined)
    throw new Error(
      `the secret is sealed with the key ${name}, which SECRETS_KEY does not hold: add it behind the first one`,
    );
  const nonce = packed.subarray(0, NONCE_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv('aes-256-gcm', key.key, nonce, options);
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(packed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const content = decipher.update(packed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([content, decipher.final()]);
}
