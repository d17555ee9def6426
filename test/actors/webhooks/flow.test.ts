// From a request of a merchant to the signed webhook at its receiver, through the whole service.
import { setTimeout as sleep } from 'node:timers/promises';
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

const ARRIVES_MS = 10_000;
/** Long enough for what must not come to have come. */
const QUIET_MS = 1_000;

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
const ofPayment = (id: string): Received[] =>
  receiver.received.filter(({ body }) => body.toString().includes(id));
const arrives = (id: string): Promise<Received> =>
  waitUntil('the webhook arrives', ARRIVES_MS, () => ofPayment(id)[0]);

t.test('a simulated payment is one payment.paid, signed in both schemes', async (t) => {
  const id = await create();
  t.equal((await service.api.simulate(id, 'paid')).status, 200);
  const { headers, body } = await arrives(id);
  const text = body.toString();
  const event = JSON.parse(text) as { data: Record<string, unknown> };
  t.match(event, { id: /^evt_/, type: 'payment.paid', data: { id, status: 'paid' } });
  t.match(event.data, { amount: '150000', currency: 'IDR', reference_id: 'ord_1', late: false });
  t.equal((await service.api.get(id)).body['status'], 'paid');

  t.ok(isSignatureRight(headers, body, secret), 'as the specification says');
  t.notOk(isSignatureRight(headers, Buffer.concat([body, Buffer.from(' ')]), secret));
  t.notOk(isSignatureRight(headers, body, `${secret}x`));
  t.strictSame(new Webhook(secret).verify(text, headers as Record<string, string>), event);
  t.throws(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>));

  t.match(headers, {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-service-event-id': headers['webhook-id'],
    'x-service-delivery-attempt': '1',
    'x-service-timestamp': headers['webhook-timestamp'],
  });
  t.ok(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1000) < 30);
  await sleep(QUIET_MS);
  t.equal(ofPayment(id).length, 1, 'once');
});

t.test(
  'an event with a broken envelope stands in nobody’s way, and an operator hears of it',
  async () => {
    await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type,
                                at, event, merchant_id, environment, envelope)
    select id, position_ms, position_seq + 1, 0, 'pay_broken_' || id, 2, 'settled', now(), '{}',
           ${service.merchant.merchantId}, 'TEST', '{"id":"evt_1","type'
      from partitions`;
    const id = await create();
    await service.api.simulate(id, 'paid');
    await arrives(id);
    const [{ partitions } = { partitions: 0 }] = await sql<{ partitions: number }[]>`
    select count(*)::int as partitions from partitions`;
    await waitUntil('they are counted', ARRIVES_MS, async () => {
      const page = await readMetrics(webhooks);
      return page.includes(`\nwebhook_events_set_aside ${partitions}\n`);
    });
  },
);

t.test('failed and cancelled have theirs, and filters hold', async (t) => {
  const [failed, cancelled] = [await create(), await create()];
  await service.api.simulate(failed, 'failed');
  await service.api.cancel(cancelled);
  t.equal((await arrives(failed)).type, 'payment.failed');
  t.equal((await arrives(cancelled)).type, 'payment.cancelled');
  await sleep(QUIET_MS);
  t.strictSame(new Set(paidOnly.received.map(({ type }) => type)), new Set(['payment.paid']));
});

t.test('every attempt is on record', async (t) => {
  await waitUntil('all are settled', ARRIVES_MS, async () => {
    const { pending = 0, delivered = 0 } = await countDeliveries(sql);
    return pending === 0 && delivered === receiver.received.length + paidOnly.received.length;
  });
  const rows =
    await sql`select distinct attempt, status_code, failure, excerpt from webhook_attempts`;
  t.strictSame([...rows], [{ attempt: 1, status_code: 200, failure: null, excerpt: 'thanks' }]);
});

t.test('an endpoint gets nothing of another merchant or environment', async (t) => {
  const rows = await sql`
    select count(*)::int as strange from webhook_deliveries d
      join webhook_endpoints w on w.id = d.endpoint_id
      join payments p on p.id = d.payment_id
     where p.merchant_id <> w.merchant_id or p.environment <> w.environment`;
  t.equal(rows[0]?.['strange'], 0);
});
