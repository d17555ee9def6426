// A real Redis Cluster: masters with a replica each, and what operators and disasters do to it.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { prepareRedis } from '#ops/dev/servers/redis.js';
import { control, type Controlled } from '../controlled.js';
import { makeFolder, type TestScope } from '../servers.js';

const MASTERS = 3;
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 2_000;
const MAX_MEMORY = '256mb';
const MIGRATE_MS = 5_000;
const MOVED_KEYS = 100;

export interface ClusterNode {
  readonly port: number;
  readonly server: Controlled;
  /** A connection of the test's own. */
  readonly redis: Redis;
}

export interface WhileHalf {
  /** The keys that move before; by default one half of them. */
  readonly first?: readonly string[];
  readonly run: () => Promise<void>;
}

export interface ClusteredRedis {
  /** As REDIS_URL has it. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** The node that the others take for the master of the key's slot. */
  readonly findMaster: (key: string) => Promise<ClusterNode>;
  readonly findReplica: (master: ClusterNode) => Promise<ClusterNode>;
  /** Resolves when another node than `former` is the master of the key's slot. */
  readonly waitForOther: (key: string, former: ClusterNode) => Promise<ClusterNode>;
  /** Moves the slot of the key to another master; `whileHalf` runs when some of its keys are there. */
  readonly moveSlot: (key: string, whileHalf: WhileHalf) => Promise<void>;
}

export async function startClusteredRedis(t: TestScope): Promise<ClusteredRedis> {
  const folder = makeFolder(t);
  const password = randomBytes(12).toString('hex');
  const nodes = await Promise.all(
    Array.from({ length: 2 * MASTERS }, () => startNode(t, folder, password)),
  );
  await joinNodes(nodes);
  const url = `redis+cluster://:${password}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`;
  const cluster = { url, nodes };
  return {
    ...cluster,
    findMaster: (key) => findMaster(nodes, key),
    findReplica: (master) => findReplica(nodes, master),
    waitForOther: (key, former) =>
      waitUntil('another node is the master', async () => {
        const master = await findMaster(nodes, key).catch(() => former);
        return master === former ? null : master;
      }),
    moveSlot: (key, whileHalf) => moveSlot(nodes, { key, password, ...whileHalf }),
  };
}

async function startNode(t: TestScope, base: string, password: string): Promise<ClusterNode> {
  const [port, busPort] = [await findFreePort(), await findFreePort()];
  const server = prepareRedis({
    ...{ folder: join(base, `node-${port}`), port, password, output: 'pipe' },
    maxMemory: MAX_MEMORY,
    settings: [
      ...['appendfsync no', `masterauth ${password}`, 'repl-diskless-sync-delay 0'],
      ...['cluster-enabled yes', `cluster-port ${busPort}`],
      ...[`cluster-node-timeout ${NODE_TIMEOUT_MS}`, 'cluster-require-full-coverage no'],
    ],
  });
  const running = control(server.program, () => server.isUp());
  t.teardown(() => running.stop());
  await running.start();
  const redis = new Redis(server.url, { maxRetriesPerRequest: 0 });
  redis.on('error', () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  return { port, server: running, redis };
}

/** Gives the first nodes the slots, and each of the others one of them as its master. */
async function joinNodes(nodes: readonly ClusterNode[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) throw new Error('a cluster has nodes');
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [index, { redis }] of nodes.entries()) {
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    if (index >= MASTERS) continue;
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
  }
  const config = async ({ redis }: ClusterNode): Promise<string> => {
    const [, port = ''] = await redis.config('GET', 'cluster-port');
    return port;
  };
  for (const node of nodes.slice(1)) {
    await first.redis.call('CLUSTER', 'MEET', '127.0.0.1', node.port, await config(node));
  }
  await waitUntil('all nodes know each other', async () => {
    const known = await Promise.all(nodes.map(({ redis }) => readNodes(redis)));
    return known.every((list) => list.length === nodes.length);
  });
  for (const [index, { redis }] of nodes.slice(MASTERS).entries()) {
    const master = await nodes[index]?.redis.call('CLUSTER', 'MYID');
    await redis.call('CLUSTER', 'REPLICATE', String(master));
  }
  await waitUntil('the cluster is up, with replicas', async () => {
    const states = await Promise.all(nodes.map(isWhole));
    return states.every(Boolean);
  });
}

