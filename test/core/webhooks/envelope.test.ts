// Test events fit the event schema and are marked; ids of endpoints and deliveries.
import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import { parseEventId } from '#actors/core/ids.js';
import { EventEnvelope, isPayoutType, WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import {
  isDeliveryId,
  isEndpointId,
  isReplayId,
  makeEndpointId,
  makeReplayId,
} from '#actors/core/ids.js';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';

t.test('a test event of each type fits the event schema and is marked', (t) => {
  for (const [index, type] of WEBHOOK_TYPES.entries()) {
    const event = makeTestEvent(type, new Uint8Array(16).fill(index), 1_785_665_730_123);
    const body: unknown = JSON.parse(event.body);
    t.strictSame([...Value.Errors(EventEnvelope, body)], [], type);
    t.match(body, { id: event.eventId, type, created_at: '2026-08-02T10:15:30.123Z' });
    const { paymentId, payoutId } = event;
    t.match(body, { data: { id: paymentId ?? payoutId, test: true } });
    t.equal(isPayoutType(type), paymentId === null);
    t.match(parseEventId(event.eventId), {
      version: 1,
      ...(paymentId === null ? { payoutId } : { paymentId }),
    });
  }
  t.end();
});

t.test('endpoint, delivery and replay ids are recognised, other texts are not', (t) => {
  const id = makeEndpointId(new Uint8Array(16).fill(255));
  t.ok(isEndpointId(id));
  t.notOk(isEndpointId(`${id}0`));
  t.ok(isReplayId(makeReplayId(new Uint8Array(16))));
  t.notOk(isReplayId(id));
  t.ok(isDeliveryId(`del_${'0a'.repeat(16)}`));
  t.notOk(isDeliveryId(`del_${'0A'.repeat(16)}`));
  t.end();
});
