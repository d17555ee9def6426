// Webhooks processes whose clocks are wrong. Delays are counted by the clocks of the stores, so a delivery that such a
// process has planned is attempted in time, also by other processes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildDueKey, buildLanesKey } from '#store/redis/keys.js';
import { findDeliveryPartition } from '#store/redis/webhooks/delivery-partitions.js';
import { startProcess, type Variables } from '#test/support/processes.js';
import { makeFolder, type TestScope } from '#test/support/servers.js';
import { countDeliveries } from '#test/support/webhooks/outbox.js';
import { answerWith } from '#test/support/webhooks/receiver.js';
import { startWebhookStage, type WebhookStage } from '#test/support/webhooks/stage.js';

const SIX_HOURS_MS = 21_600_000;
const EVENTS = 3;

/** Variables of a process whose wall clock is ahead (negative: behind). */
function setClock(t: TestScope, aheadMs: number): Variables {
  const file = join(makeFolder(t), 'clock.mjs');
  writeFileSync(file, `const now = Date.now;\nDate.now = () => now() + ${aheadMs};\n`);
  return { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
}

const waitForFailures = ({ sql }: WebhookStage): Promise<unknown> =>
  waitUntil('every delivery has failed', async () => {
    const rows = await sql`select distinct delivery_id from webhook_attempts`;
    return rows.length === EVENTS;
  });

const waitForDelivered = ({ sql }: WebhookStage): Promise<unknown> =>
  waitUntil('every delivery is made', async () => {
    return (await countDeliveries(sql))['delivered'] === EVENTS;
  });

for (const [how, aheadMs] of [
  ['six hours ahead', SIX_HOURS_MS],
  ['six hours behind', -SIX_HOURS_MS],
] as const) {
  t.test(`retries that a process planned with its clock ${how} are made in time`, async (t) => {
    const stage = await startWebhookStage(t, { variables: setClock(t, aheadMs) });
    const { receiver, processes, variables } = stage;
    receiver.behave(answerWith(503));
    await stage.emit(EVENTS);
    await waitForFailures(stage);
    const [first] = await stage.sql<{ isOff: boolean }[]>`
      select bool_or(abs(extract(epoch from at - now())) > 3600) as "isOff" from webhook_attempts`;
    t.equal(first?.isOff, false, 'attempts have the time of Postgres');
    await processes[0]?.stop();
    receiver.behave(answerWith(200));
    await startProcess(t, 'webhooks', { ...variables, NODE_OPTIONS: '' });
    await waitForDelivered(stage);
  });
}

t.test('a due time that is far too late in Redis is corrected', async (t) => {
  const stage = await startWebhookStage(t);
  const { receiver, redisClient, endpoint, processes, sql } = stage;
  const partition = findDeliveryPartition(endpoint.id);
  receiver.behave(answerWith(503));
  await stage.emit(EVENTS);
  await waitForFailures(stage);
  await processes[0]?.stop();
  const lateMs = String(Date.now() + SIX_HOURS_MS);
  for (const key of [buildDueKey(partition), buildLanesKey(partition)]) {
    const members = await redisClient.zrange(key, '0', '-1');
    if (members.length > 0) await redisClient.zadd(key, ...members.flatMap((one) => [lateMs, one]));
  }
  const { id } = (await sql<{ id: string }[]>`select id from webhook_deliveries`)[0] ?? { id: '' };
  await redisClient.zadd(buildDueKey(partition), lateMs, `${endpoint.id} ${id}`);
  receiver.behave(answerWith(200));
  await processes[0]?.start();
  await waitForDelivered(stage);
});
