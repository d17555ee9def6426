// The rails process: what happens to payments by time, calls to LIVE rails, look-ups and callbacks. Wiring only, from
// top to bottom.
import { nanoid } from 'nanoid';
import { callbackPathOf } from '../core/rails/live-rails.js';
import { describeUnknownOrder } from '../core/tasks/unknown-order.js';
import { withDeadline } from '#ops/runtime/deadline.js';
import { Outage } from '#ops/runtime/outage.js';
import { beginProcess } from '#ops/runtime/process.js';
import { startSwitchBoard } from '#store/postgres/admin/switch-board.js';
import { BY_KEY, closePostgres, openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import { sumSuspense } from '#store/postgres/ledger/sum-suspense.js';
import { loadDue } from '#store/postgres/payments/load-due.js';
import { countFacts, forgetFacts, loadFacts } from '#store/postgres/rails/facts.js';
import { putOffers, restOffers } from '#store/postgres/rails/offers.js';
import { type CallAnswer, recordAnswers } from '#store/postgres/rails/record-answers.js';
import { countUnknownCalls, type LookResult, recordLooks } from '#store/postgres/rails/watches.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import * as callbacks from '#store/postgres/rails/callbacks.js';
import { takeCallbacks } from '#store/redis/callbacks.js';
import { openRedis } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { publishOutcome } from '#store/redis/replies.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { openRails } from './adapters/open-rails.js';
import type { Rail } from './adapters/rail.js';
import { createCommandSender } from './command-sender.js';
import { DueClock } from './due.js';
import { runCallbackDesk } from './callbacks/desk.js';
import { takeCallback, type TakeCallbackParts } from './callbacks/take-callback.js';
import { JUDGE_AFTER_MS, JUDGE_AGAIN_MS, runUnknownOrders } from './callbacks/unknown-orders.js';
import { runFacts } from './facts.js';
import { checkRoutes, listOffers, runOffers } from './offers.js';
import { notePayoutCallback } from './payouts/payout-callback.js';
import { startPayouts } from './payouts/start-payouts.js';
import { startReconciler } from './reconcile/start-reconciler.js';
import { createRailsMetrics } from './rails-metrics.js';
import { createRecordBook } from './record-book.js';
import { runSurvey } from './survey.js';
import { serveRail, type ServedRail } from './serve-rail.js';

const CONNECTIONS = 2;
const CALL_CONNECTIONS = 4;
const STATEMENT_DEADLINE_MS = 5_000;
/** Of SHUTDOWN_MS, for what calls have left when they are given up. */
const LAST_WRITES_MS = 5_000;
const LATE_FACT_MS = 5_000;
const CALLBACK_WAIT_S = 1;
const NO_WAKES = { hasEvents: false, railCalls: [] };

const run = await beginProcess('rails');
const { config, log, life, registry } = run;
const { timeoutMs, syncSeconds, routes } = config.rails;
checkRoutes(routes);
const opened = openRails(config.rails);
life.onStop('connections to rails', () => opened.close());
const rails = [...opened.rails.values()];
const names = [...opened.rails.keys()];

const reads = openPostgres(config.databaseUrl, 'rails', CONNECTIONS, BY_KEY);
const calls = openPostgres(config.databaseUrl, 'rail calls', CALL_CONNECTIONS, BY_KEY);
const watching = openPostgres(config.databaseUrl, 'rails watch', CONNECTIONS);
life.onStop('postgres', () => Promise.all([reads, calls, watching].map(closePostgres)));
await checkInstallation(reads, { partitions: config.partitions, idKey: config.idKey });

const onError = (error: unknown): void => {
  log.warn({ err: error }, 'a dependency failed');
};
const redis = openRedis(config.redisUrl, onError);
const hearing = openRedis(config.redisUrl, onError);
const taking = openRedis(config.redisUrl, onError);
life.onStop('redis', () => {
  redis.disconnect();
  hearing.disconnect();
  taking.disconnect();
});

const name = `rails-${process.pid}-${nanoid(8)}`;
const bounded = <Value>(statement: Promise<Value>): Promise<Value> =>
  withDeadline(statement, STATEMENT_DEADLINE_MS);
const due = new DueClock({
  load: (after, limit) => bounded(loadDue(reads, after, limit)),
  send: (frames) => sendFrames(redis, name, frames),
  partitions: config.partitions,
  monotonicMs: () => performance.now(),
  log,
});
life.onStop('due payments', () => due.stop());

const switches = await startSwitchBoard({
  sql: watching,
  onError,
  monotonicMs: () => performance.now(),
});
life.onStop('switches', () => {
  switches.stop();
});
const giveUp = new AbortController();
const send = createCommandSender({
  send: (frames) => sendFrames(redis, name, frames),
  partitions: config.partitions,
  onError,
});
const recordAnswer = createRecordBook<CallAnswer>((all) => bounded(recordAnswers(calls, all)));
const recordLook = createRecordBook<LookResult>((all) => bounded(recordLooks(calls, all)));
const serve = (rail: Rail): ServedRail =>
  serveRail({
    rail,
    sql: calls,
    timeoutMs,
    scheduleS: syncSeconds,
    bounded,
    ...{ recordAnswer, recordLook },
    isSwitchedOn: () => switches.isOn(`rail:${rail.name}`),
    send,
    onRest: (restMs) => {
      log.warn({ rail: rail.name, restMs }, restMs > 0 ? 'charges rest' : 'charges go again');
      bounded(restOffers(watching, rail.name, restMs)).catch(onError);
    },
    onAnswer: (operation, outcome, durationMs) => {
      metrics.onAnswer(rail.name, operation, outcome, durationMs);
    },
    giveUp: giveUp.signal,
    log,
  });
const served = rails.map(serve);
const metrics = createRailsMetrics(registry, {
  readCircuits: () =>
    served.flatMap(({ rail, circuits }) =>
      [...circuits()].map(([operation, state]) => [rail.name, operation, state] as const),
    ),
});
const { onAnswer } = metrics;
const payouts = startPayouts(run, { rails, switches, onAnswer, giveUp: giveUp.signal });
subscribeRailCalls(hearing, (lanes) => {
  for (const one of served) one.wake(lanes);
});
for (const rail of names) {
  const address = config.baseUrl + callbackPathOf(config.idKey, rail);
  log.info({ rail, address }, 'callbacks of this rail come to');
}
life.onStop('rails', async () => {
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

const { stopping } = life;
const takeParts: TakeCallbackParts = {
  rails: opened.rails,
  store: (callback) => bounded(callbacks.storeCallback(calls, callback, JUDGE_AFTER_MS)),
  notePayout: (rail, payoutId) => bounded(notePayoutCallback(calls, rail, payoutId)),
  onTaken: (rail) => served.find((one) => one.rail.name === rail)?.look(),
};
const loops = [
  runCallbackDesk({
    stopping,
    take: (count) => takeCallbacks(taking, count, CALLBACK_WAIT_S),
    judge: (frame) => takeCallback(takeParts, frame),
    reply: (replies) => publishOutcome(redis, replies, NO_WAKES),
    onCallback: metrics.onCallback,
    outage: new Outage(log, 'callbacks'),
    log,
  }),
  runUnknownOrders({
    stopping,
    rails: opened.rails,
    claim: (limit) => bounded(callbacks.claimUnknownOrders(watching, names, limit, JUDGE_AGAIN_MS)),
    book: (settlement) => bounded(bookUnknownOrder(watching, describeUnknownOrder(settlement))),
    end: (order, status) => bounded(callbacks.endUnknownOrder(watching, order, status)),
    forget: (days, most) => bounded(callbacks.forgetCallbacks(watching, days, most)),
    outage: new Outage(log, 'unknown orders'),
    log,
  }),
  runFacts({
    stopping,
    load: (after, limit, ageMs) => bounded(loadFacts(reads, after, limit, ageMs)),
    forget: (ids) => bounded(forgetFacts(reads, ids)),
    send,
    outage: new Outage(log, 'answers of rails'),
    log,
  }),
  runOffers({
    stopping,
    offers: listOffers(rails, routes),
    put: (offers) => bounded(putOffers(watching, offers)),
    outage: new Outage(log, 'offers of rails'),
  }),
  startReconciler(run, opened.rails, giveUp.signal),
  runSurvey({
    stopping,
    countUnknown: () => bounded(countUnknownCalls(reads)),
    sumSuspense: () => bounded(sumSuspense(watching)),
    countFacts: () => bounded(countFacts(watching, LATE_FACT_MS)),
    metrics,
    outage: new Outage(log, 'counts of rails'),
  }),
];
life.ready();
await Promise.all(loops);
