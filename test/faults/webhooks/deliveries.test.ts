// Webhooks under faults: an unreachable receiver, killed workers, a Redis that loses everything, deleted streams and
// groups. Every event must arrive with its one id, and the queues must be empty afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildReadyKey } from '#store/redis/keys.js';
import { DELIVERY_PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import { waitUntilQuiet } from '#test/support/waits/quiet.js';
import { startPostgres } from '#test/support/servers.js';
import { countKept } from '#test/support/webhooks/kept.js';
import { countDeliveries } from '#test/support/webhooks/outbox.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';
import { startWebhookStage, type WebhookStage } from '#test/support/webhooks/stage.js';

/** Three times the 5 s that the contract promises. */
const HEALS_MS = 15_000;
const PER_TICK = 10;
const TICK_MS = 50;
/** Beyond this backlog no event is emitted, so that a slow machine is not judged by its queue. */
const MAX_BACKLOG = 100;
/** Arrivals between two faults: the load is under way. */
const UNDER_WAY = 50;
/** For a wiped Redis: one line for each outage of each loop, and some for reconnecting. */
const MAX_WARNINGS = 60;

/** Emits a steady load until it is stopped, or the test ends; `stop` returns all ids. */
function startLoad(t: Test, stage: WebhookStage): { stop: () => Promise<string[]> } {
  const ids: string[] = [];
  let isStopped = false;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const backlog = ids.length - stage.receiver.received.length;
      if (backlog < MAX_BACKLOG) ids.push(...(await stage.emit(PER_TICK)));
      await sleep(TICK_MS);
    }
  };
  const running = run();
  const stop = async (): Promise<string[]> => {
    isStopped = true;
    await running;
    return ids;
  };
  t.teardown(stop);
  return { stop };
}

/** Waits until more events have arrived, as a sign that deliveries go on. */
function waitForArrivals({ receiver }: WebhookStage): Promise<unknown> {
  const before = receiver.received.length;
  return waitUntil(
    'deliveries go on',
    () => receiver.received.length >= before + UNDER_WAY,
    HEALS_MS,
  );
}

/** Expects an event that is committed after the fault to arrive in time; returns its id. */
async function expectHealed(t: Test, stage: WebhookStage): Promise<string> {
  const began = performance.now();
  const [marker = ''] = await stage.emit(1);
  await waitUntil(
    'an event after the fault arrives',
    () => stage.receiver.received.some(({ id }) => id === marker),
    HEALS_MS,
  );
  t.comment(`healed within ${Math.round(performance.now() - began)} ms`);
  return marker;
}

async function expectAll(t: Test, stage: WebhookStage, ids: readonly string[]): Promise<void> {
  const { receiver, sql, endpoint } = stage;
  await waitUntil('every event has arrived', () => {
    const arrived = new Set(receiver.received.map(({ id }) => id));
    return ids.every((id) => arrived.has(id));
  });
  const emitted = new Set(ids);
  t.ok(
    receiver.received.every(({ id }) => emitted.has(id)),
    'no other request',
  );
  const bodies = new Set(receiver.received.map(({ body }) => body.toString()));
  t.equal(bodies.size, emitted.size, 'one body for each id');
  t.ok(
    receiver.received.every(({ headers, body }) =>
      isSignatureRight(headers, body, endpoint.secret),
    ),
    'all signed',
  );
  await waitUntil('all are settled', async () => {
    const { pending = 0, dead = 0, delivered = 0 } = await countDeliveries(sql);
    return pending === 0 && dead === 0 && delivered === ids.length;
  });
  await waitUntil(
    'nothing is left in Redis',
    async () => (await countKept(stage.redisClient)) === 0,
  );
  t.comment(`${ids.length} events, ${receiver.received.length} requests`);
}

