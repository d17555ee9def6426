// The gateway process: it receives requests, sends commands to the actors, and answers. It keeps no state.
// Wiring only, from top to bottom; releases run in the reverse order.
import { startLoop } from '../ops/runtime/loop.js';
import { createCounter } from '../ops/runtime/metrics.js';
import { startProcess } from '../ops/runtime/process.js';
import { deleteExpiredAccounts } from '../store/postgres/accounts/one-time-links.js';
import { reportFailedLogins } from '../store/postgres/operations/audit.js';
import { checkInstallation } from '../store/postgres/migration/installation.js';
import { startKillSwitches } from '../store/postgres/operations/kill-switches.js';
import { checkSecretsKeys } from '../store/postgres/operations/sealed-values.js';
import { loadSnapshots } from '../store/postgres/payments/load-payments.js';
import { appendPage } from '../store/redis/api-logs.js';
import { createLockoutAlerts } from './notices/lockout-alerts.js';
import { ApiLogWriter } from './http/api-log.js';
import { createSessionCheck } from './auth/check-session.js';
import { startCredentialCache } from './auth/credentials.js';
import { createCheckoutPush } from './selling/checkout/push.js';
import { startCommands } from './commands/start-commands.js';
import { createRequestMetrics } from './http/request-metrics.js';
import { startHttpServer } from './http/server.js';
import { startLimits } from './limits/start-limits.js';
import { createCompose } from './mail/compose.js';
import { startMail } from './notices/start-mail.js';
import { startStaleClaimLoop } from './selling/payment-links/stale-claims.js';
import { startRailAvailability } from './commands/read-availability.js';
import { openPools } from './pools.js';
import { BackgroundWrites } from './auth/background-writes.js';
import { buildRouteDeps } from './route-deps.js';
import { buildRoutes } from './routes.js';

/** The part of SHUTDOWN_MS for the releases after the last request is answered. */
const RELEASES_MS = 5_000;
const HOUR_MS = 3_600_000;

const gateway = await startProcess('gateway');
const { config, log, lifecycle, registry, tracer } = gateway;

const pools = openPools(config, lifecycle);
const { accounts, lists, polls, reads } = pools;
const partitions = await checkInstallation(polls, config);
await checkSecretsKeys(lists, config.secretsKeys);
const commands = await startCommands(gateway, pools, partitions);
const { redis } = commands;

const switches = await startKillSwitches({ sql: polls, log });
lifecycle.onStop('kill switches', switches.stop);
const railAvailability = await startRailAvailability({
  polls,
  reads,
  isSwitchedOn: switches.isOn,
  log,
});
lifecycle.onStop('rail availability', () => railAvailability.stop());

const mailer = startMail(config, accounts, log);
lifecycle.onStop('mailer', () => mailer.stop());
const background = new BackgroundWrites({ registry, log });
lifecycle.onStop('background writes', () => background.settle());
const onLockout = createLockoutAlerts({
  accounts,
  registry,
  compose: createCompose({ baseUrl: config.baseUrl, brand: config.brand.name }),
  nudgeMailer: () => mailer.nudge(),
  background,
});
const { limit, throttle } = startLimits(gateway, { redis, onLockout });
const dropped = createCounter(registry, 'api_logs_dropped_total', 'API logs that did not fit');
const apiLog = new ApiLogWriter({
  append: (page) => appendPage(redis, page),
  onDropped: (count) => dropped.inc(count),
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
});
lifecycle.onStop('API logs', () => apiLog.flush());
const credentials = startCredentialCache({ reads, accounts, log, lifecycle });
const push = createCheckoutPush({
  load: (ids) => loadSnapshots(lists, ids),
  nowMs: () => Date.now(),
  log,
});
lifecycle.onStop('push', () => push.stop());
const cleanup = startLoop({
  name: 'delete expired sessions, links and mails',
  everyMs: HOUR_MS,
  isFirstDelayed: true,
  work: async () => {
    await reportFailedLogins(accounts);
    await deleteExpiredAccounts(accounts);
  },
  log,
});
lifecycle.onStop('cleanup', cleanup.stop);

const shared = { pools, commands, switches, railAvailability, throttle, mailer, background };
const deps = buildRouteDeps(gateway, shared);
const staleClaims = startStaleClaimLoop({ ...deps, log });
lifecycle.onStop('stale claims', staleClaims.stop);

const routes = buildRoutes(deps);
await commands.waitUntilReady();
const server = await startHttpServer({
  port: config.port,
  isPortShared: config.isPortShared,
  routes,
  pushes: [push.route],
  credentials,
  checkSession: createSessionCheck(pools.sessions, config),
  brandHeader: config.brand.header,
  baseUrl: config.baseUrl,
  trustedProxies: config.trustedProxies,
  connectionsPerAddress: config.limits.connectionsPerAddress,
  limit,
  log,
  tracer,
  ...createRequestMetrics(registry),
  ...(config.hasApiLogs ? { note: (exchange) => apiLog.note(exchange) } : {}),
});
lifecycle.onStop('http', () => server.stop(Math.max(config.shutdownMs - RELEASES_MS, 0)));
lifecycle.onStop('changes', () => deps.changeFeed.stop()); // before the server waits for answers
lifecycle.ready();
