// Secrets that must be read back are stored encrypted: AES-256-GCM with the first of SECRETS_KEY. A
// ciphertext names its key, so that keys can be rotated (new first, old ones behind it until all is sealed
// anew), and is bound to the row that it belongs to: moved to another row it cannot be opened.
//   v1.<name of the key>.<base64url of nonce (12), tag (16) and ciphertext>
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { NamedKey } from './variables.js';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts `text` for the row `owner` (an id). */
export function sealSecret(keys: readonly NamedKey[], owner: string, text: string): string {
  const key = keys[0];
  if (key === undefined) throw new Error('there is no key to encrypt secrets with');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.key, nonce);
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const packed = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  return `${VERSION}.${key.name}.${packed.toString('base64url')}`;
}

/** @throws Error when its key is not among `keys`, or it was changed, or belongs to another row */
export function openSecret(keys: readonly NamedKey[], owner: string, sealed: string): string {
  const [version, name, packed] = sealed.split('.');
  if (version !== VERSION || packed === undefined) throw new Error('not a sealed secret');
  const key = keys.find((candidate) => candidate.name === name);
  if (key === undefined) throw new Error(`the secret is sealed with the key ${name}, not given`);
  const bytes = Buffer.from(packed, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv('aes-256-gcm', key.key, nonce, options);
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
