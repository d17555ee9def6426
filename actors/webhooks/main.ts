// The webhooks process: makes deliveries of events and delivers them. Any number of them share the work; what
// one leaves behind, another takes over. Wiring only, from top to bottom.
import { readFileSync } from 'node:fs';
import { nanoid } from 'nanoid';
import { parseRanges } from '#ops/net/address.js';
import { createPoster } from '#ops/net/post.js';
import { createCounter } from '#ops/runtime/metrics.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { startProcess } from '#ops/runtime/process.js';
import { openSecret } from '#ops/runtime/sealed-secrets.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import * as erasing from '#store/postgres/payments/erasure-subjects.js';
import { collectSubjects } from '#store/postgres/payments/erasure-requests.js';
import * as followers from '#store/postgres/links-and-invoices/project-payments.js';
import { maintainDays, writeLogs } from '#store/postgres/merchants/write-api-logs.js';
import { checkInstallation } from '#store/postgres/installation.js';
import * as due from '#store/postgres/webhooks/due-deliveries.js';
import {
  deleteOldDeliveries,
  deleteUnreferenced,
} from '#store/postgres/webhooks/dead-letters/delete-deliveries.js';
import * as replays from '#store/postgres/webhooks/dead-letters/step-replays.js';
import { subscribeDue } from '#store/postgres/webhooks/due-notifications.js';
import * as failing from '#store/postgres/webhooks/failing-endpoints.js';
import * as outbox from '#store/postgres/webhooks/fan-out.js';
import { loadLiveEndpoints } from '#store/postgres/webhooks/live-endpoints.js';
import { recordAttempts } from '#store/postgres/webhooks/record-attempts.js';
import { sendFrames } from '#store/redis/commands.js';
import { dropPages, claimPages } from '#store/redis/api-logs.js';
import { isReady, openRedis, waitUntilReady } from '#store/redis/client.js';
import {
  countQueued,
  fetchDeferred,
  expediteDeliveries,
  moveDue,
} from '#store/redis/webhooks/due-list.js';
import * as group from '#store/redis/webhooks/delivery-group.js';
import * as ready from '#store/redis/webhooks/ready-entries.js';
import { subscribeEvents } from '#store/redis/wake-up.js';
import { runApiLogWriter } from './maintenance/api-log-writer.js';
import { runReplays } from './maintenance/replays.js';
import { runRetention } from './maintenance/retention.js';
import { deliver, type DeliverDeps } from './deliver.js';
import { runDueMover } from './due-mover.js';
import { createFanOut } from './fan-out.js';
import { startProjectionMetrics } from './projection-metrics.js';
import { runEraser } from './maintenance/eraser.js';
import { EndpointCache } from './endpoint-cache.js';
import { updateFailingEndpoints } from './maintenance/failing-endpoints.js';
import { LEASE_MS, RETURN_MS } from './lanes/lane.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { DeliveryReconciler, RECONCILER_LEASE_MS } from './maintenance/delivery-reconciler.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { createReadyReader } from './ready-reader.js';
import { createWebhookMetrics } from './webhook-metrics.js';
import { DeliveryWorker } from './delivery-worker.js';

const CONNECTIONS = 2;
const STATEMENT_DEADLINE_MS = 5_000;
/** Of a partition. */
const TAKEN_OVER_AT_ONCE = 32;
const RESUMED_AT_ONCE = 256;
const LAST_WRITES_MS = 5_000;
const START_WAIT_MS = 5_000;
const SILENT_CONSUMER_MS = 60_000;

const { config, log, lifecycle, registry } = await startProcess('webhooks');

const name = `webhooks-${process.pid}-${nanoid(8)}`;
const writes = openPostgres(config.databaseUrl, 'attempts', CONNECTIONS);
const reads = openPostgres(config.databaseUrl, 'webhooks reads', CONNECTIONS);
const fanning = openPostgres(config.databaseUrl, 'fan-out', CONNECTIONS);
// Its statement may wait for the lock of a payment link.
const collecting = openPostgres(config.databaseUrl, 'payment followers', 1);
const pools = [writes, reads, fanning, collecting];
lifecycle.onStop('postgres', () => Promise.all(pools.map(closePostgres)));
await checkInstallation(fanning, { partitions: config.partitions, idKey: config.idKey });
await outbox.ensureCursors(fanning);
await followers.ensureProjectionCursors(collecting);

