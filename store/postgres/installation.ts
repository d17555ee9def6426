// What an installation is fixed to: its number of partitions and the key that ids are derived with.
// A process with another one would look for payments where they are not, so it refuses to start.
import { createHash } from 'node:crypto';
import type { Postgres } from './client.js';

export interface Installation {
  partitions: number;
  idKey: Buffer;
}

/** A short name of the key that does not give it away. */
export function fingerprintIdKey(idKey: Buffer): string {
  return createHash('sha256').update('kasir id key\0').update(idKey).digest('hex').slice(0, 16);
}

/**
 * Installs on an empty database (the rows of `partitions` among it), else compares.
 * @throws Error that names what differs
 */
export async function checkInstallation(sql: Postgres, expected: Installation): Promise<void> {
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
      `PARTITIONS is ${expected.partitions}, the installation has ${found?.partitions}`,
    );
  }
  if (found.id_key_fingerprint !== fingerprint) {
    throw new Error(`ID_KEY is not the one of the installation (${found.id_key_fingerprint})`);
  }
}
