// The bytes of the requests that our own sender sends; wrk has the same in create.lua and get.lua.
import { randomBytes } from 'node:crypto';

/**
 * Eight letters that no other run uses: part of every idempotency key and body. No digits, which together
 * with the request's number could look like a card's.
 */
export function newRun(): string {
  return Array.from(randomBytes(8), (byte) => String.fromCharCode(97 + (byte % 26))).join('');
}

export interface CreateOptions {
  readonly method?: string;
  /** Absent: the payment method's own. */
  readonly expiresInS?: number;
}

/** A create whose key and body are unique by `run` and `index`. */
export function createRequest(
  key: string,
  run: string,
  index: number,
  { method = 'QRIS', expiresInS }: CreateOptions = {},
): string {
  const number = String(index).padStart(9, '0');
  const expiry = expiresInS === undefined ? '' : `"expires_in":${expiresInS},`;
  const body =
    `{${expiry}"amount":"${100_000 + (index % 899_999)}","currency":"IDR","payment_method":"${method}",` +
    `"customer_name":"Budi Santoso","description":"Order of the benchmark","reference_id":"ref-${run}-${number}"}`;
  return (
    'POST /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
    `Authorization: Bearer ${key}\r\nIdempotency-Key: bench-${run}-${number}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

export function getRequest(key: string, id: string): string {
  return `GET /v1/payments/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** A page of payments. */
export function listRequest(key: string, query: string): string {
  return `GET /v1/payments?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** A page of the payments of a session's merchant that hold these words. */
export function searchRequest(token: string, words: string): string {
  return `GET /v1/merchants/me/payments?q=${words} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}
