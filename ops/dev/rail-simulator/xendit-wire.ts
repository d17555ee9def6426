// What Xendit's replies and webhooks share.
import { randomUUID } from 'node:crypto';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Callback } from './callbacks.js';
import { withWrongAmount } from './faults.js';
import type { Reply } from './http.js';

export const BUSINESS = '5f27a14a9bf05c73dd040bc8';

export function xenditError(status: number, error_code: string): Reply {
  return { status, body: { error_code, message: `simulated: ${error_code}` } };
}

export function channelOf(method: ChargeableMethod): string {
  return method === 'QRIS' ? 'QRIS' : `${method.slice(3)}_VIRTUAL_ACCOUNT`;
}

/** A forged one has another token. */
export function webhook(
  about: { readonly event: string; readonly subject: string; readonly token: string },
  data: object,
): Callback {
  const { event, subject, token } = about;
  const created = new Date().toISOString();
  const bodyOf = (told: object) => ({
    ...{ event, business_id: BUSINESS, created, api_version: 'v3', data: told },
  });
  const body = bodyOf(data);
  const id = randomUUID();
  const headersOf = (given: string) => ({ 'x-callback-token': given, 'webhook-id': id });
  return {
    ...{ rail: 'xendit', subject, event },
    genuine: { headers: headersOf(token), body },
    wrong: { headers: headersOf(token), body: bodyOf(withWrongAmount(data)) },
    forged: { headers: headersOf('not the token'), body },
  };
}
