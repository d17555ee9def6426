// Metrics of deliveries while the Redis of their queues is away: counts go on, and the age of the reconciler grows.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { readMetrics, startProcess } from '#test/support/processes.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const AGE = 'kasir_webhook_reconciler_age_seconds';

const { sql, redis, endpoint, variables } = await startWebhookStage(t, { processes: 0 });
const webhooks = await startProcess(t, 'webhooks', variables);

async function readGauge(name: string): Promise<number> {
  const page = await readMetrics(webhooks);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
}

t.test('without Redis deliveries are counted, and the age of the reconciler grows', async (t) => {
  await waitUntil('a round has finished', async () => (await readGauge(AGE)) < 2);
  await redis.kill();
  const id = `del_${encodeBase32(randomBytes(16))}`;
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, body)
    values (${id}, ${`evt_${id}`}, ${endpoint.id}, 'pay_1', 2, 'payment.paid', '{}')`;
  await waitUntil('it is counted', async () => (await readGauge('kasir_webhook_pending')) === 1);
  await waitUntil('no round finishes', async () => (await readGauge(AGE)) > 3);
  await redis.start();
  await waitUntil('rounds finish again', async () => (await readGauge(AGE)) < 2);
  await waitUntil('none waits', async () => (await readGauge('kasir_webhook_pending')) === 0);
  t.pass();
});
