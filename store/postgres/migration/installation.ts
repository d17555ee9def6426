// The check at the start of every process: the database has the schema that this build needs, and belongs to an installation with
// the same ID_KEY, with which a process finds payments by their keys. PARTITIONS counts at the first start alone. Later it must be a
// number that the installation has or has had, so that a process of another installation is noticed, and the stored number is used.
import { createHash } from 'node:crypto';
import { StartError } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { type Postgres, SESSION } from '../client.js';
import { checkSchema } from './schema-state.js';

export interface Installation {
  partitions: number;
  idKey: Buffer;
}

/** Identifies the key without revealing it. */
export function fingerprintIdKey(idKey: Buffer): string {
  return createHash('sha256').update('kasir id key\0').update(idKey).digest('hex').slice(0, 16);
}

/**
 * On a migrated database without an installation, installs: the settings and one row per partition. Returns the number of
 * partitions.
 * @throws SchemaError if the schema is not the one of this build
 * @throws StartError that names the setting that differs
 */
export async function checkInstallation(sql: Postgres, expected: Installation): Promise<number> {
  await checkSession(sql).catch(explainPooling);
  await checkSchema(sql);
  const fingerprint = fingerprintIdKey(expected.idKey);
  await sql`
    with installed as (
      insert into installation (partitions, id_key_fingerprint)
      values (${expected.partitions}, ${fingerprint})
      on conflict do nothing returning partitions)
    insert into partitions (id) select generate_series(0, partitions - 1) from installed`;
  const found = await readInstallation(sql);
  const difference = explainDifference(found, expected);
  if (difference !== undefined) throw new StartError(difference);
  return found?.partitions ?? expected.partitions;
}

export interface FoundInstallation {
  readonly partitions: number;
  /** The numbers that it has had, ascending; the last one is `partitions`. */
  readonly counts: readonly number[];
  readonly fingerprint: string;
}

/** undefined: no process has started on this database yet. */
export async function readInstallation(sql: Postgres): Promise<FoundInstallation | undefined> {
  const rows = await sql<FoundInstallation[]>`
    select partitions, id_key_fingerprint as fingerprint,
           to_json(coalesce((select counts from partitions where id = 0), array[partitions])) as counts
      from installation`;
  return rows[0];
}

/** Names the setting that differs; undefined: none does. */
export function explainDifference(
  found: FoundInstallation | undefined,
  { partitions, idKey }: Installation,
): string | undefined {
  if (found?.counts.includes(partitions) !== true) {
    return (
      `PARTITIONS is ${partitions}, but the installation has ${found?.partitions} partitions. ` +
      `Set PARTITIONS to ${found?.partitions}: only \`npx kasir partitions split\` changes the number.`
    );
  }
  const fingerprint = fingerprintIdKey(idKey);
  if (found.fingerprint === fingerprint) return undefined;
  return (
    `ID_KEY has the fingerprint ${fingerprint}, but the installation was made with a key of fingerprint ` +
    `${found.fingerprint}. Set ID_KEY to that key: it cannot change.`
  );
}

/** Behind PgBouncer a session begins with the settings of its role. Without the limit, one lock would stop all commits. */
async function checkSession(sql: Postgres): Promise<void> {
  const names = Object.keys(SESSION);
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ${sql(names)}`;
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  const wrong = Object.entries(SESSION).filter(
    ([name, value]) => found.get(name) !== String(value),
  );
  if (wrong.length === 0) return;
  const settings = wrong.map(([name, value]) => `ALTER ROLE … SET ${name} = '${value}'`);
  throw new StartError(
    `The sessions behind PgBouncer lack settings. Run as the owner of the role: ${settings.join('; ')}. ` +
      'Then reconnect PgBouncer.',
  );
}

/** PgBouncer refuses the settings of a session, which an address with `?pooling=transaction` does not send. */
const REFUSED_BY_PGBOUNCER = /unsupported startup parameter/;

/** For the first statement at a server. */
export function explainPooling(error: unknown): never {
  if (!(error instanceof Error) || !REFUSED_BY_PGBOUNCER.test(error.message)) throw error;
  throw new StartError(
    `DATABASE_URL leads to PgBouncer (${error.message}): add ?pooling=transaction to it, or & and pooling=transaction behind ` +
      'other parameters, and set DATABASE_URL_DIRECT to Postgres itself (docs/operations/postgres.md#behind-pgbouncer)',
  );
}

/**
 * Whether each commit waits for a standby. Without one, a failover loses commits that were answered. Storage that is
 * replicated below Postgres does not show here.
 */
export async function isReplicatedSynchronously(sql: Postgres): Promise<boolean> {
  const rows = await sql<{ is_synchronous: boolean }[]>`
    select current_setting('synchronous_standby_names') <> ''
           and current_setting('synchronous_commit') in ('on', 'remote_write', 'remote_apply') as is_synchronous`;
  return rows[0]?.is_synchronous ?? false;
}

/**
 * To be called at the start of a rails process. Notes the timeline, so that the first failover of the installation is known as
 * one, and warns of what a failover may lose. `isLive`: LIVE payments are taken in production.
 */
export async function prepareForFailover(
  sql: Postgres,
  { isLive, log }: { readonly isLive: boolean; readonly log: Pick<Log, 'warn'> },
): Promise<void> {
  const rows = await sql<{ isTold: boolean }[]>`
    select read_timeline() is not null as "isTold" from note_timeline()`;
  if (rows[0]?.isTold !== true) {
    log.warn(
      'Postgres does not tell its timeline (pg_current_wal_lsn, pg_walfile_name): after a failover that loses commits, ' +
        'calls to rails are made again. See docs/operations/postgres.md#replication',
    );
  }
  if (!isLive || (await isReplicatedSynchronously(sql))) return;
  log.warn(
    'LIVE rails are configured, and Postgres has no synchronous standby (synchronous_standby_names is empty): a ' +
      'failover may lose answered payments. See docs/operations/postgres.md#replication',
  );
}
