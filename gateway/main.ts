// The gateway process: takes requests, sends commands, gives answers; no state of its own.
// Wiring only, from top to bottom.
import { nanoid } from 'nanoid';
import { createIdDeriver } from '../actors/core/ids.js';
import { railsByCallbackId } from '../actors/core/rails/live-rails.js';
import { parseRanges } from '../ops/net/address.js';
import { runWithDeadline } from '../ops/runtime/deadline.js';
import { startProcess } from '../ops/runtime/process.js';
import { createCounter, createGauge } from '../ops/runtime/metrics.js';
import { closePostgres, openPostgres } from '../store/postgres/client.js';
import { claimStaleClaims, releaseClaim } from '../store/postgres/links-and-invoices/link-uses.js';
import { checkInstallation } from '../store/postgres/installation.js';
import { recordUses } from '../store/postgres/merchants/api-keys.js';
import { findBusinessName } from '../store/postgres/merchants/find-business-name.js';
import { findCredentials } from '../store/postgres/merchants/find-credentials.js';
import { loadSnapshots } from '../store/postgres/payments/load-snapshots.js';
import { deleteExpiredAccounts } from '../store/postgres/accounts/links.js';
import { findSession } from '../store/postgres/accounts/sessions.js';
import { startKillSwitches } from '../store/postgres/operations/kill-switches.js';
import { findMerchantRoutes } from '../store/postgres/rails/rail-availability.js';
import { appendPage } from '../store/redis/api-logs.js';
import { openRedis } from '../store/redis/client.js';
import { pushCallback } from '../store/redis/callbacks.js';
import { sendFrames } from '../store/redis/commands.js';
import { countRequests } from '../store/redis/count-requests.js';
import { subscribeReplies } from '../store/redis/replies.js';
import type { ApiDeps } from './payments/api-deps.js';
import { Downloads } from './lists/csv-download.js';
import { createSnapshotReader } from './commands/snapshot-reader.js';
import { CredentialCache } from './auth/credential-cache.js';
import { KeyUses } from './auth/key-uses.js';
import { createSessionCheck, IDLE_S } from './auth/check-session.js';
import { CallbackRelay } from './callbacks/callback-relay.js';
import { DependencyHealth } from './commands/dependency-health.js';
import { Dispatcher } from './commands/dispatcher.js';
import { createRequestMetrics } from './http/request-metrics.js';
import { startHttpServer } from './http/server.js';
import { createCheckoutPush } from './checkout/push.js';
import { readAssetFiles } from './pages/asset-files.js';
import { createAssets } from './pages/assets.js';
import { createMerchantNames } from './checkout/merchant-names.js';
import { startStaleClaimLoop } from './payment-links/stale-claims.js';
import { buildRoutes } from './routes.js';
import { ApiLogWriter } from './api-logs/api-log.js';
import { Buckets } from './limits/buckets.js';
import { createLimit } from './limits/limits.js';
import { createLoginThrottle } from './limits/login-throttle.js';
import { createCompose } from './mail/compose.js';
import { startRailAvailability } from './payments/rail-availability.js';
import { startMailer } from './mail/mailer.js';
import { PasswordHasher } from './accounts/password-hash.js';

const READ_CONNECTIONS = 4;
/** Of SHUTDOWN_MS, for what is released once the last request is answered. */
const RELEASES_MS = 5_000;
/** A gateway also starts while Redis or Postgres is away, and refuses until they are back. */
const START_WAIT_MS = 5_000;
/** A read by id takes a millisecond: one that takes so long is answered with 503 instead of waiting. */
const READ_DEADLINE_MS = 2_500;
const LIST_CONNECTIONS = 3;
/** Two: one that the network swallowed must not make everything look away. */
const WATCH_CONNECTIONS = 2;
const ACCOUNT_CONNECTIONS = 4;
/** Of public pages: whoever crowds at a payment link keeps nobody from logging in. */
const COLLECTING_CONNECTIONS = 3;
const SWEEP_EVERY_MS = 3_600_000;

const { config, log, lifecycle, registry } = await startProcess('gateway');
const onError = (error: unknown): void => {
  log.warn({ err: error }, 'a dependency failed');
};

const reads = openPostgres(config.databaseUrl, 'gateway reads', READ_CONNECTIONS);
const lists = openPostgres(config.databaseUrl, 'gateway lists', LIST_CONNECTIONS);
const watching = openPostgres(config.databaseUrl, 'gateway watch', WATCH_CONNECTIONS);
const accounts = openPostgres(config.databaseUrl, 'gateway accounts', ACCOUNT_CONNECTIONS);
const collecting = openPostgres(config.databaseUrl, 'gateway collecting', COLLECTING_CONNECTIONS);
const pools = [reads, lists, watching, accounts, collecting];
lifecycle.onStop('postgres', () => Promise.all(pools.map(closePostgres)));
await checkInstallation(watching, { partitions: config.partitions, idKey: config.idKey });

const name = `gw-${process.pid}-${nanoid(8)}`;
const redis = openRedis(config.redisUrl, onError);
const subscriber = openRedis(config.redisUrl, onError);
lifecycle.onStop('redis', () => {
  redis.disconnect();
  subscriber.disconnect();
});

const dependencies = new DependencyHealth(watching, redis, subscriber);
const bounded = <Value>(read: Promise<Value>): Promise<Value> =>
  runWithDeadline(read, READ_DEADLINE_MS);
const readSnapshots = (ids: readonly string[]): Promise<Map<string, string>> =>
  bounded(loadSnapshots(reads, ids));
