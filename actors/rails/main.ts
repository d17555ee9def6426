// The rails process: commands to payments that are due, calls to LIVE rails, status inquiries, callbacks, payouts and
// reconciliation. Wiring only, from top to bottom.
import { nanoid } from 'nanoid';
import { buildCallbackPath } from '../core/rails/live-rails.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { startProcess } from '#ops/runtime/process.js';
import { startKillSwitches } from '#store/postgres/operations/kill-switches.js';
import { checkInstallation, prepareForFailover } from '#store/postgres/migration/installation.js';
import { openPartitionCount } from '#store/postgres/migration/partition-count.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { openFrameSender } from '#store/postgres/payments/frame-version.js';
import { Buckets } from '#store/redis/limits/buckets.js';
import { BackgroundSender } from '#store/redis/background-sender.js';
import { createRequestCount } from '#store/redis/limits/count-requests.js';
import { DUE_PAYMENTS_KEY } from '#store/redis/keys.js';
import { openLeadership } from '#store/redis/leadership.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { startBalanceCheckpoints } from './schedulers/balance-checkpoints.js';
import { startCallbackConsumer } from './callbacks/callback-consumer.js';
import { startUnknownOrders } from './callbacks/unknown-orders.js';
import { createCommandSender, startPendingCommands } from './command-sender.js';
import { openRails, RAIL_VARIABLES } from './rail-registry.js';
import { startNegativeBalances } from './schedulers/negative-balances.js';
import { startPaymentScheduler } from './schedulers/payment-scheduler.js';
import { startOverdueRefunds } from './inquiries/overdue-refunds.js';
import { startPayouts } from './payouts/payout-scheduler.js';
import { checkRoutes, startAvailabilityPublisher } from './publish-availability.js';
import { createBreakerGauge, createRailsMetrics, startMetricsPoller } from './rails-metrics.js';
import { startReconciler } from './reconciliation/reconciler.js';
import { openRailTracing } from './calls/rail-spans.js';
import { serveRails } from './serve-rails.js';
import {
  openCallbackStore,
  openCallStore,
  openDuePayments,
  openOverdueRefunds,
  openPendingCommands,
} from './calls/ports.js';
import { openStores } from './stores.js';

/** Reserved of SHUTDOWN_MS: calls that are given up still record that their outcome is unknown. */
const LAST_WRITES_MS = 5_000;

const run = await startProcess('rails', RAIL_VARIABLES);
const { config, log, lifecycle, registry, tracer } = run;
const { timeoutMs, syncSeconds: scheduleS, routes } = config.rails;
checkRoutes(routes);

const { reads, calls, background, redis, subscriber, blockingRedis } = openStores(run);
const found = await checkInstallation(reads, config);

const clock = SYSTEM_CLOCK;
const monotonicMs = (): number => clock.monotonicMs();
const { isOn, stop: stopSwitches } = await startKillSwitches({ sql: background, log, clock });
lifecycle.onStop('kill switches', stopSwitches);
const { onAnswer, onCallback, onThrottled } = createRailsMetrics(registry, tracer);
const buckets = new Buckets({ count: createRequestCount({ redis, registry, log }), monotonicMs });
lifecycle.onStop('request budgets', () => buckets.stop());
const opened = openRails(config.rails, { buckets, onThrottled });
lifecycle.onStop('connections to rails', () => opened.close());
const rails = [...opened.rails.values()];
await prepareForFailover(reads, { isLive: config.isProduction && rails.length > 0, log });
const abandonCalls = new AbortController();
const { signal: giveUp } = abandonCalls;
const name = `rails-${process.pid}-${nanoid(8)}`;
const sender = await openFrameSender(run, { name, source: 'rails', sql: background });
const count = openPartitionCount(run, { sql: background, found });
const toPayments = { redis, sender, countPartitions: count.read, clock, log, tracer };
const send = createCommandSender(toPayments);
const readPositions = (partitions: number[]) => readClaims(reads, partitions);
const createBackground = () => new BackgroundSender({ ...toPayments, readPositions });
const tracing = openRailTracing(run, calls);
const served = serveRails(
  {
    ...{ store: openCallStore(calls), clock, timeoutMs, scheduleS, isOn },
    ...{ send, onAnswer, giveUp, log, tracing },
  },
  rails,
);
const payouts = startPayouts(run, { rails, isOn, onAnswer, giveUp });
createBreakerGauge(registry, [served, payouts]);
subscribeRailCalls(subscriber, served.wake);

const running = [
  served,
  payouts,
  startReconciler(run, opened.rails),
  startOverdueRefunds({ store: openOverdueRefunds(background), clock, log }),
  startPaymentScheduler({
    ...{ store: openDuePayments(reads), background: createBackground(), clock, log },
    leadership: openLeadership({ redis, key: DUE_PAYMENTS_KEY, name, clock }),
  }),
  startPendingCommands({
    ...{ store: openPendingCommands(reads), background: createBackground(), clock, log },
  }),
  startCallbackConsumer({
    ...{ store: openCallbackStore(calls), rails: opened.rails, redis, blockingRedis, log },
    ...{ onCallback, onInquiryDue: served.inquire, tracing },
  }),
  startNegativeBalances({ sql: background, log }),
  startUnknownOrders({ sql: background, rails: opened.rails, log }),
  startAvailabilityPublisher({ sql: background, rails, routes, log }),
  startBalanceCheckpoints(background, log),
  startMetricsPoller({ registry, reads, background, log }),
];
lifecycle.onStop('rails', async () => {
  // Calls under way get most of SHUTDOWN_MS. A call without an answer by then is left to status inquiries.
  const giveUpInMs = Math.max(config.shutdownMs - LAST_WRITES_MS, 0);
  const timer = setTimeout(() => {
    abandonCalls.abort();
  }, giveUpInMs);
  await Promise.all(running.map((one) => one.stop()));
  clearTimeout(timer);
});

for (const rail of opened.rails.keys()) {
  const address = config.baseUrl + buildCallbackPath(config.callbackKeys[0] ?? config.idKey, rail);
  log.info({ rail, address }, 'configure this address for callbacks of the rail');
}
lifecycle.ready();
