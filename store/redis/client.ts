// The one way to open Redis. The driver queues nothing while Redis is away, and sends nothing again: each command is
// answered, or rejects and its sender decides. (By default ioredis repeats an XADD whose reply was lost, which makes
// two entries.)
//
// The deadline of all commands is the socket's: a server that is silent for 4 s is given up, and the commands under
// way reject. `commandTimeout` of ioredis would add a timer to each command, and end blocking reads.
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { explainCertificateFault } from '#ops/runtime/addresses/certificates.js';
import {
  type ClusterAddress,
  parseClusterUrl,
  parseRedisAddress,
  parseSentinelUrl,
  type RedisAddress,
  type SentinelAddress,
} from '#ops/runtime/addresses/redis-address.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';

/** Commands of one slot each; `Pipelines` (pipelines.ts) sends those of several. */
export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 2_000;
/** A blocking read must wait for less. */
const SOCKET_TIMEOUT_MS = 4_000;
const RECONNECT_MAX_MS = 250;
const ERROR_REPORT_EVERY_MS = 10_000;
/** Of a cluster, by whoever uses it: a move of a slot is learnt from a refusal too, but not by each pipeline. */
const SLOTS_REFRESH_MS = 1_000;
/** A node that is slower is left out of a question to all nodes. */
const NODE_ANSWER_MS = 1_000;

/**
 * Opens a connection to the server, to the master that Sentinels name, or to the nodes of a cluster; it reconnects by
 * itself, to the master of that time. `onError` is called when the connection is lost, and every 10 s while Redis is away.
 */
export function openRedis(url: string, onError: (error: Error) => void): RedisClient {
  const address = parseRedisAddress(url);
  const cluster = parseClusterUrl(address.url);
  const redis = cluster === undefined ? openServer(address) : openCluster(cluster, address);
  report(redis, address, onError);
  return redis;
}

/**
 * Opens a connection for subscriptions. Of a cluster it leads to one node, and after a loss to the next: each node gets all
 * messages, and a subscription of `Cluster` hides that it was lost and renewed.
 */
export function openSubscriber(url: string, onError: (error: Error) => void): Redis {
  const address = parseRedisAddress(url);
  const cluster = parseClusterUrl(address.url);
  const redis = cluster === undefined ? openServer(address) : openNode(cluster, address);
  report(redis, address, onError);
  return redis;
}

function report(redis: RedisClient, address: RedisAddress, onError: (error: Error) => void): void {
  let reportedMs = -Infinity;
  redis.on('error', (error: Error) => {
    if (performance.now() - reportedMs < ERROR_REPORT_EVERY_MS) return;
    reportedMs = performance.now();
    explainCertificateFault(error, address);
    onError(error);
  });
  redis.on('ready', () => {
    reportedMs = -Infinity;
  });
}

const buildTls = ({ authorities }: RedisAddress): { ca?: string } =>
  authorities === null ? {} : { ca: authorities };

function openServer(address: RedisAddress): Redis {
  const sentinels = parseSentinelUrl(address.url);
  const tls = buildTls(address);
  const redis =
    sentinels === undefined
      ? new Redis(address.url, { ...OPTIONS, ...(address.authorities === null ? {} : { tls }) })
      : new Redis(buildSentinelOptions(sentinels, tls));
  keepOpen(redis);
  return redis;
}

/**
 * ioredis 6.0.0 gives a connection up for ever when it is closed while it asks a Sentinel for the master, which its failover
 * detector does when the news of a failover come late. It is opened again unless it was closed for good.
 */
function keepOpen(redis: Redis): void {
  const disconnect = redis.disconnect.bind(redis);
  let hasEnded = false;
  redis.disconnect = (shouldReconnect = false) => {
    hasEnded ||= !shouldReconnect;
    disconnect(shouldReconnect);
  };
  redis.on('end', () => {
    setTimeout(() => {
      if (!hasEnded && redis.status === 'end') redis.connect().catch(() => {});
    }, RECONNECT_MAX_MS);
  });
}

const computeRetryDelayMs = (attempt: number): number => Math.min(RECONNECT_MAX_MS, 20 * attempt);

const NODE_OPTIONS = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // ioredis 6.0.0 handles no rejection of its own SUBSCRIBE, so a connection that is lost meanwhile would end the process.
  autoResubscribe: false,
  // Redis 7.0 does not know CLIENT SETINFO, and a user of ops/deploy/redis-users.acl may not send it.
  disableClientInfo: true,
  // A former master that became a replica refuses writes: connecting again finds the new master.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
} satisfies RedisOptions;

const OPTIONS = {
  ...NODE_OPTIONS,
  enableOfflineQueue: false,
  retryStrategy: computeRetryDelayMs,
} satisfies RedisOptions;

