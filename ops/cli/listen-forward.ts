// Sends an event to a developer's own machine, signed as the service signs deliveries.
import type { EventBody } from '#actors/core/schemas/event.js';
import { buildSignedHeaders } from '#actors/core/webhooks/sign.js';
import { describeError } from './base/output.js';

const RESPONSE_TIMEOUT_MS = 10_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  /^https?:$/.test(protocol) && LOOPBACK.test(hostname);

export interface Forwarding {
  readonly to: URL;
  readonly secret: string;
  readonly brandHeader: string;
}

/** Returns the status of the receiver's response, or the reason why there was none. */
export async function forwardEvent(
  { to, secret, brandHeader }: Forwarding,
  event: EventBody,
): Promise<string> {
  const body = Buffer.from(JSON.stringify(event));
  const message = { id: event.id, timestampS: Math.floor(Date.now() / 1000), body };
  const delivery = { brandHeader, attempt: 1 };
  const headers = buildSignedHeaders({ current: secret, next: null }, message, delivery);
  try {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const response = await fetch(to, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return describeError(error);
  }
}