const dispatcher = new Dispatcher({
  send: (frames) => sendFrames(redis, name, frames),
  loadSnapshots: readSnapshots,
  findRejection: () => dependencies.findRejection(),
  monotonicMs: () => performance.now(),
  onError,
});
createGauge(registry, 'gateway_inflight_commands', 'Commands sent, not answered yet', {
  read: (gauge) => {
    gauge.set(dispatcher.inFlight);
  },
});
lifecycle.onStop('dependencies', () => {
  dependencies.stop();
  dispatcher.stop();
});

const callbacks = new CallbackRelay({
  gateway: name,
  push: (frame) => pushCallback(redis, frame),
});
const subscribed = subscribeReplies(subscriber, name, (reply) => {
  if (!callbacks.accept(reply)) dispatcher.accept(reply);
});

const switches = await startKillSwitches({
  sql: watching,
  log,
  monotonicMs: () => performance.now(),
});
lifecycle.onStop('switches', switches.stop);
const live = await startRailAvailability({
  sql: watching,
  findRoutes: (merchantId) => bounded(findMerchantRoutes(reads, merchantId)),
  isSwitchedOn: switches.isOn,
  onError,
});
lifecycle.onStop('offers of rails', () => {
  live.stop();
});
const parts: ApiDeps = {
  dispatcher,
  readSnapshot: createSnapshotReader(readSnapshots),
  lists,
  onError,
  deriveIdBytes: createIdDeriver(config.idKey),
  partitions: config.partitions,
  baseUrl: config.baseUrl,
  liveReplyWaitMs: config.liveWaitMs,
  isSwitchedOn: switches.isOn,
  railAvailability: live,
};
const buckets = new Buckets({
  count: (counts) => countRequests(redis, counts),
  monotonicMs: () => performance.now(),
});
lifecycle.onStop('limits', () => buckets.stop());
const dropped = createCounter(registry, 'api_logs_dropped_total', 'API logs that did not fit');
const apiLog = new ApiLogWriter({
  append: (page) => appendPage(redis, page),
  onDropped: (count) => {
    dropped.inc(count);
  },
  nowMs: () => Date.now(),
});
lifecycle.onStop('API logs', () => {
  apiLog.flush();
});
const keyUses = new KeyUses({ record: (ids) => bounded(recordUses(accounts, ids)), onError });
lifecycle.onStop('key uses', () => keyUses.stop());
const credentials = new CredentialCache({
  findCredentials: async (digests) => {
    const found = await bounded(findCredentials(reads, digests));
    for (const { keyId } of found) keyUses.note(keyId);
    return found;
  },
  monotonicMs: () => performance.now(),
  onError,
});
// Whoever listens before it hears replies would refuse, or answer late, what another gateway could take.
await runWithDeadline(subscribed, START_WAIT_MS).catch(onError);
await dependencies.waitUntilHealthy(START_WAIT_MS);
const push = createCheckoutPush({
  load: (ids) => bounded(loadSnapshots(lists, ids)),
  nowMs: () => Date.now(),
  onError,
});
lifecycle.onStop('push', () => push.stop());
const nameMerchant = createMerchantNames((id) => bounded(findBusinessName(reads, id)));
const { smtpUrl, from } = config.mail;
const mailer =
  smtpUrl === null
    ? undefined
    : startMailer({
        sql: accounts,
        smtpUrl,
        from: from ?? `${config.brand.name} <no-reply@${new URL(config.baseUrl).hostname}>`,
        onError,
      });
lifecycle.onStop('mailer', () => mailer?.stop());
const sweeper = setInterval(() => {
  void bounded(deleteExpiredAccounts(accounts)).catch(onError);
}, SWEEP_EVERY_MS);
lifecycle.onStop('sweeper', () => {
  clearInterval(sweeper);
});
const oldClaims = startStaleClaimLoop({
  ...parts,
  claimStaleClaims: (olderThanS, most) => bounded(claimStaleClaims(collecting, olderThanS, most)),
  releaseClaim: (claim) => bounded(releaseClaim(collecting, claim)),
});
lifecycle.onStop('old claims', () => oldClaims.stop());
const routes = buildRoutes({
  ...parts,
  linksAndInvoices: collecting,
  nameMerchant,
  downloads: new Downloads(),
  callbacks,
  railNames: railsByCallbackId(config.idKey),
  nowMs: () => Date.now(),
  findMissing: () => dependencies.findMissing(),
  brand: config.brand.name,
  brandHeader: config.brand.header,
  assets: createAssets(readAssetFiles()),
  accounts,
  hasher: new PasswordHasher(),
  throttle: createLoginThrottle(config.limits.loginPerQuarterHour, buckets),
  compose: createCompose({ baseUrl: config.baseUrl, brand: config.brand.name }),
  nudgeMailer: () => mailer?.nudge(),
  invoiceMailsPerHour: config.mail.invoicesPerHour,
  secretsKeys: config.secretsKeys,
  allowedTargets: parseRanges(config.webhooks.allowTargets),
});
const server = await startHttpServer({
  port: config.port,
  isPortShared: config.isPortShared,
  routes,
  pushes: [push.route],
  credentials,
  checkSession: createSessionCheck({
    findSession: (digest) => bounded(findSession(accounts, digest, IDLE_S)),
    isTotpRequired: config.isProduction,
    onError,
  }),
  brandHeader: config.brand.header,
  baseUrl: config.baseUrl,
  trustedProxies: config.trustedProxies,
  connectionsPerAddress: config.limits.connectionsPerAddress,
  limit: createLimit(config.limits, buckets),
  log,
  observe: createRequestMetrics(registry).observe,
  ...(config.hasApiLogs ? { note: (exchange) => apiLog.note(exchange) } : {}),
});
lifecycle.onStop('http', () => server.stop(Math.max(config.shutdownMs - RELEASES_MS, 0)));
lifecycle.ready();