function buildSentinelOptions(address: SentinelAddress, tls: { ca?: string }) {
  const { sentinels, master, database, username, password, sentinelPassword, isTls } = address;
  return {
    ...OPTIONS,
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    name: master,
    db: database,
    sentinelRetryStrategy: computeRetryDelayMs,
    // A former master may keep its connections open: Sentinels say when another one takes over.
    failoverDetector: true,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(isTls ? { tls, sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  } satisfies RedisOptions;
}

/**
 * `retryDelayOnFailover: 0` keeps the driver from sending a command again whose connection was lost: the options of the nodes
 * do not in a cluster (one XADD whose reply was lost made two entries).
 */
function openCluster(address: ClusterAddress, given: RedisAddress): Cluster {
  const cluster = new Cluster([...address.nodes], {
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: computeRetryDelayMs,
    slotsRefreshTimeout: SLOTS_REFRESH_MS,
    redisOptions: buildNodeOptions(address, given),
  });
  // `slotsRefreshInterval` of ioredis 6.0.0 goes on for ever, and keeps the process, if the cluster is closed during a refresh.
  const refreshing = setInterval(() => {
    if (isReady(cluster)) cluster.refreshSlotsCache();
  }, SLOTS_REFRESH_MS);
  refreshing.unref();
  cluster.on('end', () => {
    clearInterval(refreshing);
  });
  // The driver connects to a node with the first command for it, and refuses the commands that follow until it is connected.
  cluster.on('+node', (node: Redis) => {
    node.connect().catch(() => {});
  });
  return cluster;
}

function openNode(address: ClusterAddress, given: RedisAddress): Redis {
  const { nodes } = address;
  let place = Math.floor(Math.random() * nodes.length);
  const redis = new Redis({
    ...OPTIONS,
    ...buildNodeOptions(address, given),
    ...nodes[place],
    retryStrategy: (attempt) => {
      place = (place + 1) % nodes.length;
      Object.assign(redis.options, nodes[place]);
      return computeRetryDelayMs(attempt);
    },
  });
  return redis;
}

function buildNodeOptions({ username, password, isTls }: ClusterAddress, given: RedisAddress) {
  return {
    ...NODE_OPTIONS,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(isTls ? { tls: buildTls(given) } : {}),
  } satisfies RedisOptions;
}

export const isCluster = (redis: RedisClient): redis is Cluster => redis instanceof Cluster;

/** The server's clock in Unix milliseconds; of a cluster, that of the master that answers first. */
export async function readTime(redis: RedisClient): Promise<number> {
  const [seconds, microseconds] = await (isCluster(redis)
    ? Promise.any(redis.nodes('master').map((node) => node.time()))
    : redis.time());
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/** The used share of Redis' maxmemory; 0 without a limit. Of a cluster, the largest of the masters that answer. */
export async function readMemoryShare(redis: RedisClient): Promise<number> {
  if (!isCluster(redis)) return readNodeMemoryShare(redis);
  const asked = redis
    .nodes('master')
    .map((node) => runWithDeadline(readNodeMemoryShare(node), NODE_ANSWER_MS));
  const answered = (await Promise.allSettled(asked)).filter((one) => one.status === 'fulfilled');
  if (answered.length === 0) throw new Error('no master of the Redis Cluster answers');
  return Math.max(...answered.map(({ value }) => value));
}

async function readNodeMemoryShare(redis: Redis): Promise<number> {
  const info = await redis.info('memory');
  const limit = readNumber(info, 'maxmemory');
  return limit === 0 ? 0 : readNumber(info, 'used_memory') / limit;
}

function readNumber(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

/**
 * Names the master to which the connection leads, by its run id and its replication id: a restart changes the first, a
 * promotion the second, so a master that was demoted and promoted again has another name. null: the server does not say, or
 * the connection leads to a cluster, whose nodes refuse what belongs to another master. Rejects when it is no master.
 */
export async function readRunId(redis: RedisClient): Promise<string | null> {
  if (isCluster(redis)) return null;
  const info = await redis.info('server', 'replication');
  const read = (name: string): string | null =>
    new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1] ?? null;
  const role = read('role');
  if (role !== null && role !== 'master') {
    throw new Error(`the Redis server is a ${role}; REDIS_URL must lead to a master`);
  }
  const runId = read('run_id');
  return runId === null ? null : `${runId}_${read('master_replid') ?? ''}`;
}

/** Commands can be sent. */
export function isReady(redis: RedisClient): boolean {
  return redis.status === 'ready';
}

/** Resolves once commands can be sent, or after `ms`: a process also starts while Redis is away. */
export function waitUntilReady(redis: RedisClient, ms: number): Promise<void> {
  if (isReady(redis)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      redis.off('ready', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    redis.on('ready', end);
  });
}
