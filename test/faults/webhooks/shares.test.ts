// Several webhooks processes: one of them has the lane of an endpoint, and the others take it over.
import t from 'tap';
import { MAX_IN_FLIGHT } from '#actors/webhooks/deliveries/lane.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { readMetrics, startProcess } from '#test/support/processes.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { countPending } from '#test/support/webhooks/kept.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { answerWith } from '#test/support/webhooks/receiver.js';
import { startWebhookStage, type WebhookStage } from '#test/support/webhooks/stage.js';

const PROCESSES = 4;
const EVENTS = 400;
const ANSWERS_MS = 20;
/** More than an endpoint in each share, most likely. */
const ENDPOINTS = 8;
const FEW_EVENTS = 40;

/** Each process logs among how many it divides the partitions. */
const waitUntilShared = ({ processes }: Pick<WebhookStage, 'processes'>): Promise<unknown> =>
  waitUntil('all processes share the work', () =>
    processes.every((process) => {
      const counts = process.logs().flatMap(({ processes: count }) => count ?? []);
      return counts.at(-1) === processes.length;
    }),
  );

t.test(
  'an endpoint gets the attempts of one lane, and another process takes it over',
  async (t) => {
    const stage = await startWebhookStage(t, { processes: PROCESSES });
    const { receiver, redisClient, sql, processes } = stage;
    await waitUntilShared(stage);
    let [open, most] = [0, 0];
    receiver.behave((received, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        answerWith(200)(received, response);
      }, ANSWERS_MS);
    });
    const waitForDelivered = (count: number): Promise<unknown> =>
      waitUntil('every event is delivered', async () => {
        return (await countDeliveries(sql))['delivered'] === count;
      });
    await stage.emit(EVENTS);
    await waitForDelivered(EVENTS);
    t.ok(most <= MAX_IN_FLIGHT, `${most} attempts at once`);

    receiver.behave(() => {});
    await stage.emit(EVENTS);
    const owner = await waitUntil('a process holds deliveries', async () => {
      const names = [...(await countPending(redisClient)).keys()];
      return processes.find((one) =>
        names.some((name) => name.startsWith(`webhooks-${one.pid()}-`)),
      );
    });
    await owner.kill();
    receiver.behave(answerWith(200));
    await waitForDelivered(2 * EVENTS);
  },
);

t.test('every event is fanned out once by the processes that share the partitions', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const { receiver, processes } = stage;
  await waitUntilShared(stage);
  const ids = await stage.emit(EVENTS);
  await waitUntil('every event has arrived', () => {
    return receiver.received.length === ids.length;
  });
  const counts = await Promise.all(
    processes.map(async (one) =>
      Number(/^kasir_webhook_events_total (\d+)$/m.exec(await readMetrics(one))?.[1]),
    ),
  );
  t.equal(counts[0] ?? 0, ids.length - (counts[1] ?? 0));
  t.ok(Math.min(...counts) > 0, `both have fanned out: ${counts.join(' and ')}`);
});

t.test('a process that is cut off from Postgres leaves its share to the others', async (t) => {
  const stage = await startWebhookStage(t);
  const { receiver, databaseUrl, merchantId, sql, variables } = stage;
  const proxy = await startProxy(t, Number(new URL(databaseUrl).port));
  const cutOff = await startProcess(t, 'webhooks', {
    ...variables,
    DATABASE_URL: proxy.through(databaseUrl),
  });
  await waitUntilShared({ processes: [...stage.processes, cutOff] });
  for (let more = 1; more < ENDPOINTS; more += 1) {
    await addEndpoint(sql, merchantId, `${receiver.url}/${more}`);
  }
  proxy.hold();
  await stage.emit(FEW_EVENTS);
  await waitUntil('every event is delivered', async () => {
    return (await countDeliveries(sql))['delivered'] === FEW_EVENTS * ENDPOINTS;
  });
  proxy.heal();
  await waitUntilShared({ processes: [...stage.processes, cutOff] });
});