t.test('a receiver that was unreachable receives every event when it is back', async (t) => {
  const stage = await startWebhookStage(t);
  const ids = await stage.emit(50);
  await waitUntil('some have arrived', () => stage.receiver.received.length >= 50);
  await stage.receiver.stop();
  ids.push(...(await stage.emit(200)));
  await waitUntil('attempts fail', async () => {
    const rows = await stage.sql`
      select count(*)::int as failed from webhook_attempts where failure = 'connection'`;
    return Number(rows[0]?.['failed']) > 5;
  });
  await stage.receiver.start();
  await expectAll(t, stage, ids);
});

t.test('every event arrives while workers are killed under load', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const load = startLoad(t, stage);
  for (let round = 0; round < 4; round += 1) {
    const victim = stage.processes[round % 2];
    await waitForArrivals(stage);
    await victim?.kill();
    await waitForArrivals(stage);
    await victim?.start();
  }
  await expectAll(t, stage, await load.stop());
});

t.test(
  'every event arrives while Redis is wiped twice under load, without a storm of log lines',
  async (t) => {
    const stage = await startWebhookStage(t, { processes: 2 });
    const load = startLoad(t, stage);
    const markers: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await waitForArrivals(stage);
      await stage.redis.restart({ isWiped: true });
      markers.push(await expectHealed(t, stage));
    }
    await expectAll(t, stage, [...(await load.stop()), ...markers]);
    for (const process of stage.processes) {
      t.ok(process.isRunning(), 'the process is alive');
      const lines = process.logs().filter(({ level }) => level === 'warn' || level === 'error');
      t.ok(lines.length < MAX_WARNINGS, `${lines.length} warnings`);
    }
  },
);

t.test(
  'every event arrives after FLUSHALL, deleted streams and destroyed groups under load',
  async (t) => {
    const stage = await startWebhookStage(t);
    const { redisClient } = stage;
    const load = startLoad(t, stage);
    const markers: string[] = [];
    const all = Array.from({ length: DELIVERY_PARTITIONS }, (_, partition) =>
      buildReadyKey(partition),
    );
    const faults = [
      () => redisClient.flushall(),
      () => redisClient.del(...all),
      () => Promise.all(all.map((key) => redisClient.xgroup('DESTROY', key, 'webhooks'))),
    ];
    for (const injectFault of faults) {
      await waitForArrivals(stage);
      await injectFault();
      markers.push(await expectHealed(t, stage));
    }
    await expectAll(t, stage, [...(await load.stop()), ...markers]);
  },
);

t.test(
  'attempts under way while Postgres is killed are recorded when it is back, without a repeat',
  async (t) => {
    const postgres = await startPostgres(t);
    const databaseUrl = await postgres.createDatabase('kasir');
    const stage = await startWebhookStage(t, { databaseUrl });
    const { receiver } = stage;
    receiver.behave((_received, response) => {
      setTimeout(() => response.writeHead(200).end(), 300);
    });
    const ids = await stage.emit(200);
    await waitUntil('attempts are under way', () => receiver.received.length > 20);
    const [worker] = stage.processes;
    const countWarnings = (): number =>
      worker?.logs().filter(({ level }) => level === 'warn').length ?? 0;
    const before = countWarnings();
    await postgres.kill();
    await waitUntil('the process misses Postgres', () => countWarnings() > before);
    await waitUntilQuiet('attempts under way have ended', () => receiver.received.length);
    await postgres.start();
    await waitUntil(
      'Postgres accepts events again',
      async () => {
        ids.push(...(await stage.emit(10)));
        return true;
      },
      HEALS_MS,
    );
    await expectAll(t, stage, ids);
    t.equal(receiver.received.length, ids.length, 'outcomes were kept until they could be written');
  },
);

t.test('a process that gets SIGTERM exits with 0, and another delivers the rest', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const load = startLoad(t, stage);
  await waitForArrivals(stage);
  await stage.processes[0]?.stop();
  t.equal(stage.processes[0]?.ended(), 0);
  await waitForArrivals(stage);
  await expectAll(t, stage, await load.stop());
});
