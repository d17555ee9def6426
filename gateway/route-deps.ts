// Builds the dependencies that the handlers share: pools, the way to the actors, and settings.
import { createIdDeriver } from '../actors/core/ids.js';
import { mapRailsByCallbackId } from '../actors/core/rails/live-rails.js';
import { parseRanges } from '../ops/net/address.js';
import { createResolver } from '../ops/net/resolver.js';
import type { Process } from '../ops/runtime/process.js';
import { openBackgroundThread } from '../ops/runtime/threads/background-thread.js';
import { findSessionRoles } from '../store/postgres/accounts/sessions.js';
import { findStorefront } from '../store/postgres/merchants/settings.js';
import type { KillSwitches } from '../store/postgres/operations/kill-switches.js';
import type { FileStores } from './file-thread.js';
import { ChangeFeed } from './money/changes/change-feed.js';
import { openChangeSources } from './money/changes/change-sources.js';
import { IDLE_S } from './auth/check-session.js';
import { createDeviceCookie } from './auth/device-cookie.js';
import { createSessionCookie } from './auth/session-cookie.js';
import { createRelyingParty } from './accounts/users/passkey-ceremonies.js';
import { PasswordHasher } from './auth/password-hasher.js';
import { createStorefronts } from './selling/checkout/storefronts.js';
import { createSnapshotReader } from './commands/snapshot-reader.js';
import type { Commands } from './commands/start-commands.js';
import { readDashboardFiles } from './pages/dashboard-files.js';
import type { LoginThrottle } from './limits/login-throttle.js';
import type { HealthDeps } from './health.js';
import { openUploadThread, Uploads } from './accounts/kyc/uploads.js';

import { Downloads, type FileThread } from './lists/csv-download.js';
import { createListReader } from './lists/read-list.js';
import { createCompose } from './mail/compose.js';
import type { Mailer } from './mail/mailer.js';
import { readAssetFiles, readBrotliFiles } from './pages/asset-files.js';
import { createAssets } from './pages/assets.js';
import { createCspReports } from './pages/csp-reports.js';
import { createPageFaults } from './pages/page-faults.js';
import type { AvailabilityReader } from './commands/read-availability.js';
import type { Pools } from './pools.js';
import type { RouteDeps } from './routes.js';
import type { BackgroundWrites } from './auth/background-writes.js';
import { createTargetUrlCheck } from './developers/webhooks/check-target-url.js';

export interface RouteDepsInput {
  readonly pools: Pools;
  readonly commands: Commands;
  readonly switches: KillSwitches;
  readonly railAvailability: AvailabilityReader;
  readonly throttle: LoginThrottle;
  readonly mailer: Mailer;
  readonly background: BackgroundWrites;
}

export function buildRouteDeps(
  { config, log, lifecycle, registry }: Process,
  { pools, commands, switches, railAvailability, throttle, mailer, background }: RouteDepsInput,
): RouteDeps {
  const { baseUrl, brand, databaseUrl, databaseUrlReplica, idKey, secretsKeys } = config;
  const threads = { priority: config.backgroundPriority, log };
  const uploadThread = openUploadThread({ databaseUrl, secretsKeys }, threads);
  lifecycle.onStop('uploads', () => uploadThread.close());
  const hasher = new PasswordHasher({ ...threads, registry });
  lifecycle.onStop('password hashes', () => hasher.close());
  const fileThread: FileThread = openBackgroundThread({
    module: import.meta.resolve('./file-thread.js'),
    name: 'openFilePages',
    data: { databaseUrl, databaseUrlReplica, baseUrl } satisfies FileStores,
    // A page that is late may wait for Postgres, and would be read twice.
    isRepeatable: false,
    settings: threads,
  });
  lifecycle.onStop('files', () => fileThread.close());
  const onError = (error: unknown): void =>
    log.warn({ err: error }, 'a store query failed; the handler answers 503');
  return {
    lists: pools.lists,
    files: pools.files,
    readList: createListReader(pools.lists),
    accounts: pools.accounts,
    linksAndInvoices: pools.linksAndInvoices,
    readSnapshot: createSnapshotReader(pools.reads),
    findStorefront: createStorefronts((id) => findStorefront(pools.reads, id)),
    dispatcher: commands.dispatcher,
    callbacks: commands.callbacks,
    ...buildHealthDeps(commands, config),
    isSwitchedOn: switches.isOn,
    railAvailability,
    railNames: mapRailsByCallbackId(config.callbackKeys),
    deriveIdBytes: createIdDeriver(idKey),
    liveReplyWaitMs: config.liveWaitMs,
    baseUrl,
    brand: brand.name,
    brandHeader: brand.header,
    assets: createAssets(readAssetFiles(), readBrotliFiles()),
    dashboardFiles: readDashboardFiles(),
    changeFeed: openChangeFeed(pools, commands, log),
    downloads: new Downloads({ thread: fileThread, onError }),
    hasher,
    throttle,
    ...buildBrowserParts(config),
    compose: createCompose({ baseUrl, brand: brand.name }),
    nudgeMailer: () => mailer.nudge(),
    invoiceMailsPerHour: config.mail.invoicesPerHour,
    approvalLimitMinor: config.approvalLimitMinor,
    uploads: new Uploads({ sql: pools.accounts, thread: uploadThread, onError }),
    secretsKeys,
    checkTargetUrl: buildTargetUrlCheck(config.webhooks),
    securityContact: config.securityContact,
    ...buildBrowserReports({ registry, log }),
    nowMs: () => Date.now(),
    ...{ background, onError },
  };
}

function buildHealthDeps({ health }: Commands, config: Process['config']): HealthDeps {
  return {
    findMissing: () => health.findMissing(),
    hasPayments: () => health.hasPayments(),
    isPaymentsNeeded: config.isPaymentsNeeded,
  };
}

const openChangeFeed = (
  { polls, sessions }: Pools,
  { subscriber }: Commands,
  log: Process['log'],
): ChangeFeed =>
  new ChangeFeed({
    findRoles: (ids) => findSessionRoles(sessions, ids, IDLE_S),
    sources: openChangeSources(polls, subscriber),
    log,
  });

/** The parts that depend on the address that a browser opens, and on the mail server. */
function buildBrowserParts({ baseUrl, brand, secretsKeys, mail }: Process['config']) {
  return {
    sessionCookie: createSessionCookie(baseUrl),
    deviceCookie: createDeviceCookie({ baseUrl, secretsKeys, nowMs: () => Date.now() }),
    relyingParty: createRelyingParty(baseUrl, brand.name),
    sendsMail: mail.smtpUrl !== null,
  };
}

function buildBrowserReports(process: Pick<Process, 'registry' | 'log'>) {
  const deps = { ...process, nowMs: () => Date.now() };
  return { noteCspReport: createCspReports(deps), notePageFault: createPageFaults(deps) };
}

function buildTargetUrlCheck({
  allowTargets,
  dnsServers,
}: Process['config']['webhooks']): RouteDeps['checkTargetUrl'] {
  return createTargetUrlCheck(parseRanges(allowTargets), createResolver({ servers: dnsServers }));
}
