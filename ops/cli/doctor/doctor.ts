// `kasir doctor`: looks at everything that an installation needs, and says what is wrong and what to do. It changes
// nothing, and sends nothing to rails or receivers.
import { Argument, type Command } from '@commander-js/extra-typings';
import type { Config, ProcessName } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import { withDatabase } from '../base/database.js';
import { addCommand } from '../base/options.js';
import {
  describeError,
  type Format,
  markProblem,
  printRows,
  writeDiagnostic,
} from '../base/output.js';
import { withRedis } from '../base/redis.js';
import { checkCertificate } from './certificate.js';
import { checkConfiguration, checkNodeVersion, findConfig } from './configuration.js';
import { type Finding, type Level, reportProblem } from './finding.js';
import { checkMailServer } from './mail.js';
import { checkPostgres } from './postgres.js';
import { checkRails } from './rails.js';
import { checkRedis } from './redis.js';
import { checkStreams, checkWebhooksProcesses, checkWork } from './work.js';

const PROCESSES = ['gateway', 'payments', 'rails', 'webhooks'] as const satisfies ProcessName[];
const MARKS: Readonly<Record<Level, string>> = {
  ...{ ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' },
};
const CHECK_CHARACTERS = 22;

export function addDoctor(program: Command): void {
  const purpose = 'Find what is wrong with an installation, with a remedy for each problem';
  addCommand(program, 'doctor', purpose, 'kasir doctor payments rails')
    .addArgument(
      new Argument('[processes...]', 'processes that run with these variables').choices(PROCESSES),
    )
    .action(async (processes, format) => {
      report(await diagnose(processes), format);
    });
}

async function diagnose(processes: readonly ProcessName[]): Promise<Finding[]> {
  const first = [checkNodeVersion(), ...checkConfiguration(processes)];
  const config = findConfig();
  if (config === undefined) return first;
  const isAbout = (name: ProcessName): boolean =>
    processes.length === 0 || processes.includes(name);
  const found = await Promise.all([
    checkServers(config),
    isAbout('gateway') ? checkCertificate(config.baseUrl) : [],
    isAbout('gateway') ? checkMailServer(config) : [],
    isAbout('rails') ? checkRails(config) : [],
  ]);
  return [...first, ...found.flat()];
}

/** Redis is also asked when Postgres is away, and the other way round. */
async function checkServers(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const isReached = await tryServer('postgres.connection', findings, (add) =>
    withDatabase(async (sql) => {
      add(await checkPostgres(sql, config), await checkWork(sql));
      await checkQueues(config, findings, sql);
    }),
  );
  if (!isReached) await checkQueues(config, findings);
  return findings;
}

async function checkQueues(config: Config, findings: Finding[], sql?: Postgres): Promise<void> {
  const { redisUrl, redisWebhooksUrl } = config;
  const isShared = redisWebhooksUrl === redisUrl;
  await tryServer('redis.connection', findings, (add) =>
    withRedis(async (redis) => {
      add(await checkRedis(redis, 'redis'));
      if (sql !== undefined) add(await checkStreams(sql, redis));
      if (isShared) add(await checkWebhooksProcesses(redis));
    }),
  );
  if (isShared) return;
  await tryServer('redis-webhooks.connection', findings, (add) =>
    withRedis(async (redis) => {
      add(await checkRedis(redis, 'redis-webhooks'), await checkWebhooksProcesses(redis));
    }, redisWebhooksUrl),
  );
}

const REMEDIES = {
  'postgres.connection': 'Check DATABASE_URL, and that Postgres runs and is reached from here',
  'redis.connection': 'Check REDIS_URL, and that Redis runs and is reached from here',
  'redis-webhooks.connection':
    'Check REDIS_URL_WEBHOOKS, and that this Redis runs and is reached from here',
} as const;

/** Returns whether the work was done; otherwise the reason is a finding. */
async function tryServer(
  check: keyof typeof REMEDIES,
  findings: Finding[],
  work: (add: (...found: Finding[][]) => void) => Promise<void>,
): Promise<boolean> {
  try {
    await work((...found) => {
      findings.push(...found.flat());
    });
    return true;
  } catch (error) {
    findings.push(reportProblem(check, describeError(error), REMEDIES[check]));
    return false;
  }
}

function report(findings: readonly Finding[], format: Format): void {
  printRows(findings, format, describeFinding);
  const count = (level: Level): number => findings.filter((one) => one.level === level).length;
  writeDiagnostic(`${count('problem')} problem(s), ${count('warning')} warning(s)`);
  if (count('problem') > 0) markProblem();
}

function describeFinding({ check, level, says, remedy }: Finding): string {
  const line = `${MARKS[level]}  ${check.padEnd(CHECK_CHARACTERS)}  ${says}`;
  return remedy === null ? line : `${line}\n         → ${remedy}`;
}
