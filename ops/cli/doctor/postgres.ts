// Postgres: reachable, of this version's schema, and set up so that nothing that was answered is lost.
import type { Config } from '#ops/runtime/config.js';
import { StartError } from '#ops/runtime/config.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  explainDifference,
  isReplicatedSynchronously,
  readInstallation,
} from '#store/postgres/migration/installation.js';
import { readSqlFiles } from '#store/postgres/migration/schema-files.js';
import {
  checkSchema,
  findMissingFiles,
  readAppliedFiles,
} from '#store/postgres/migration/schema-state.js';
import {
  readClock,
  readServerState,
  type ServerState,
} from '#store/postgres/operations/server-state.js';
import {
  checkClock,
  type Finding,
  reportOk,
  reportProblem,
  reportWarning,
  runChecks,
} from './finding.js';

const OLDEST_VERSION = 150_000;
/** One gateway takes 22 at most (docs/operations/postgres.md#connections-to-postgres). */
const SHARE_WARNING = 0.8;
const SHARE_PROBLEM = 0.95;

const MIGRATE = 'Run npx kasir migrate of this version as the migration role';
const FITTING_SCHEMA = 'docs/operations/processes.md#the-schema-does-not-fit';

export async function checkPostgres(sql: Postgres, config: Config): Promise<Finding[]> {
  const [ofServer, ofSchema] = [await checkServer(sql, config), await checkDatabase(sql, config)];
  return [...ofServer, ...ofSchema];
}

async function checkServer(sql: Postgres, config: Config): Promise<Finding[]> {
  const state = await readServerState(sql);
  return runChecks({
    'postgres.version': () => checkVersion(state),
    'postgres.role': () => checkStandby(state),
    'postgres.durability': () => checkDurability(state),
    'postgres.replication': () => checkReplication(sql, config),
    'postgres.connections': () => checkConnections(state),
    'postgres.clock': () => checkClock('postgres.clock', 'Postgres', () => readClock(sql)),
  });
}

const checkDatabase = (sql: Postgres, config: Config): Promise<Finding[]> =>
  runChecks({
    'postgres.schema': () => checkSchemaFiles(sql),
    'postgres.functions': () => checkFunctions(sql),
    'postgres.installation': () => checkSameInstallation(sql, config),
  });

export function checkVersion({
  version,
  versionNumber,
}: Pick<ServerState, 'version' | 'versionNumber'>): Finding {
  const check = 'postgres.version';
  return versionNumber >= OLDEST_VERSION
    ? reportOk(check, `Postgres ${version}`)
    : reportProblem(check, `Postgres ${version} is too old`, 'Move to Postgres 15 or newer');
}

/** Behind PgBouncer, whose greeting may be an old one; a connection that leads to a standby is lost otherwise. */
function checkStandby({ isStandby }: ServerState): Finding {
  const check = 'postgres.role';
  return isStandby
    ? reportProblem(
        check,
        'the server is a standby, on which nothing can be written',
        'Let DATABASE_URL lead to the primary; behind PgBouncer, run RECONNECT (docs/operations/postgres.md)',
      )
    : reportOk(check, 'the server is a primary');
}

function checkDurability(state: ServerState): Finding {
  const check = 'postgres.durability';
  const { fsync, fullPageWrites, synchronousCommit } = state;
  const off = Object.entries({
    fsync,
    full_page_writes: fullPageWrites,
    synchronous_commit: synchronousCommit,
  })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name);
  if (off.length === 0) return reportOk(check, 'a commit that was answered is on the disk');
  const says = `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off: a crash loses or damages what was answered`;
  return reportProblem(check, says, `Set ${off.join(', ')} to on (docs/operations/postgres.md)`);
}

async function checkReplication(sql: Postgres, { isProduction, rails }: Config): Promise<Finding> {
  const check = 'postgres.replication';
  if (await isReplicatedSynchronously(sql)) {
    return reportOk(check, 'each commit waits for a standby');
  }
  const says = 'no synchronous standby: a failover may lose what was answered';
  const isLive = isProduction && Object.keys(rails.variables).length > 0;
  if (!isLive) return reportOk(check, `${says}; an installation without LIVE rails may do without`);
  const remedy =
    'Name a standby in synchronous_standby_names (docs/operations/postgres.md#replication)';
  return reportWarning(check, says, remedy);
}

function checkConnections({ connections, maxConnections }: ServerState): Finding {
  const check = 'postgres.connections';
  const says = `${connections} of ${maxConnections} connections are in use`;
  const share = connections / maxConnections;
  if (share < SHARE_WARNING) return reportOk(check, says);
  const remedy =
    'Raise max_connections, or put PgBouncer before Postgres (docs/operations/postgres.md#connections-to-postgres)';
  return share < SHARE_PROBLEM
    ? reportWarning(check, says, remedy)
    : reportProblem(check, says, remedy);
}

async function checkSchemaFiles(sql: Postgres): Promise<Finding> {
  const check = 'postgres.schema';
  try {
    await checkSchema(sql);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return reportProblem(check, error.message, `${MIGRATE} (${FITTING_SCHEMA})`);
  }
  try {
    findMissingFiles(await readSqlFiles('schema'), await readAppliedFiles(sql));
    return reportOk(check, 'the database has the schema of this version');
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return reportWarning(check, error.message, `Read ${FITTING_SCHEMA}`);
  }
}

/** No process checks these at its start: it runs with those of another version until a statement fails. */
async function checkFunctions(sql: Postgres): Promise<Finding> {
  const check = 'postgres.functions';
  const applied = await readAppliedFiles(sql);
  const files = await readSqlFiles('functions');
  const other = files.filter(({ name, checksum }) => applied.get(name)?.checksum !== checksum);
  if (other.length === 0) return reportOk(check, 'the functions are those of this version');
  const says = `${other.map(({ name }) => name).join(', ')}: the database has another version of them`;
  return reportWarning(check, says, MIGRATE);
}

async function checkSameInstallation(
  sql: Postgres,
  { partitions, idKey }: Config,
): Promise<Finding> {
  const check = 'postgres.installation';
  const found = await readInstallation(sql);
  if (found === undefined) {
    const says = 'no process has started on this database yet';
    return reportWarning(check, says, 'Start the processes; the first one installs');
  }
  const former = found.counts.slice(0, -1).map((count) => `${count} before a split`);
  const says = [`the installation has ${found.partitions} partitions`, ...former].join(', ');
  if (idKey.length === 0) {
    return reportOk(check, `${says}; ID_KEY is not given here, so it was not compared`);
  }
  const difference = explainDifference(found, { partitions, idKey });
  return difference === undefined
    ? reportOk(check, `${says}, and ID_KEY is its key`)
    : reportProblem(check, difference, 'Set the variable to the value of the installation');
}
