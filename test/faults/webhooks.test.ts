// Webhooks under faults: a receiver that is away, workers that die, a Redis that loses everything, streams and
// groups that are deleted. Every event arrives, with its one id, and nothing is left behind.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildReadyKey } from '#store/redis/keys.js';
import { DELIVERY_PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import { startPostgres } from '../support/servers.js';
import { countKept } from '../support/webhooks/kept.js';
import { countDeliveries } from '../support/webhooks/outbox.js';
import { isSignatureRight } from '../support/webhooks/verify.js';
import { startWebhookStage, type WebhookStage } from '../support/webhooks/stage.js';

const ARRIVES_MS = 60_000;
/** The contract says 5 s; three times its length. */
const HEALS_MS = 15_000;
const PER_TICK = 10;
const TICK_MS = 50;
/** A wiped Redis: one line for each outage of each part, some for reconnecting; no storm. */
const MAX_WARNINGS = 60;

/** Emits a steady load until it is stopped; answers all ids. */
function startLoad(stage: WebhookStage): { stop: () => Promise<string[]> } {
  const ids: string[] = [];
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      ids.push(...(await stage.emit(PER_TICK)));
      await sleep(TICK_MS);
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      await running;
      return ids;
    },
  };
}

/** An event that is committed after the harm arrives: it passed everything that was lost. Answers its id. */
async function expectHealed(t: Test, stage: WebhookStage): Promise<string> {
  const began = performance.now();
  const [marker = ''] = await stage.emit(1);
  await waitUntil('what comes after the harm arrives', HEALS_MS, () =>
    stage.receiver.received.some(({ id }) => id === marker),
  );
  t.comment(`healed within ${Math.round(performance.now() - began)} ms`);
  return marker;
}

async function expectAll(t: Test, stage: WebhookStage, ids: readonly string[]): Promise<void> {
  const { receiver, sql, endpoint } = stage;
  await waitUntil('every event has arrived', ARRIVES_MS, () => {
    const arrived = new Set(receiver.received.map(({ id }) => id));
    return ids.every((id) => arrived.has(id));
  });
  const emitted = new Set(ids);
  t.ok(
    receiver.received.every(({ id }) => emitted.has(id)),
    'nothing but the events',
  );
  const bodies = new Set(receiver.received.map(({ body }) => body.toString()));
  t.equal(bodies.size, emitted.size, 'one id, one body');
  t.ok(
    receiver.received.every(({ headers, body }) =>
      isSignatureRight(headers, body, endpoint.secret),
    ),
    'all signed',
  );
  await waitUntil('all are settled', ARRIVES_MS, async () => {
    const { pending = 0, dead = 0, delivered = 0 } = await countDeliveries(sql);
    return pending === 0 && dead === 0 && delivered === ids.length;
  });
  await waitUntil(
    'nothing is left in Redis',
    ARRIVES_MS,
    async () => (await countKept(stage.redisClient)) === 0,
  );
  t.comment(`${ids.length} events, ${receiver.received.length} requests`);
}

t.test('a receiver that was away gets everything when it is back', async (t) => {
  const stage = await startWebhookStage(t);
  const ids = await stage.emit(50);
  await waitUntil('some have arrived', ARRIVES_MS, () => stage.receiver.received.length >= 50);
  await stage.receiver.stop();
  ids.push(...(await stage.emit(200)));
  await waitUntil('attempts fail', ARRIVES_MS, async () => {
    const rows = await stage.sql`
      select count(*)::int as failed from webhook_attempts where failure = 'connection'`;
    return Number(rows[0]?.['failed']) > 5;
  });
  await stage.receiver.start();
  await expectAll(t, stage, ids);
});

t.test('kill -9 of workers under load, one after the other', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const load = startLoad(stage);
  for (let round = 0; round < 4; round += 1) {
    const victim = stage.processes[round % 2];
    await sleep(400);
    await victim?.kill();
    await sleep(200);
    await victim?.start();
  }
  await expectAll(t, stage, await load.stop());
});

t.test('a Redis that comes back empty, twice, under load', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const load = startLoad(stage);
  const markers: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await sleep(700);
    await stage.redis.restart({ isWiped: true });
    markers.push(await expectHealed(t, stage));
  }
  await expectAll(t, stage, [...(await load.stop()), ...markers]);
  for (const process of stage.processes) {
    t.ok(process.isRunning(), 'it did not end');
    const lines = process.logs().filter(({ level }) => level === 'warn' || level === 'error');
    t.ok(lines.length < MAX_WARNINGS, `no storm in the log (${lines.length})`);
  }
});

t.test('FLUSHALL, deleted streams and destroyed groups under load', async (t) => {
  const stage = await startWebhookStage(t);
  const { redisClient } = stage;
  const load = startLoad(stage);
  const markers: string[] = [];
  const all = Array.from({ length: DELIVERY_PARTITIONS }, (_, partition) =>
    buildReadyKey(partition),
  );
  const harms = [
    () => redisClient.flushall(),
    () => redisClient.del(...all),
    () => Promise.all(all.map((key) => redisClient.xgroup('DESTROY', key, 'webhooks'))),
  ];
  for (const harm of harms) {
    await sleep(500);
    await harm();
    markers.push(await expectHealed(t, stage));
  }
  await expectAll(t, stage, [...(await load.stop()), ...markers]);
});

t.test('a Postgres that dies and comes back, while attempts are under way', async (t) => {
  const postgres = await startPostgres(t);
  const databaseUrl = await postgres.createDatabase('kasir');
  const stage = await startWebhookStage(t, { databaseUrl });
  const { receiver } = stage;
  receiver.behave((_received, response) => {
    setTimeout(() => response.writeHead(200).end(), 300);
  });
  const ids = await stage.emit(200);
  await waitUntil('attempts are under way', ARRIVES_MS, () => receiver.received.length > 20);
  await postgres.kill();
  await sleep(1_000);
  await postgres.start();
  await waitUntil('it takes events again', HEALS_MS, async () => {
    ids.push(...(await stage.emit(10)));
    return true;
  });
  await expectAll(t, stage, ids);
  t.equal(receiver.received.length, ids.length, 'results were kept until they could be written');
});

t.test('SIGTERM ends it soon and cleanly, and another goes on', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const load = startLoad(stage);
  await sleep(500);
  await stage.processes[0]?.stop();
  t.equal(stage.processes[0]?.ended(), 0);
  await sleep(500);
  await expectAll(t, stage, await load.stop());
});
