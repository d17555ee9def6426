// Starts the control with a database of its own.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { type NodeProcess, startNode } from './node-process.js';
import { createDatabase, type Servers } from './servers.js';

/** Something that takes creates and gets: the service or the control. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly key: string;
  readonly databaseUrl: string;
  readonly processes: readonly NodeProcess[];
  stop(): Promise<void>;
}

export async function startControl(servers: Servers): Promise<Target> {
  const databaseUrl = await createDatabase(servers, 'control');
  const key = `sk_test_${randomBytes(19).toString('hex')}`;
  const sql = postgres(databaseUrl, { max: 1 });
  await sql.unsafe(readFileSync(join(findPackageRoot(), 'bench/control/schema.sql'), 'utf8'));
  await sql`insert into api_keys (digest, merchant_id, environment)
            values (${createHash('sha256').update(key).digest()}, 'mer_control', 'TEST')`;
  await sql.end();
  const port = await findFreePort();
  const control = await startNode({
    name: 'control',
    file: 'dist/bench/control/main.js',
    args: [databaseUrl, String(port)],
    output: join(servers.folder, 'control.log'),
  });
  return {
    name: 'control',
    port,
    key,
    databaseUrl,
    processes: [control],
    stop: () => control.stop(),
  };
}
