// Starts the controls, each with a database of its own: Fastify with one transaction a request, the queue-first service, and the
// command handler on an event store.
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

/** One process of a control: its name, its file in `bench/control/`, and its arguments. */
interface Part {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

export function startControl(servers: Servers): Promise<Target> {
  return startParts(servers, 'control', (databaseUrl, port) => [
    { name: 'control', file: 'main.js', args: [databaseUrl, port] },
  ]);
}

/** Creates only. */
export function startQueueFirst(servers: Servers): Promise<Target> {
  const { url } = servers.redis;
  return startParts(servers, 'bullmq', (databaseUrl, port) => [
    { name: 'worker', file: 'queue-first.js', args: ['work', databaseUrl, url, port] },
    { name: 'bullmq', file: 'queue-first.js', args: ['serve', databaseUrl, url, port] },
  ]);
}

/** Creates only. */
export function startEventStore(servers: Servers): Promise<Target> {
  return startParts(servers, 'emmett', (databaseUrl, port) => [
    { name: 'emmett', file: 'event-store.js', args: [databaseUrl, port] },
  ]);
}

async function startParts(
  servers: Servers,
  name: string,
  describe: (databaseUrl: string, port: string) => readonly Part[],
): Promise<Target> {
  const databaseUrl = await createDatabase(servers, name);
  const key = await seedKey(databaseUrl);
  const port = await findFreePort();
  const processes: NodeProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const one of processes.toReversed()) await one.stop();
  };
  try {
    for (const part of describe(databaseUrl, String(port))) {
      const [file, output] = [`dist/bench/control/${part.file}`, `${part.name}.log`];
      processes.push(await startNode({ ...part, file, output: join(servers.folder, output) }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, port, key, databaseUrl, processes, stop };
}

/** Makes the control's tables and answers the key of its merchant. */
async function seedKey(databaseUrl: string): Promise<string> {
  const key = `sk_test_${randomBytes(19).toString('hex')}`;
  const sql = postgres(databaseUrl, { max: 1 });
  await sql.unsafe(readFileSync(join(findPackageRoot(), 'bench/control/schema.sql'), 'utf8'));
  await sql`insert into api_keys (digest, merchant_id, environment)
            values (${createHash('sha256').update(key).digest()}, 'mer_control', 'TEST')`;
  await sql.end();
  return key;
}
