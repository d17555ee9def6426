// The work of the processes: whether they live, and what waits for them or for a person.
import type { Postgres } from '#store/postgres/client.js';
import { countFailedMails, countWaitingCommands } from '#store/postgres/operations/server-state.js';
import {
  countPaymentsProcesses,
  listPartitions,
  type ListedPartition,
} from '#store/postgres/operations/list-partitions.js';
import { countOpenTasks } from '#store/postgres/tasks/count-tasks.js';
import { countBacklog } from '#store/postgres/webhooks/due-deliveries.js';
import { readBacklogs } from '#store/redis/backlog.js';
import type { RedisClient } from '#store/redis/client.js';
import { countAliveProcesses } from '#store/redis/webhooks/processes.js';
import { type Finding, reportOk, reportProblem, reportWarning, runChecks } from './finding.js';

const PROCESSES = 'docs/operations/processes.md';
/** Frames are committed within milliseconds. */
const OLD_COMMAND_MS = 5_000;
/** The resumer tries at least once a minute. */
const OLD_DEFERRED_MS = 60_000;
const MANY_EVENTS = 1_000;

/** Of Postgres alone. */
export function checkWork(sql: Postgres): Promise<Finding[]> {
  return runChecks({
    'payments.processes': () => checkPaymentsProcesses(sql),
    'payments.partitions': async () => checkOwners(await listPartitions(sql)),
    'payments.quarantine': () => checkQuarantine(sql),
    'payments.deferred': () => checkDeferred(sql),
    'webhooks.backlog': () => checkWebhooks(sql),
    'mail.failed': () => checkFailedMails(sql),
    'tasks.open': () => checkTasks(sql),
  });
}

export const checkStreams = (sql: Postgres, redis: RedisClient): Promise<Finding[]> =>
  runChecks({ 'payments.backlog': () => checkBacklog(sql, redis) });

/** `redis`: that of the webhook queues. */
export const checkWebhooksProcesses = (redis: RedisClient): Promise<Finding[]> =>
  runChecks({ 'webhooks.processes': () => checkAliveWebhooks(redis) });

async function checkPaymentsProcesses(sql: Postgres): Promise<Finding> {
  const check = 'payments.processes';
  const count = await countPaymentsProcesses(sql);
  if (count > 0) return reportOk(check, `${count} payments process(es) have a valid lease`);
  return reportProblem(
    check,
    'no payments process has a valid lease: creates answer 504',
    `Start a payments process (${PROCESSES}#no-payments-process-lives)`,
  );
}

function checkOwners(partitions: readonly ListedPartition[]): Finding {
  const check = 'payments.partitions';
  const stopped = partitions.filter(({ stoppedVersion }) => stoppedVersion !== null);
  if (stopped.length > 0) {
    return reportProblem(
      check,
      `${listIds(stopped)} wait for a payments process of a newer version`,
      `Start one (${PROCESSES}#a-partition-waits-for-a-newer-version)`,
    );
  }
  const free = partitions.filter(({ isOwned }) => !isOwned);
  if (free.length === 0)
    return reportOk(check, `all ${partitions.length} partitions have an owner`);
  return reportProblem(
    check,
    `${free.length} of ${partitions.length} partitions have no owner that lives: ${listIds(free)}`,
    `Start a payments process (${PROCESSES}#a-partition-has-no-owner)`,
  );
}

const listIds = (partitions: readonly { readonly partition: number }[]): string =>
  partitions.map(({ partition }) => `p${partition}`).join(', ');

async function checkQuarantine(sql: Postgres): Promise<Finding> {
  const check = 'payments.quarantine';
  const { quarantined, quarantinedToday } = await countWaitingCommands(sql);
  if (quarantined === 0) return reportOk(check, 'no command is quarantined');
  const says = `${quarantined} command(s) are quarantined, ${quarantinedToday} of them since yesterday`;
  const remedy =
    'Run npx kasir quarantine list (docs/operations/payments.md#a-command-is-quarantined)';
  return quarantinedToday > 0
    ? reportProblem(check, says, remedy)
    : reportWarning(check, says, remedy);
}