const openLoggedRedis = () => {
  const client = openRedis(config.redisUrl, (error) => {
    log.warn({ err: error }, 'redis');
  });
  lifecycle.onStop('redis', () => {
    client.disconnect();
  });
  return client;
};
const redis = openLoggedRedis();
const reading = openLoggedRedis();
const hearing = openLoggedRedis();

const { allowTargets, caFile, retrySeconds } = config.webhooks;
const poster = createPoster({
  allowed: parseRanges(allowTargets),
  ...(caFile === null ? {} : { extraCa: readFileSync(caFile, 'utf8') }),
});
lifecycle.onStop('connections', () => poster.close());

const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
  runWithDeadline(statement, STATEMENT_DEADLINE_MS);
const { stopping } = lifecycle;
const metrics = createWebhookMetrics(registry, {
  countOpenBreakers: () => worker.countOpenBreakers(),
});
const repairStreams = async (): Promise<number> => {
  const partitions = await group.repairDeliveries(redis);
  if (partitions === 0) return 0;
  metrics.onRepaired(partitions);
  log.info({ partitions }, 'delivery streams were made (again)');
  return partitions;
};
const deliverDeps: DeliverDeps = {
  poster,
  brandHeader: config.brand.header,
  scheduleS: retrySeconds,
  random: Math.random,
  nowMs: Date.now,
};
const looking = new RetryLoop(log, 'looking up endpoints');
const book = new EndpointCache({
  load: (ids) => looking.retry(stopping, () => bounded(loadLiveEndpoints(reads, ids))),
  openSecret: (endpointId, sealed) => openSecret(config.secretsKeys, endpointId, sealed),
  nowMs: Date.now,
});
const logged = createCounter(registry, 'api_logs_written_total', 'API logs that were stored');
const erasures = createCounter(registry, 'erasures_total', 'What was erased, or could not be', [
  'outcome',
]);
const giveUp = new AbortController();
const recorder = new AttemptRecorder({
  record: (rows) => bounded(recordAttempts(writes, rows)),
  finish: (ends) => ready.finishEntries(redis, name, ends),
  onFinished: (ending) => {
    worker.onFinished(ending);
  },
  giveUp: giveUp.signal,
  log,
});
const worker: DeliveryWorker = new DeliveryWorker({
  stopping,
  read: createReadyReader(reading, name),
  readOwn: (count) => ready.readOwn(redis, name, count),
  renew: (entries) => ready.renewEntries(redis, name, entries),
  fetch: (endpointId, count) => fetchDeferred(redis, endpointId, count, Date.now() + RETURN_MS),
  repairStreams: async () => {
    if ((await repairStreams()) > 0) reconciler.noticeLoss();
  },
  load: (ids) => bounded(due.loadDeliveries(reads, ids)),
  findEndpoint: (endpointId) => book.find(endpointId),
  deliver: (delivery, endpoint, mayBegin) => deliver(deliverDeps, delivery, endpoint, mayBegin),
  record: (ending) => {
    recorder.add(ending);
  },
  metrics,
  log,
});
const reconciler: DeliveryReconciler = new DeliveryReconciler({
  stopping,
  repairStreams,
  takeOver: () => ready.claimStale(redis, name, LEASE_MS, TAKEN_OVER_AT_ONCE),
  accept: (entries) => worker.accept(entries),
  dropConsumers: () => group.dropConsumers(redis, SILENT_CONSUMER_MS),
  leads: () => group.leadReconciling(redis, name, RECONCILER_LEASE_MS),
  findOverdue: (after, limit) => bounded(due.findOverdue(reads, after, limit)),
  enqueue: (deliveries) => ready.enqueueDeliveries(redis, deliveries),
  updateFailingEndpoints: () =>
    updateFailingEndpoints({
      flagFailing: () => bounded(failing.flagFailing(fanning)),
      disableFailing: () => bounded(failing.disableFailing(fanning)),
      countFlagged: () => bounded(failing.countFlagged(fanning)),
      setFlagged: metrics.setFlagged,
      onDisabled: metrics.onDisabled,
      log,
    }),
  resumeQuarantined: async () => {
    const { events, deliveries } = await bounded(
      outbox.resumeQuarantined(fanning, RESUMED_AT_ONCE),
    );
    if (events > 0) log.info({ events }, 'events that had been set aside were fanned out');
    await ready.enqueueDeliveries(redis, deliveries);
  },
  countBacklog: () => bounded(due.countBacklog(reads)),
  countQueued: () => countQueued(redis),
  onRefilled: metrics.onRefilled,
  setBacklog: metrics.setBacklog,
  log,
});
const fanOut = createFanOut({
  name: 'fan-out',
  stopping,
  fanOut: () => bounded(outbox.fanOut(fanning)),
  enqueue: (deliveries) => ready.enqueueDeliveries(redis, deliveries),
  onEvents: metrics.onEvents,
  onQuarantined: (events) => {
    log.error({ events }, 'events were set aside: their envelopes cannot be read');
  },
  log,
});
// What merchants asked to be paid by links and invoices follows the same events, behind cursors of its own.
const following = createFanOut({
  name: 'following payments',
  stopping,
  fanOut: async () => ({
    events: await bounded(followers.projectPayments(collecting)),
    deliveries: [],
    quarantined: [],
  }),
  enqueue: () => Promise.resolve(),
  onEvents: () => {},
  onQuarantined: () => {},
  log,
});
// Not on the followers' own connection, which waits when they do.
const stopFollowerMetrics = startProjectionMetrics(registry, () =>
  bounded(followers.countUnprojected(reads)),
);
lifecycle.onStop('follower metrics', stopFollowerMetrics);
subscribeEvents(hearing, () => {
  fanOut.wake();
  following.wake();
});
const stopHearing = subscribeDue(config.databaseUrl, (deliveries) => {
  ready.enqueueDeliveries(redis, deliveries).catch(() => null);
});
lifecycle.onStop('notices', stopHearing);

