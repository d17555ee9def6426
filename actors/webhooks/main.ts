// The webhooks process: makes deliveries of events and delivers them. Any number of them share the work; what
// one leaves behind, another takes over. Wiring only, from top to bottom.
import { readFileSync } from 'node:fs';
import { nanoid } from 'nanoid';
import { parseRanges } from '../../ops/net/address.js';
import { createPoster } from '../../ops/net/post.js';
import { withDeadline } from '../../ops/runtime/deadline.js';
import { beginProcess } from '../../ops/runtime/process.js';
import { openSecret } from '../../ops/runtime/sealed.js';
import { closePostgres, openPostgres } from '../../store/postgres/client.js';
import { checkInstallation } from '../../store/postgres/installation.js';
import * as due from '../../store/postgres/webhooks/due-deliveries.js';
import * as outbox from '../../store/postgres/webhooks/fan-out.js';
import { recordAttempts } from '../../store/postgres/webhooks/record-attempts.js';
import { isReady, openRedis } from '../../store/redis/client.js';
import * as queues from '../../store/redis/deliveries.js';
import { subscribeEvents } from '../../store/redis/wake-up.js';
import { deliver, type DeliverParts } from './deliver.js';
import { runDueList } from './due-list.js';
import { createFanOut } from './fan-out.js';
import { LEASE_MS } from './lanes.js';
import { RECONCILER_LEASE_MS, runReconciler } from './reconciler.js';
import { Recorder } from './recorder.js';
import { createWebhookMetrics } from './webhook-metrics.js';
import { Worker } from './worker.js';

const CONNECTIONS = 2;
const STATEMENT_DEADLINE_MS = 5_000;
/** Of a partition. */
const TAKEN_OVER_AT_ONCE = 32;
const LAST_WRITES_MS = 5_000;

const { config, log, life, registry } = await beginProcess('webhooks');

const name = `webhooks-${process.pid}-${nanoid(8)}`;
const writes = openPostgres(config.databaseUrl, 'attempts', CONNECTIONS);
const reads = openPostgres(config.databaseUrl, 'webhooks reads', CONNECTIONS);
const fanning = openPostgres(config.databaseUrl, 'fan-out', CONNECTIONS);
life.onStop('postgres', () => Promise.all([writes, reads, fanning].map(closePostgres)));
await checkInstallation(fanning, { partitions: config.partitions, idKey: config.idKey });
await outbox.ensureCursors(fanning);

let isRedisLost = false;
const openLogged = () => {
  const client = openRedis(config.redisUrl, (error) => {
    if (!isRedisLost) log.warn({ err: error }, 'redis');
    isRedisLost = true;
  });
  client.on('ready', () => {
    isRedisLost = false;
  });
  life.onStop('redis', () => {
    client.disconnect();
  });
  return client;
};
const redis = openLogged();
const reading = openLogged();
const hearing = openLogged();

const { allowTargets, caFile, retrySeconds } = config.webhooks;
const poster = createPoster({
  allowed: parseRanges(allowTargets),
  ...(caFile === null ? {} : { extraCa: readFileSync(caFile, 'utf8') }),
});
life.onStop('connections', () => poster.close());

const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
  withDeadline(statement, STATEMENT_DEADLINE_MS);
const { stopping } = life;
const metrics = createWebhookMetrics(registry);
const mend = async (): Promise<void> => {
  const partitions = await queues.mendDeliveries(redis);
  if (partitions === 0) return;
  metrics.onMended(partitions);
  log.info({ partitions }, 'delivery streams were made (again)');
};
const deliverParts: DeliverParts = {
  poster,
  openSecret: (endpointId, sealed) => openSecret(config.secretsKeys, endpointId, sealed),
  brandHeader: config.brand.header,
  scheduleS: retrySeconds,
  random: Math.random,
  nowMs: Date.now,
};
const giveUp = new AbortController();
const recorder = new Recorder({
  record: (rows) => bounded(recordAttempts(writes, rows)),
  finish: (ends) => queues.finishEntries(redis, ends),
  onFinished: (ending) => {
    worker.onFinished(ending);
  },
  giveUp: giveUp.signal,
  log,
});
const worker: Worker = new Worker({
  stopping,
  take: (count, blockMs) => queues.takeReady(reading, name, count, blockMs),
  mend,
  load: (ids) => bounded(due.loadDeliveries(reads, ids)),
  deliver: (delivery) => deliver(deliverParts, delivery),
  end: (ending) => {
    recorder.add(ending);
  },
  metrics,
  log,
});
const fanOut = createFanOut({
  stopping,
  fanOut: () => bounded(outbox.fanOut(fanning)),
  enqueue: (deliveries) => queues.enqueueDeliveries(redis, deliveries),
  onEvents: metrics.onEvents,
  log,
});
subscribeEvents(hearing, fanOut.wake);

life.onStop('deliveries', async () => {
  // Attempts under way end within their deadline; then their results get a little time to be written.
  const timer = setTimeout(() => {
    giveUp.abort();
  }, LEASE_MS + LAST_WRITES_MS);
  await worker.drain();
  clearTimeout(timer);
  if (isReady(redis)) await queues.leaveGroup(redis, name).catch(() => null);
});

const loops = [
  worker.run(),
  fanOut.run(),
  runDueList({ stopping, move: (nowMs) => queues.moveDue(redis, nowMs), log }),
  runReconciler({
    stopping,
    mend,
    takeOver: () => queues.takeOverStale(redis, name, LEASE_MS, TAKEN_OVER_AT_ONCE),
    accept: (entries) => worker.accept(entries),
    leads: () => queues.leadReconciling(redis, name, RECONCILER_LEASE_MS),
    findOverdue: (after, limit) => bounded(due.findOverdue(reads, after, limit)),
    enqueue: (deliveries) => queues.enqueueDeliveries(redis, deliveries),
    countBacklog: () => bounded(due.countBacklog(reads)),
    onRefilled: metrics.onRefilled,
    setBacklog: metrics.setBacklog,
    log,
  }),
];
life.ready();
await Promise.all(loops);
