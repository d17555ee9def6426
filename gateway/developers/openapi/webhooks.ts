// The webhooks section of the document: the requests that merchants' endpoints receive.
import { EventEnvelope, WEBHOOK_TYPES, type WebhookType } from '#actors/core/schemas/event.js';
import type { Json, SchemaWriter } from './schemas.js';

const SUMMARIES: Readonly<Record<WebhookType, string>> = {
  'payment.paid': 'A payment was paid',
  'payment.failed': 'A payment failed, expired or was reversed',
  'payment.cancelled': 'A payment was cancelled',
  'payment.refunded': 'A refund was completed',
  'refund.failed': 'A refund failed; its amount can be refunded again',
  'payout.completed': 'A payout was paid, possibly after it was first reported as failed',
  'payout.failed': 'A payout failed or was cancelled; its money is back in the balance',
  'payout.reversed': 'A completed payout came back; its money is back in the balance',
};

const DESCRIPTION =
  'Verify the signature on the raw bytes of the body with a constant-time comparison, answer 2xx within 10 s, ' +
  'and recognize repeated deliveries by the event id. Any other answer is retried for about three days.';

export function describeWebhooks(brandHeader: string, schemas: SchemaWriter, examples: Json): Json {
  const parameters = describeSignatureHeaders(brandHeader);
  const entries = WEBHOOK_TYPES.map((type) => [
    type,
    {
      post: {
        operationId: type.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase()),
        summary: SUMMARIES[type],
        description: DESCRIPTION,
        tags: ['Webhooks'],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemas.describe(EventEnvelope),
              example: examples[type],
            },
          },
        },
        responses: {
          '200': { description: 'Received; each 2xx counts.' },
          '401': { description: 'The signature is wrong; the delivery is retried.' },
          '410': { description: 'Do not send this again: it becomes a dead letter at once.' },
        },
      },
    },
  ]);
  return Object.fromEntries(entries) as Json;
}

function describeSignatureHeaders(brandHeader: string): readonly Json[] {
  const header = (name: string, description: string, required: boolean): Json => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  const own = (name: string): string => `X-${brandHeader}-${name}`;
  const hmac = 'Hex HMAC-SHA256 of the raw body, keyed with the whole `whsec_…` text';
  return [
    header(own('Signature'), `${hmac}; during a rotation with the old one.`, true),
    header(own('Signature-Next'), `${hmac}, the new one; during a rotation only.`, false),
    header(own('Timestamp'), 'Unix seconds of this attempt.', true),
    header(own('Event-Id'), 'The id of the event.', true),
    header(own('Delivery-Attempt'), 'The number of this attempt, from 1.', true),
    header('webhook-id', 'The id of the event (Standard Webhooks).', true),
    header('webhook-timestamp', 'Unix seconds of this attempt (Standard Webhooks).', true),
    header(
      'webhook-signature',
      '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded secret; one for each live secret, separated by spaces (Standard Webhooks).',
      true,
    ),
  ];
}
