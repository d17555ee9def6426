// The check at the start of every process: the database has the schema that this build needs, and belongs to
// an installation with the same number of partitions and the same ID_KEY. With other values a process would
// look for payments in partitions where they are not.
import { createHash } from 'node:crypto';
import type { Log } from '#ops/runtime/log.js';
import type { Postgres } from './client.js';
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
 * On a migrated database without an installation, installs: the settings and one row per partition.
 * @throws SchemaError if the schema is not the one of this build
 * @throws Error that names the setting that differs
 */
export async function checkInstallation(sql: Postgres, expected: Installation): Promise<void> {
  await checkSchema(sql);
  const fingerprint = fingerprintIdKey(expected.idKey);
  await sql`
    with installed as (
      insert into installation (partitions, id_key_fingerprint)
      values (${expected.partitions}, ${fingerprint})
      on conflict do nothing returning partitions)
    insert into partitions (id) select generate_series(0, partitions - 1) from installed`;
  const rows = await sql<{ partitions: number; id_key_fingerprint: string }[]>`
    select partitions, id_key_fingerprint from installation`;
  const found = rows[0];
  if (found?.partitions !== expected.partitions) {
    throw new Error(
      `PARTITIONS is ${expected.partitions}, but the installation has ${found?.partitions} partitions. ` +
        `Set PARTITIONS to ${found?.partitions}: the number cannot change.`,
    );
  }
  if (found.id_key_fingerprint !== fingerprint) {
    throw new Error(
      `ID_KEY has the fingerprint ${fingerprint}, but the installation was made with a key of fingerprint ` +
        `${found.id_key_fingerprint}. Set ID_KEY to that key: it cannot change.`,
    );
  }
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

/** At the start of a process with LIVE rails in production. */
export async function warnUnlessReplicated(sql: Postgres, log: Pick<Log, 'warn'>): Promise<void> {
  if (await isReplicatedSynchronously(sql)) return;
  log.warn(
    'LIVE rails are configured, and Postgres has no synchronous standby (synchronous_standby_names is empty): a ' +
      'failover may lose answered payments. See "Replication" in docs/operations.md',
  );
}
