// A receiver's verification, written independently of the product code: HMAC-SHA256 over the raw body, keyed with the full
// whsec_ string, in hex, compared in constant time. The `-Next` header counts too.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export function isSignatureRight(
  headers: IncomingHttpHeaders,
  rawBody: Buffer,
  secret: string,
): boolean {
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return ['x-service-signature', 'x-service-signature-next'].some((name) => {
    const given = headers[name];
    if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false;
    return timingSafeEqual(Buffer.from(given, 'hex'), expected);
  });
}