async function isWhole({ redis }: ClusterNode): Promise<boolean> {
  const info = String(await redis.call('CLUSTER', 'INFO'));
  const list = await readNodes(redis);
  const replicas = list.filter(({ flags }) => flags.includes('slave'));
  const replication = await redis.info('replication');
  const isSynced = /role:master/.test(replication) || /master_link_status:up/.test(replication);
  return info.includes('cluster_state:ok') && replicas.length === MASTERS && isSynced;
}

interface NodeLine {
  readonly id: string;
  readonly port: number;
  readonly flags: readonly string[];
  /** The id of its master. */
  readonly masterId: string;
}

async function readNodes(redis: Redis): Promise<NodeLine[]> {
  const text = String(await redis.call('CLUSTER', 'NODES'));
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', address = '', flags = '', masterId = ''] = line.split(' ');
      return { id, port: Number(/:(\d+)@/.exec(address)?.[1]), flags: flags.split(','), masterId };
    });
}

/** Asks the nodes that run; a slot whose master is away has none for a while. */
async function findMaster(nodes: readonly ClusterNode[], key: string): Promise<ClusterNode> {
  const asked = nodes.find(({ server }) => server.isRunning());
  const slot = Number(await asked?.redis.call('CLUSTER', 'KEYSLOT', key));
  const shards = (await asked?.redis.call('CLUSTER', 'SLOTS')) as [
    number,
    number,
    [string, number],
  ][];
  const shard = shards.find(([from, to]) => from <= slot && slot <= to);
  const found = nodes.find(({ port }) => port === shard?.[2][1]);
  if (found === undefined) throw new Error(`the slot of ${key} has no master`);
  return found;
}

async function findReplica(
  nodes: readonly ClusterNode[],
  master: ClusterNode,
): Promise<ClusterNode> {
  const lines = await readNodes(master.redis);
  const id = lines.find(({ port }) => port === master.port)?.id;
  const line = lines.find(({ masterId }) => masterId === id);
  const found = nodes.find(({ port }) => port === line?.port);
  if (found === undefined) throw new Error('the master has no replica');
  return found;
}

interface SlotMove extends WhileHalf {
  readonly key: string;
  readonly password: string;
}

/** As `redis-cli --cluster reshard` does it, in two halves. */
async function moveSlot(
  nodes: readonly ClusterNode[],
  { key, password, first, run }: SlotMove,
): Promise<void> {
  const from = await findMaster(nodes, key);
  const lines = await readNodes(from.redis);
  const masters = lines.filter(({ flags }) => flags.includes('master'));
  const to = masters.find(({ port }) => port !== from.port);
  const target = nodes.find(({ port }) => port === to?.port);
  const source = masters.find(({ port }) => port === from.port);
  if (to === undefined || target === undefined || source === undefined)
    throw new Error('there is no other master');
  const slot = Number(await from.redis.call('CLUSTER', 'KEYSLOT', key));
  await target.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
  await from.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const listKeys = async (): Promise<string[]> =>
    (await from.redis.call('CLUSTER', 'GETKEYSINSLOT', slot, MOVED_KEYS)) as string[];
  const migrate = async (keys: readonly string[]): Promise<void> => {
    if (keys.length === 0) return;
    const how = [MIGRATE_MS, 'AUTH', password, 'KEYS', ...keys];
    await from.redis.call('MIGRATE', '127.0.0.1', target.port, '', 0, ...how);
  };
  const keys = await listKeys();
  await migrate(first ?? keys.slice(0, Math.ceil(keys.length / 2)));
  await run();
  for (let left = await listKeys(); left.length > 0; left = await listKeys()) await migrate(left);
  for (const { redis } of [target, from]) {
    await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
  }
}
