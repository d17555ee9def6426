// The servers that a command works on: those of DATABASE_URL and REDIS_URL, or else those that `npm start` runs in DATA_DIR.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { readConfig, StartError } from '#ops/runtime/config.js';
import { closePostgres, openPostgres, type Postgres } from '#store/postgres/client.js';
import { explainPooling } from '#store/postgres/migration/installation.js';
import type { DoneBy } from '#store/postgres/webhooks/dead-letters/dead-letter-scope.js';
import { openStandby, StandbyReads } from '#store/postgres/standby-reads.js';
import { describeError, writeDiagnostic } from './output.js';

const CONNECTIONS = 1;
const NOT_REACHED =
  'the server of DATABASE_URL_REPLICA is away, no standby, or behind the primary: the primary is read';

/** For the audit log. */
export const identifyOperator = (): DoneBy => ({
  actor: `operator ${findUserName()}`,
  address: null,
});

/** A container's user may have no name. */
function findUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Connects, runs `work` and disconnects. The deadlines of connecting and of each statement are the pool's. */
export async function withDatabase(work: (sql: Postgres) => Promise<void>): Promise<void> {
  const actor = identifyOperator().actor;
  const sql = openPostgres(findDatabaseUrl(), 'cli', CONNECTIONS, { actor });
  try {
    await sql`select 1`.catch(explainPooling).catch((error: unknown) => {
      if (error instanceof StartError) throw error;
      throw new Error(`cannot connect to Postgres: ${describeError(error)}; check DATABASE_URL`);
    });
    await work(sql);
  } finally {
    await closePostgres(sql);
  }
}

/** As `withDatabase`, for a command that reads for long: from the standby of DATABASE_URL_REPLICA when it has all that the primary has. */
export function withReader(work: (sql: Postgres) => Promise<void>): Promise<void> {
  return withDatabase(async (primary) => {
    const standby = openStandby(readConfig('start').databaseUrlReplica, 'cli');
    if (standby === null) return work(primary);
    try {
      const { sql } = await new StandbyReads(primary, standby).choose();
      if (sql === primary) writeDiagnostic(NOT_REACHED);
      await work(sql);
    } finally {
      await closePostgres(standby);
    }
  });
}

export function findDatabaseUrl(): string {
  const { databaseUrlDirect, dataDir } = readConfig('start');
  return databaseUrlDirect || readStarted(dataDir, 'databaseUrl');
}

export function findRedisUrl(): string {
  const { redisUrl, dataDir } = readConfig('start');
  return redisUrl || readStarted(dataDir, 'redisUrl');
}

const VARIABLES = { databaseUrl: 'DATABASE_URL', redisUrl: 'REDIS_URL' } as const;
type StartedServer = keyof typeof VARIABLES;

/** `npm start` writes this file. */
function readStarted(dataDir: string, server: StartedServer): string {
  const variable = VARIABLES[server];
  try {
    const text = readFileSync(join(dataDir, 'addresses.json'), 'utf8');
    return (JSON.parse(text) as Record<StartedServer, string>)[server];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT') {
      throw new Error(
        `the file of npm start in DATA_DIR cannot be read (${error.message}): run the command as the user of npm start, or set ${variable}`,
      );
    }
    throw new Error(`${variable} is missing, and no npm start runs in DATA_DIR; set one of them`);
  }
}
