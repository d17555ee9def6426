// The rails process: what happens to payments by time, calls to LIVE rails, look-ups and callbacks. Wiring only, from
// top to bottom.
import { nanoid } from 'nanoid';
import { buildCallbackPath } from '../core/rails/live-rails.js';
import { describeUnknownOrder } from '../core/tasks/unknown-order.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { startProcess } from '#ops/runtime/process.js';
import { startKillSwitches } from '#store/postgres/operations/kill-switches.js';
import { BY_KEY, closePostgres, openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import { sumSuspense } from '#store/postgres/ledger/sum-suspense.js';
import { loadDue } from '#store/postgres/payments/load-due.js';
import { countFacts, deleteFacts, loadFacts } from '#store/postgres/rails/facts.js';
import { putAvailability, pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import { type CallAnswer, recordAnswers } from '#store/postgres/rails/record-answers.js';
import {
  countUnknownCalls,
  type RecordedInquiry,
  recordInquiries,
} from '#store/postgres/rails/inquiries.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import * as callbacks from '#store/postgres/rails/callbacks.js';
import { popCallbacks } from '#store/redis/callbacks.js';
import { openRedis } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { publishOutcome } from '#store/redis/replies.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { openRails } from './open-rails.js';
import type { Rail } from './adapters/rail.js';
import { createCommandSender } from './command-sender.js';
import { PaymentScheduler } from './payment-scheduler.js';
import { runCallbackConsumer } from './callbacks/callback-consumer.js';
import { processCallback, type ProcessCallbackDeps } from './callbacks/process-callback.js';
import {
  INQUIRE_AFTER_MS,
  INQUIRE_AGAIN_MS,
  runUnknownOrders,
} from './callbacks/unknown-orders.js';
import { runFactSender } from './fact-sender.js';
import { checkRoutes, listAvailability, runAvailabilityPublisher } from './rail-availability.js';
import { expeditePayoutInquiry } from './payouts/payout-callback.js';
import { startPayouts } from './payouts/start-payouts.js';
import { startReconciler } from './reconciliation/start-reconciler.js';
import { createRailsMetrics } from './rails-metrics.js';
import { createBatchWriter } from './batch-writer.js';
import { runMetricsPoller } from './metrics-poller.js';
import { serveRail, type ServedRail } from './serve-rail.js';

const CONNECTIONS = 2;
const CALL_CONNECTIONS = 4;
const STATEMENT_DEADLINE_MS = 5_000;
/** Of SHUTDOWN_MS, for what calls have left when they are given up. */
const LAST_WRITES_MS = 5_000;
const LATE_FACT_MS = 5_000;
const CALLBACK_WAIT_S = 1;
const NO_WAKES = { hasEvents: false, railCalls: [] };

const run = await startProcess('rails');
const { config, log, lifecycle, registry } = run;
const { timeoutMs, syncSeconds, routes } = config.rails;
checkRoutes(routes);
const opened = openRails(config.rails);
lifecycle.onStop('connections to rails', () => opened.close());
const rails = [...opened.rails.values()];
const names = [...opened.rails.keys()];

const reads = openPostgres(config.databaseUrl, 'rails', CONNECTIONS, { plans: BY_KEY });
const calls = openPostgres(config.databaseUrl, 'rail calls', CALL_CONNECTIONS, { plans: BY_KEY });
const watching = openPostgres(config.databaseUrl, 'rails watch', CONNECTIONS);
lifecycle.onStop('postgres', () => Promise.all([reads, calls, watching].map(closePostgres)));
await checkInstallation(reads, { partitions: config.partitions, idKey: config.idKey });

const onError = (error: unknown): void => {
  log.warn({ err: error }, 'a dependency failed');
};
const redis = openRedis(config.redisUrl, onError);
const hearing = openRedis(config.redisUrl, onError);
const taking = openRedis(config.redisUrl, onError);
lifecycle.onStop('redis', () => {
  redis.disconnect();
  hearing.disconnect();
  taking.disconnect();
});

const name = `rails-${process.pid}-${nanoid(8)}`;
const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
  runWithDeadline(statement, STATEMENT_DEADLINE_MS);
const due = new PaymentScheduler({
  load: (after, limit) => bounded(loadDue(reads, after, limit)),
  send: (frames) => sendFrames(redis, name, frames),
  partitions: config.partitions,
  monotonicMs: () => performance.now(),
  log,
});
lifecycle.onStop('due payments', () => due.stop());

const switches = await startKillSwitches({
  sql: watching,
  onError,
  monotonicMs: () => performance.now(),
});
lifecycle.onStop('switches', () => {
  switches.stop();
});
const giveUp = new AbortController();
const send = createCommandSender({
  send: (frames) => sendFrames(redis, name, frames),
  partitions: config.partitions,
  onError,
});
const recordAnswer = createBatchWriter<CallAnswer>((all) => bounded(recordAnswers(calls, all)));
const recordLook = createBatchWriter<RecordedInquiry>((all) =>
  bounded(recordInquiries(calls, all)),
);
const serveOneRail = (rail: Rail): ServedRail =>
  serveRail({
    rail,
    sql: calls,
    timeoutMs,
    scheduleS: syncSeconds,
    bounded,
    ...{ recordAnswer, recordInquiry: recordLook },
    isSwitchedOn: () => switches.isOn(`rail:${rail.name}`),
    send,
    onCircuitOpen: (restMs) => {
      log.warn({ rail: rail.name, restMs }, restMs > 0 ? 'charges rest' : 'charges go again');
      bounded(pauseAvailability(watching, rail.name, restMs)).catch(onError);
    },
    onAnswer: (operation, outcome, durationMs) => {
      metrics.onAnswer(rail.name, operation, outcome, durationMs);
    },
    giveUp: giveUp.signal,
    log,
  });
const served = rails.map(serveOneRail);
const metrics = createRailsMetrics(registry, {
  readCircuits: () =>
    served.flatMap(({ rail, readCircuits }) =>
      [...readCircuits()].map(([operation, state]) => [rail.name, operation, state] as const),
    ),
});
const { onAnswer } = metrics;
const payouts = startPayouts(run, { rails, switches, onAnswer, giveUp: giveUp.signal });
subscribeRailCalls(hearing, (lanes) => {
  for (const one of served) one.wake(lanes);
});
for (const rail of names) {
  const address = config.baseUrl + buildCallbackPath(config.idKey, rail);
  log.info({ rail, address }, 'callbacks of this rail come to');
}
lifecycle.onStop('rails', async () => {
  // Calls under way get the time that there is; what has no answer then is looked up by another process.
  const timer = setTimeout(
    () => {
      giveUp.abort();
    },
    Math.max(config.shutdownMs - LAST_WRITES_MS, 0),
  );
  await Promise.all([...served, payouts].map((one) => one.stop()));
  clearTimeout(timer);
});

const { stopping } = lifecycle;
const takeDeps: ProcessCallbackDeps = {
  rails: opened.rails,
  store: (callback) => bounded(callbacks.storeCallback(calls, callback, INQUIRE_AFTER_MS)),
  notePayout: (rail, payoutId) => bounded(expeditePayoutInquiry(calls, rail, payoutId)),
  onStored: (rail) => served.find((one) => one.rail.name === rail)?.inquire(),
};
const loops = [
  runCallbackConsumer({
    stopping,
    read: (count) => popCallbacks(taking, count, CALLBACK_WAIT_S),
    process: (frame) => processCallback(takeDeps, frame),
    reply: (replies) => publishOutcome(redis, replies, NO_WAKES),
    onCallback: metrics.onCallback,
    retryLoop: new RetryLoop(log, 'callbacks'),
    log,
  }),
  runUnknownOrders({
    stopping,
    rails: opened.rails,
    claim: (limit) =>
      bounded(callbacks.claimUnknownOrders(watching, names, limit, INQUIRE_AGAIN_MS)),
    book: (settlement) => bounded(bookUnknownOrder(watching, describeUnknownOrder(settlement))),
    end: (order, status) => bounded(callbacks.endUnknownOrder(watching, order, status)),
    deleteOld: (days, most) => bounded(callbacks.deleteOldCallbacks(watching, days, most)),
    retryLoop: new RetryLoop(log, 'unknown orders'),
    log,
  }),
  runFactSender({
    stopping,
    load: (after, limit, ageMs) => bounded(loadFacts(reads, after, limit, ageMs)),
    deleteFacts: (ids) => bounded(deleteFacts(reads, ids)),
    send,
    retryLoop: new RetryLoop(log, 'answers of rails'),
    log,
  }),
  runAvailabilityPublisher({
    stopping,
    rows: listAvailability(rails, routes),
    put: (offers) => bounded(putAvailability(watching, offers)),
    retryLoop: new RetryLoop(log, 'offers of rails'),
  }),
  startReconciler(run, opened.rails, giveUp.signal),
  runMetricsPoller({
    stopping,
    countUnknown: () => bounded(countUnknownCalls(reads)),
    sumSuspense: () => bounded(sumSuspense(watching)),
    countFacts: () => bounded(countFacts(watching, LATE_FACT_MS)),
    metrics,
    retryLoop: new RetryLoop(log, 'counts of rails'),
  }),
];
lifecycle.ready();
await Promise.all(loops);