async function checkDeferred(sql: Postgres): Promise<Finding> {
  const check = 'payments.deferred';
  const { deferred, deferredMs } = await countWaitingCommands(sql);
  if (deferred === 0) return reportOk(check, 'no command is deferred');
  const says = `${deferred} command(s) are deferred, the oldest for ${formatSeconds(deferredMs)}`;
  const remedy = 'Look for an old transaction (docs/operations/payments.md#commands-are-deferred)';
  return deferredMs > OLD_DEFERRED_MS
    ? reportProblem(check, says, remedy)
    : reportWarning(check, says, remedy);
}

async function checkBacklog(sql: Postgres, redis: RedisClient): Promise<Finding> {
  const check = 'payments.backlog';
  const partitions = await listPartitions(sql);
  const cursors = partitions.map(({ partition, position }) => ({ partition, after: position }));
  const backlogs = await readBacklogs(redis, cursors);
  const late = [...backlogs].filter(([, { oldestMs }]) => oldestMs > OLD_COMMAND_MS);
  const oldestMs = Math.max(0, ...[...backlogs.values()].map((backlog) => backlog.oldestMs));
  if (late.length === 0) {
    return reportOk(check, `the oldest command waits for ${formatSeconds(oldestMs)}`);
  }
  const ids = listIds(late.map(([partition]) => ({ partition })));
  return reportProblem(
    check,
    `commands of ${ids} wait, the oldest for ${formatSeconds(oldestMs)}`,
    'Run npx kasir partitions list (docs/operations/payments.md#commands-wait)',
  );
}

async function checkAliveWebhooks(redis: RedisClient): Promise<Finding> {
  const check = 'webhooks.processes';
  const count = await countAliveProcesses(redis);
  if (count > 0) return reportOk(check, `${count} webhooks process(es) live`);
  return reportProblem(
    check,
    'no webhooks process lives: no webhook is sent, and invoices and links do not follow payments',
    `Start a webhooks process (${PROCESSES}#a-process-does-not-answer)`,
  );
}

async function checkWebhooks(sql: Postgres): Promise<Finding> {
  const check = 'webhooks.backlog';
  const { pending, dead, unpublished, quarantined, failingEndpoints } = await countBacklog(sql);
  const says =
    `${pending} deliveries are pending, ${dead} dead; ${unpublished} events are not fanned out, ${quarantined} ` +
    `cannot be read; ${failingEndpoints} endpoint(s) fail`;
  if (quarantined > 0) {
    const remedy = 'Repair the envelopes (docs/operations/webhooks.md#events-cannot-be-read)';
    return reportProblem(check, says, remedy);
  }
  if (unpublished > MANY_EVENTS) {
    const remedy = 'Look at the webhooks processes (docs/operations/webhooks.md#webhooks-are-late)';
    return reportProblem(check, says, remedy);
  }
  if (dead === 0) return reportOk(check, says);
  const remedy = 'Run npx kasir dlq stats (docs/operations/webhooks.md#deliveries-are-dead)';
  return reportWarning(check, says, remedy);
}

async function checkFailedMails(sql: Postgres): Promise<Finding> {
  const check = 'mail.failed';
  const count = await countFailedMails(sql);
  if (count === 0) return reportOk(check, 'the mail server has taken every mail');
  const says = `the mail server has refused ${count} mail(s)`;
  return reportWarning(check, says, 'Run npx kasir mail list, which shows the reasons');
}

async function checkTasks(sql: Postgres): Promise<Finding> {
  const check = 'tasks.open';
  const tasks = await countOpenTasks(sql);
  if (tasks.length === 0) return reportOk(check, 'no operator task of LIVE is open');
  const says = `open operator tasks: ${tasks.map(({ kind, count }) => `${count} ${kind}`).join(', ')}`;
  return reportWarning(check, says, 'Resolve them (docs/operator-tasks.md)');
}

const formatSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