lifecycle.onStop('deliveries', async () => {
  // Attempts under way end within their deadline; then their results get a little time to be written.
  const timer = setTimeout(() => {
    giveUp.abort();
  }, LEASE_MS + LAST_WRITES_MS);
  await worker.drain();
  clearTimeout(timer);
  if (isReady(redis)) await group.leaveGroup(redis, name).catch(() => null);
});

// Else the first thing that a new process says is that it cannot work.
await Promise.all([redis, reading].map((client) => waitUntilReady(client, START_WAIT_MS)));
const loops = [
  worker.run(),
  fanOut.run(),
  following.run(),
  runDueMover({
    stopping,
    move: (nowMs) => moveDue(redis, nowMs, RETURN_MS),
    onDeferred: (endpointId) => {
      worker.noteDeferred(endpointId);
    },
    log,
  }),
  reconciler.run(),
  runReplays({
    stopping,
    findOpen: (limit) => bounded(replays.findOpenDeps(reads, limit)),
    step: (part, most) => bounded(replays.stepReplay(reads, part, most)),
    enqueue: async (deliveries) => {
      await expediteDeliveries(redis, deliveries, Date.now());
      await ready.enqueueDeliveries(redis, deliveries);
    },
    complete: () => bounded(replays.completeReplays(reads)),
    log,
  }),
  runApiLogWriter({
    stopping,
    claim: (wish) => claimPages(redis, name, wish),
    write: (rows) => bounded(writeLogs(reads, rows)),
    drop: (pages) => dropPages(redis, pages),
    maintainDays: () => bounded(maintainDays(reads)),
    onWritten: (count) => {
      logged.inc(count);
    },
    log,
  }),
  runRetention({
    stopping,
    deleteOldDeliveries: (most) => bounded(deleteOldDeliveries(reads, most)),
    deleteUnreferenced: () => bounded(deleteUnreferenced(reads)),
    log,
  }),
  runEraser({
    stopping,
    days: config.customerDays,
    partitions: config.partitions,
    collectSubjects: (most) => bounded(collectSubjects(reads, most)),
    requestByAge: (days, most) => bounded(erasing.requestErasureByAge(reads, days, most)),
    claim: (most) => bounded(erasing.claimSubjects(reads, most)),
    postpone: (ids) => bounded(erasing.postponeSubjects(reads, ids)),
    send: (frames) => sendFrames(redis, name, frames),
    eraseTraces: (payment) => bounded(erasing.erasePaymentTraces(reads, payment)),
    erasePayout: (subject) => bounded(erasing.erasePayout(reads, subject)),
    eraseInvoice: (subject) => bounded(erasing.eraseInvoice(reads, subject)),
    onErased: (outcome) => {
      erasures.inc({ outcome });
    },
    log,
  }),
];
lifecycle.ready();
await Promise.all(loops);
