// Sends an event to a developer's own machine, and to no other, signed as the service signs deliveries.
import { buildSignedHeaders } from '#actors/core/webhooks/sign.js';
import type { EventBody } from '#actors/core/schemas/event.js';

const ANSWER_MS = 10_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** undefined: not an address of this machine. */
export function parseForwardTo(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return LOOPBACK.test(url.hostname) ? url : undefined;
}

export interface Forwarding {
  readonly to: URL;
  readonly secret: string;
  readonly brandHeader: string;
}

/** What became of it, for the terminal. */
export async function forward(
  { to, secret, brandHeader }: Forwarding,
  event: EventBody,
): Promise<string> {
  const body = Buffer.from(JSON.stringify(event));
  const signed = { id: event.id, timestampS: Math.floor(Date.now() / 1000), body };
  const headers = buildSignedHeaders({ current: secret, next: null }, signed, {
    brandHeader,
    attempt: 1,
  });
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(to, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error
      ? error.cause.message
      : String(error);
  }
}
