// Events whose envelope cannot be read: they are quarantined, delay no other event, and are delivered after a repair.
import t from 'tap';
import { ensureCursors } from '#store/postgres/cursors.js';
import { deriveEventId, parseEventId, type PaymentId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { countBacklog } from '#store/postgres/webhooks/due-deliveries.js';
import { fanOut, resumeQuarantined } from '#store/postgres/webhooks/fan-out.js';
import {
  findEvent as readEvent,
  listEvents,
  listPaymentEvents,
} from '#store/postgres/payments/list-events.js';
import type { PagePlace } from '#store/postgres/page.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/hook');

/** An event's payment and envelope, by the event's id. */
async function findEvent(eventId: string): Promise<{ paymentId: string; envelope: string }> {
  const [event] = await sql<{ paymentId: string; envelope: string }[]>`
    select payment_id as "paymentId", envelope from payment_events
     where envelope like ${`{"id":"${eventId}"%`}`;
  if (event === undefined) throw new Error(`no event ${eventId}`);
  return event;
}

/** The ids of all events that the merchant can list. */
async function listShown(): Promise<string[]> {
  const filter = { merchantId, environment: 'TEST', type: null } as const;
  const shown: string[] = [];
  for (let after: PagePlace | null = null; ;) {
    const page = await listEvents(sql, filter, { limit: 5, after });
    for (const { envelope } of page.rows.slice(0, 5)) {
      shown.push((JSON.parse(envelope) as { id: string }).id);
    }
    after = page.rows.length > 5 ? (page.rows[4] ?? null) : page.stoppedAt;
    if (after === null) return shown;
  }
}

const putEnvelope = (paymentId: string, envelope: string) =>
  sql`update payment_events set envelope = ${envelope} where payment_id = ${paymentId}`;

t.test(
  'an event with an unreadable envelope is quarantined until its envelope is repaired',
  async (t) => {
    const broken: ((envelope: string) => string)[] = [
      () => '',
      () => 'not JSON',
      () => '[]',
      () => '['.repeat(100_000),
      (envelope) => envelope.slice(0, -1),
      (envelope) => envelope.replace('"id"', '"di"'),
      (envelope) => envelope.replace('"payment.paid"', 'null'),
      (envelope) => envelope.replace('{"id"', '{ "id"'),
      (envelope) => envelope.replace('evt_', 'evt-'),
      (envelope) => envelope.replace('evt_', 'evt_A'),
      (envelope) => envelope.replace(/evt_[0-9a-z]+/, 'evt_'),
      ...['paid', 'payment.', '.paid', 'payment.was.paid', 'payment.Paid', 'payment.paid,'].map(
        (type) => (envelope: string) => envelope.replace('payment.paid', type),
      ),
    ];
    const odd = [String.raw`\u0000`, String.raw`\ud800`].map(
      (text) => (envelope: string) => envelope.replace('15000', text),
    );
    // More than there are partitions, so that readable events follow unreadable ones in a partition.
    const ids = await addEvents(sql, merchantId, 48);
    const events = await Promise.all(ids.map(findEvent));
    for (const [n, change] of [...broken, ...odd].entries()) {
      const { paymentId = '', envelope = '' } = events[n] ?? {};
      await putEnvelope(paymentId, change(envelope));
    }
    const expected = events.slice(0, broken.length).map(({ paymentId }) => `${paymentId} 2`);
    const made = await fanOut(sql);
    t.equal(made.events, ids.length);
    t.strictSame(new Set(made.quarantined), new Set(expected));
    t.equal(
      made.deliveries.length,
      ids.length - broken.length,
      'readable events are fanned out, the odd ones too',
    );
    t.strictSame(await fanOut(sql), { events: 0, deliveries: [], quarantined: [] });
    t.equal((await countBacklog(sql)).quarantined, broken.length);
    t.strictSame(
      new Set(await listShown()),
      new Set(ids.slice(broken.length)),
      'quarantined events are not listed',
    );
    t.match(
      await resumeQuarantined(sql, 100),
      { events: 0, deliveries: { length: 0 } },
      'unrepaired events stay quarantined',
    );
    const { paymentId = '', envelope = '' } = events[0] ?? {};
    const key = parseEventId(deriveEventId(paymentId as PaymentId, 2));
    if (key === undefined) throw new Error(`${paymentId} has no events`);
    const owner = { merchantId, environment: 'TEST' } as const;
    const read = () =>
      Promise.all([readEvent(sql, key, owner), listPaymentEvents(sql, key.paymentId)]);
    t.strictSame(await read(), [[], []]);
    await putEnvelope(paymentId, envelope);
    t.strictSame(await read(), [[envelope], [envelope]]);
    t.equal(
      (await listShown()).length,
      ids.length - broken.length + 1,
      'a repaired event is listed',
    );
    const resumed = await resumeQuarantined(sql, 100);
    t.match(resumed, { events: 1, deliveries: [{ endpointId: endpoint.id }] });
    t.equal((await countBacklog(sql)).quarantined, broken.length - 1);
  },
);
