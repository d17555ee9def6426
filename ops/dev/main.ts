// `npm start`: the whole service on one machine. Private Redis and Postgres (unless addresses are given), the schema,
// demo data and the processes of the Procfile, all supervised. It stops in order: gateway, actors, Redis, Postgres. Only
// the data in DATA_DIR remains.
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { explainPooling } from '#store/postgres/migration/installation.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import { RAIL_VARIABLES } from '#actors/rails/rail-registry.js';
import { type Config, ConfigError, inheritEnvironment, readConfig } from '../runtime/config.js';
import { describePortFault, findPortFault } from '../runtime/ports.js';
import { describeDemo, makeDemoSecrets, seedDemo } from './demo.js';
import { describeProcess, listProcesses, type ProcessContext } from './processes.js';
import type { Program } from './launch/program.js';
import { waitForService } from './launch/readiness.js';
import { prepareRails } from './rail-simulator/settings.js';
import { claimFolder, type Records } from './launch/process-records.js';
import { keepSecrets, type Secrets, writeSecretFile } from './launch/secrets.js';
import { startPrivateServers } from './servers/private-servers.js';
import { supervise, type Supervised, type SupervisorHooks } from './launch/supervisor.js';
import { seedVerification } from './verification.js';
import { describeReceiver, prepareReceiver, seedEndpoint } from './webhook-receiver/settings.js';
import { printWelcome } from './welcome.js';

const READY_MS = 120_000;
const PARENT_POLL_MS = 1_000;
/** Files in DATA_DIR while it runs: addresses for people and for operators' commands. */
const MADE_FILES = ['demo.json', 'addresses.json'];

const report = (line: string): void => {
  console.log(`kasir: ${line}`);
};

/** The running programs, in the order of their start, and their single stop. */
interface DevRun {
  readonly dataDir: string;
  readonly running: Supervised[];
  records: Records | null;
  ending: Promise<never> | null;
}

function stop(run: DevRun, code: number): Promise<never> {
  run.ending ??= stopAll(run, code);
  return run.ending;
}

async function stopAll(run: DevRun, code: number): Promise<never> {
  const hasAny = run.running.length > 0;
  if (hasAny) report('stopping …');
  if (run.records !== null) {
    for (const file of MADE_FILES) rmSync(join(run.dataDir, file), { force: true });
  }
  for (let last = run.running.pop(); last !== undefined; last = run.running.pop()) {
    await last.stop();
  }
  run.records?.release();
  if (hasAny) report('stopped');
  process.exit(code);
}

/** Ctrl-C in a terminal reaches npm too, which forwards it: a second signal does not hurry the stop. */
function stopOnSignals(run: DevRun): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop(run, 0));
  }
  const parent = process.ppid;
  if (inheritEnvironment()['npm_lifecycle_event'] !== 'start') return;
  setInterval(() => {
    if (process.ppid !== parent) void stop(run, 1);
  }, PARENT_POLL_MS).unref();
}

function check(config: Config): void {
  if (config.isProduction) {
    throw new Error(
      'npm start is for development; in production run the lines of the Procfile, with NODE_ENV=production.',
    );
  }
}

async function checkPort(port: number): Promise<void> {
  const fault = await findPortFault(port);
  if (fault !== undefined) throw new Error(describePortFault('PORT', port, fault));
}

function createWatch(
  around: ProcessContext,
  records: Records,
  onChange: () => void,
): SupervisorHooks {
  return {
    report,
    onStart: (name, pid) => {
      records.add(name, pid);
    },
    onMessage: (name, message) => {
      const { type, port } = message as { type?: string; port?: number };
      if (type !== 'metrics' || port === undefined || around.metricsPorts.get(name) === port)
        return;
      around.metricsPorts.set(name, port);
      onChange();
    },
  };
}

/** No program is started after the stop began. */
function add(run: DevRun, name: string, describe: () => Program, watch: SupervisorHooks): void {
  if (run.ending !== null) throw new Error('stopping');
  run.running.push(supervise(name, describe, watch));
}

