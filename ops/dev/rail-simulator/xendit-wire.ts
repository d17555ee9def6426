// Parts that Xendit's replies and webhooks share.
import { randomUUID } from 'node:crypto';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Callback } from './callback-sender.js';
import { falsifyAmount } from './faults.js';
import type { Reply } from './http.js';

export const BUSINESS = '5f27a14a9bf05c73dd040bc8';

export function buildXenditError(status: number, error_code: string): Reply {
  return { status, body: { error_code, message: `simulated: ${error_code}` } };
}

export function findChannel(method: ChargeableMethod): string {
  return method === 'QRIS' ? 'QRIS' : `${method.slice(3)}_VIRTUAL_ACCOUNT`;
}

/** A forged webhook carries another token. */
export function buildWebhook(
  about: { readonly event: string; readonly subject: string; readonly token: string },
  data: object,
): Callback {
  const { event, subject, token } = about;
  const created = new Date().toISOString();
  const bodyOf = (about: object) => ({
    ...{ event, business_id: BUSINESS, created, api_version: 'v3', data: about },
  });
  const body = bodyOf(data);
  const id = randomUUID();
  const headersOf = (given: string) => ({ 'x-callback-token': given, 'webhook-id': id });
  return {
    ...{ rail: 'xendit', subject, event },
    genuine: { headers: headersOf(token), body },
    wrong: { headers: headersOf(token), body: bodyOf(falsifyAmount(data)) },
    forged: { headers: headersOf('not the token'), body },
  };
}
