// The webhooks of a payout: which transitions send one, and what it contains.
import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import { deriveEventId } from '#actors/core/ids.js';
import type { PayoutCommand } from '#actors/core/payout/commands.js';
import { evolvePayout } from '#actors/core/payout/evolve.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { buildPayoutWebhook } from '#actors/core/payout/webhooks.js';
import { EventEnvelope, type EventBody, PAYOUT_WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import * as s from './samples.js';

function listWebhooks(...commands: readonly PayoutCommand[]) {
  let state: PayoutState | undefined;
  return s.tell(s.request(), ...commands).flatMap((event) => {
    state = evolvePayout(state, event);
    return buildPayoutWebhook(state, event) ?? [];
  });
}

const read = (...commands: readonly PayoutCommand[]): readonly EventBody[] =>
  listWebhooks(...commands).map(({ envelope }) => JSON.parse(envelope) as EventBody);

const END = { status: 'COMPLETED', failure_code: null, completed_at: String, failed_at: null };

t.test('each end of a payout sends one webhook, its steps send none', (t) => {
  t.strictSame(read(s.SEND, s.PENDING, s.UNKNOWN, s.UNRESOLVED), []);
  t.strictSame(read(s.UNSENT, s.BY_HAND), []);
  t.match(read(s.SEND, s.COMPLETED), [{ type: 'payout.completed', data: END }]);
  t.match(read(s.BY_HAND, s.COMPLETE), [{ type: 'payout.completed', data: END }]);
  t.match(read(s.SEND, s.FAILED), [
    { type: 'payout.failed', data: { status: 'FAILED', failure_code: 'rejected_by_bank' } },
  ]);
  t.match(read(s.CANCEL), [
    { type: 'payout.failed', data: { status: 'FAILED', failure_code: 'cancelled' } },
  ]);
  t.match(read(s.SEND, s.REVERSED), [
    { type: 'payout.completed', data: { status: 'COMPLETED', reversed_at: null } },
    { type: 'payout.reversed', data: { status: 'REVERSED', reversed_at: String } },
  ]);
  t.match(read(s.SEND, s.FAILED, s.COMPLETED, s.COMPLETE), [
    { type: 'payout.failed' },
    { type: 'payout.completed', data: END },
  ]);
  t.end();
});

t.test('each webhook fits its schema and names no bank account', (t) => {
  const stories = [[s.SEND, s.REVERSED], [s.CANCEL]];
  const sent = stories.flatMap((story) => listWebhooks(...story));
  for (const { eventId, type, envelope } of sent) {
    const body = JSON.parse(envelope) as EventBody;
    t.strictSame([...Value.Errors(EventEnvelope, body)], [], type);
    t.match(body, { id: eventId, type, data: { id: s.PAYOUT_ID, amount: '40000' } });
    t.match(body.data, { currency: 'IDR', reference_id: 'gaji-1' });
    t.notMatch(envelope, /1234567890|Budi/);
  }
  t.strictSame(sent.map(({ type }) => type).sort(), [...PAYOUT_WEBHOOK_TYPES].sort());
  t.equal(sent[0]?.eventId, deriveEventId(s.PAYOUT_ID, 3));
  t.end();
});
