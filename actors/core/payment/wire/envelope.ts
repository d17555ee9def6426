// The webhook envelope: these very bytes are stored, signed and sent, and sent again on a retry.
import type { EventId } from '#actors/core/ids.js';
import type { EventBody, WebhookType } from '#actors/core/schemas/event.js';

export function encodeEnvelope(
  id: EventId,
  type: WebhookType,
  atMs: number,
  data: EventBody['data'],
): string {
  return JSON.stringify({ id, type, created_at: new Date(atMs).toISOString(), data });
}
