// The envelope of an event whose payment was erased: what the merchant wrote is gone, all else is as it was. It keeps
// its id, so receivers that know the event ignore it; deliveries from then on send these bytes, and sign them.
import type { PaymentEventData, WebhookType } from '../schemas/event.js';

interface Envelope {
  readonly id: string;
  readonly type: WebhookType;
  readonly created_at: string;
  readonly data: PaymentEventData;
}

/** `text` is an envelope of ours; the order of fields stays. */
export function eraseEnvelope(text: string, withReference: boolean): string {
  const envelope = JSON.parse(text) as Envelope;
  const gone = withReference ? { reference_id: null } : {};
  return JSON.stringify({ ...envelope, data: { ...envelope.data, ...gone, metadata: {} } });
}