async function start(run: DevRun, config: Config): Promise<void> {
  check(config);
  mkdirSync(run.dataDir, { recursive: true, mode: 0o700 });
  const records = await claimFolder(run.dataDir, report);
  run.records = records;
  const demoFile = join(run.dataDir, 'demo.json');
  rmSync(demoFile, { force: true });
  await checkPort(config.port);
  const secrets = keepSecrets(run.dataDir, makeDemoSecrets);
  const around: ProcessContext = {
    config,
    environment: inheritEnvironment(),
    made: {},
    metricsPorts: new Map(),
  };
  let isServed = false;
  const receiver = await prepareReceiver(config, run.dataDir);
  const webhook = describeReceiver(receiver);
  const rails = await prepareRails(config, run.dataDir, findCallbackKey(config, secrets));
  const tell = (): void => {
    const { metricsPorts } = around;
    if (isServed) {
      const running = { metricsPorts, rails, webhook };
      writeSecretFile(demoFile, describeDemo(config, secrets.demo, running));
    }
  };
  const watch = createWatch(around, records, tell);
  const servers = await startPrivateServers({
    config,
    dataDir: run.dataDir,
    secrets,
    run: (name, describe) => {
      add(run, name, describe, watch);
    },
  });
  writeSecretFile(join(run.dataDir, 'addresses.json'), servers);
  await migrate(servers.databaseUrl).catch(explainPooling);
  await seedDemo(servers.databaseUrl, secrets.demo);
  const made = {
    ...makeVariables(config, run.dataDir, { ...servers, secrets }),
    ...receiver.variables,
    ...rails.variables,
  };
  const { secretsKeys } = readConfig('webhooks', { ...around.environment, ...made });
  await seedVerification(servers.databaseUrl, secrets.demo, secretsKeys);
  await seedEndpoint(servers.databaseUrl, secrets.demo.merchantId, secretsKeys, receiver);
  add(run, 'receiver', () => receiver.program, watch);
  const { simulator } = rails;
  if (simulator !== null) add(run, 'rail-simulator', () => simulator.program, watch);
  for (const entry of listProcesses()) {
    const describe = () => describeProcess(entry, { ...around, made });
    add(run, entry.name, describe, watch);
  }
  const { port, partitions } = config;
  await waitForService({ port, partitions, redisUrl: servers.redisUrl }, READY_MS);
  if (run.ending !== null) return;
  isServed = true;
  tell();
  printWelcome(config, secrets, { demoFile, rails, received: receiver.settings.received });
}

/** The configuration that the processes will read. */
function findCallbackKey({ callbackKeys }: Config, secrets: Secrets): Buffer {
  const [key] = callbackKeys;
  return key === undefined || key.length === 0 ? Buffer.from(secrets.idKey, 'base64') : key;
}

function makeVariables(
  config: Config,
  dataDir: string,
  made: { redisUrl: string; databaseUrl: string; secrets: Secrets },
): Record<string, string> {
  const given = inheritEnvironment();
  return {
    PORT: String(config.port),
    BASE_URL: config.baseUrl,
    DATA_DIR: dataDir,
    REDIS_URL: made.redisUrl,
    DATABASE_URL: made.databaseUrl,
    SECRETS_KEY: given['SECRETS_KEY'] || made.secrets.secretsKey,
    ID_KEY: given['ID_KEY'] || made.secrets.idKey,
    COMMAND_KEY_GATEWAY: given['COMMAND_KEY_GATEWAY'] || made.secrets.commandKeys.gateway,
    COMMAND_KEY_RAILS: given['COMMAND_KEY_RAILS'] || made.secrets.commandKeys.rails,
    COMMAND_KEY_WEBHOOKS: given['COMMAND_KEY_WEBHOOKS'] || made.secrets.commandKeys.webhooks,
  };
}

/** Rights, a file in the place of a folder, a disk that takes nothing. */
const FOLDER_FAULTS = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT'];

/** A fault of a file in DATA_DIR, or of a folder above it, names the variable. */
function describeStartFault(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', path = '' } = error as NodeJS.ErrnoException;
  const isInside = path.startsWith(dataDir) || (path !== '' && dataDir.startsWith(path));
  if (!FOLDER_FAULTS.includes(code) || !isInside) return error.message;
  return (
    `DATA_DIR ${dataDir} cannot be used (${error.message}): npm start keeps its servers and secrets there. Give this user the ` +
    'right to write the folder and all files in it, or set DATA_DIR to another folder'
  );
}

function readOrExplain(): Config {
  try {
    return readConfig('start', undefined, RAIL_VARIABLES);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

const config = readOrExplain();
const run: DevRun = { dataDir: resolve(config.dataDir), running: [], records: null, ending: null };
stopOnSignals(run);
start(run, config).catch((error: unknown) => {
  if (run.ending === null) {
    console.error(`kasir: ${describeStartFault(error, run.dataDir)}`);
  }
  return stop(run, 1);
});
