// A new idempotency key: 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS, such as a trial in a local network.
const KEY_BYTES = 16;
const HEX = 16;
const DIGITS_PER_BYTE = 2;

export const makeIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(HEX).padStart(DIGITS_PER_BYTE, '0'),
  ).join('');
