// Idempotency keys of requests that a person may send again.
import { useState } from 'react';

const KEY_BYTES = 16;
const HEX = 16;
const DIGITS_PER_BYTE = 2;

/** 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS, such as a trial in a local network. */
export const makeIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(HEX).padStart(DIGITS_PER_BYTE, '0'),
  ).join('');

/**
 * Returns the key of a request by its body, for as long as a form is shown: the same request is done once, however often it is
 * sent, and a changed one is another request.
 */
export function useIdempotencyKeys(): (body: object) => string {
  const [keys] = useState(() => new Map<string, string>());
  return (body) => {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? makeIdempotencyKey();
    keys.set(text, key);
    return key;
  };
}
