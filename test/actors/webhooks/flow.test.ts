// From a merchant's request to the signed webhook at its receiver, through the whole service.
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { readMetrics, startProcess } from '#test/support/processes.js';
import { startServingService } from '#test/support/serving.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import {
  type Received,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';

const receiver = await startReceiver(t);
const variables = await receiverVariables(t);
const service = await startServingService(t, { variables });
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const { secret } = await addEndpoint(sql, service.merchant.merchantId, receiver.url);
const paidOnly = await startReceiver(t);
await addEndpoint(sql, service.merchant.merchantId, paidOnly.url, ['payment.paid']);
const webhooks = await startProcess(t, 'webhooks', service.variables);

const create = async (): Promise<string> =>
  String((await service.api.create({ amount: '150000', reference_id: 'ord_1' })).body['id']);
const listReceived = (id: string): Received[] =>
  receiver.received.filter(({ body }) => body.toString().includes(id));
const waitForWebhook = (id: string): Promise<Received> =>
  waitUntil('the webhook arrives', () => listReceived(id)[0]);

/** Until every delivery was received and recorded, so that no further request can come. */
const waitUntilSettled = (): Promise<unknown> =>
  waitUntil('all deliveries are settled', async () => {
    const { pending = 0, delivered = 0 } = await countDeliveries(sql);
    return pending === 0 && delivered === receiver.received.length + paidOnly.received.length;
  });

t.test(
  'a simulated payment is delivered as one payment.paid, signed in both schemes',
  async (t) => {
    const id = await create();
    t.equal((await service.api.simulate(id, 'paid')).status, 200);
    const { headers, body } = await waitForWebhook(id);
    const text = body.toString();
    const event = JSON.parse(text) as { data: Record<string, unknown> };
    t.match(event, { id: /^evt_/, type: 'payment.paid', data: { id, status: 'paid' } });
    t.match(event.data, { amount: '150000', currency: 'IDR', reference_id: 'ord_1', late: false });
    t.equal((await service.api.get(id)).body['status'], 'paid');

    t.ok(isSignatureRight(headers, body, secret), 'the signature of the body');
    t.notOk(isSignatureRight(headers, Buffer.concat([body, Buffer.from(' ')]), secret));
    t.notOk(isSignatureRight(headers, body, `${secret}x`));
    t.strictSame(new Webhook(secret).verify(text, headers as Record<string, string>), event);
    t.throws(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>));

    t.match(headers, {
      'content-type': 'application/json',
      accept: '*/*',
      'user-agent': 'Service-Webhooks/1.0',
      'x-service-event-id': headers['webhook-id'],
      'x-service-delivery-attempt': '1',
      'x-service-timestamp': headers['webhook-timestamp'],
    });
    t.ok(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1000) < 30);
    await waitUntilSettled();
    t.equal(listReceived(id).length, 1, 'once');
  },
);

t.test(
  'events with unreadable envelopes delay no other event and are counted in the metrics',
  async () => {
    await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                at, event, merchant_id, environment, envelope)
    select id, position_ms, position_seq + 1, 0, 'pay_broken_' || id, 2, 'settled', now(), '{}',
           ${service.merchant.merchantId}, 'TEST', '{"id":"evt_1","type'
      from partitions`;
    const id = await create();
    await service.api.simulate(id, 'paid');
    await waitForWebhook(id);
    const [{ partitions } = { partitions: 0 }] = await sql<{ partitions: number }[]>`
    select count(*)::int as partitions from partitions`;
    await waitUntil('the quarantined events are counted', async () => {
      const page = await readMetrics(webhooks);
      return page.includes(`\nkasir_webhook_events_set_aside ${partitions}\n`);
    });
  },
);

t.test(
  'failed and cancelled payments have their events, and endpoints receive the types of their filter only',
  async (t) => {
    const [failed, cancelled] = [await create(), await create()];
    await service.api.simulate(failed, 'failed');
    await service.api.cancel(cancelled);
    t.equal((await waitForWebhook(failed)).type, 'payment.failed');
    t.equal((await waitForWebhook(cancelled)).type, 'payment.cancelled');
    await waitUntilSettled();
    t.strictSame(new Set(paidOnly.received.map(({ type }) => type)), new Set(['payment.paid']));
  },
);

t.test('every attempt is recorded with status and excerpt', async (t) => {
  await waitUntilSettled();
  const rows =
    await sql`select distinct attempt, status_code, failure, excerpt from webhook_attempts`;
  t.strictSame([...rows], [{ attempt: 1, status_code: 200, failure: null, excerpt: 'thanks' }]);
});

t.test('no delivery belongs to another merchant or environment than its endpoint', async (t) => {
  const rows = await sql`
    select count(*)::int as foreign_count from webhook_deliveries d
      join webhook_endpoints w on w.id = d.endpoint_id
      join payments p on p.id = d.payment_id
     where p.merchant_id <> w.merchant_id or p.environment <> w.environment`;
  t.equal(rows[0]?.['foreign_count'], 0);
});
