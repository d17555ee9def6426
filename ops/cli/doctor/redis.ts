// Redis: a master that keeps its commands on the disk and throws none away.
import { isCluster, readTime, type RedisClient, waitUntilReady } from '#store/redis/client.js';
import { readServerInfo, readSetting, type ServerInfo } from '#store/redis/server-info.js';
import { describeError } from '../base/output.js';
import {
  checkClock,
  type Finding,
  reportOk,
  reportProblem,
  reportWarning,
  runChecks,
} from './finding.js';

const CONNECT_MS = 2_000;
const OLDEST_MAJOR = 7;
/** docs/operations/production.md#memory-of-redis */
const MIN_MEMORY_MIB = 256;
/** Owners of partitions trim earlier. */
const SHARE_WARNING = 0.5;
/** Gateways reject commands. */
const SHARE_PROBLEM = 0.7;
const BYTES_A_MIB = 1024 * 1024;
const MEMORY = 'docs/operations/production.md#memory-of-redis';

/** `subject`: `redis`, or the name of another Redis of the installation. Of a cluster, each master is checked. */
export async function checkRedis(redis: RedisClient, subject: string): Promise<Finding[]> {
  if (!isCluster(redis)) return checkServer(redis, subject);
  const checked = redis.nodes('master').map(async (node) => {
    const { host = '', port = 0 } = node.options;
    const place = `${subject}.${host}:${port}`;
    await waitUntilReady(node, CONNECT_MS);
    return checkServer(node, place).catch((error: unknown) => [
      reportProblem(
        `${place}.connection`,
        describeError(error),
        'Start the node, or let its replica take over (CLUSTER FAILOVER TAKEOVER)',
      ),
    ]);
  });
  return (await Promise.all(checked)).flat();
}

async function checkServer(redis: RedisClient, subject: string): Promise<Finding[]> {
  const info = await readServerInfo(redis);
  return runChecks({
    [`${subject}.version`]: () => checkVersion(`${subject}.version`, info),
    [`${subject}.role`]: () => checkRole(`${subject}.role`, info),
    [`${subject}.persistence`]: () => checkPersistence(`${subject}.persistence`, info),
    [`${subject}.fsync`]: () => checkFsync(`${subject}.fsync`, redis),
    [`${subject}.eviction`]: () => checkEviction(`${subject}.eviction`, info),
    [`${subject}.memory`]: () => checkMemory(`${subject}.memory`, info),
    [`${subject}.clock`]: () => checkClock(`${subject}.clock`, 'Redis', () => readTime(redis)),
  });
}

/** Valkey tells the version of Redis that it is compatible with. */
export function checkVersion(check: string, info: ServerInfo): Finding {
  const version = info('redis_version') ?? '0';
  const valkey = info('valkey_version');
  const says = valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}`;
  return Number.parseInt(version, 10) >= OLDEST_MAJOR
    ? reportOk(check, says)
    : reportProblem(check, `${says} is too old`, 'Move to Redis 7.0 or newer, or to Valkey');
}

function checkRole(check: string, info: ServerInfo): Finding {
  const role = info('role');
  return role === 'master'
    ? reportOk(check, 'the server is a master')
    : reportProblem(
        check,
        `the server is a ${role ?? 'server without a role'}, to which nothing can be written`,
        'Let REDIS_URL lead to the master, or to its Sentinels',
      );
}

function checkPersistence(check: string, info: ServerInfo): Finding {
  if (info('aof_enabled') !== '1') {
    return reportProblem(
      check,
      'there is no append-only file: a restart loses accepted commands, which then answer 503 or 504',
      'Set appendonly yes (docs/operations/production.md)',
    );
  }
  const failed = ['aof_last_write_status', 'aof_last_bgrewrite_status'].filter(
    (name) => info(name) === 'err',
  );
  if (failed.length === 0) return reportOk(check, 'commands are written to the append-only file');
  return reportProblem(
    check,
    `the append-only file cannot be written (${failed.join(' and ')} in INFO)`,
    'Look at the log and the disk of Redis (docs/operations/processes.md#a-disk-is-full)',
  );
}

async function checkFsync(check: string, redis: RedisClient): Promise<Finding> {
  const value = (await readSetting(redis, 'appendfsync')) ?? 'unknown';
  const says = `appendfsync is ${value}`;
  if (value !== 'no') return reportOk(check, says);
  return reportWarning(
    check,
    `${says}: the end of a machine loses the commands of up to half a minute`,
    'Set appendfsync everysec (docs/operations/production.md)',
  );
}

function checkEviction(check: string, info: ServerInfo): Finding {
  const policy = info('maxmemory_policy') ?? 'unknown';
  const says = `maxmemory-policy is ${policy}`;
  if (policy === 'noeviction') return reportOk(check, says);
  return reportProblem(
    check,
    `${says}: Redis throws streams away when its memory is full`,
    'Set maxmemory-policy noeviction (docs/operations/production.md)',
  );
}

function checkMemory(check: string, info: ServerInfo): Finding {
  const limit = Number(info('maxmemory') ?? 0);
  if (limit === 0) {
    const says = 'maxmemory is not set: gateways cannot see that the memory ends';
    return reportWarning(check, says, `Set maxmemory (${MEMORY})`);
  }
  const share = Number(info('used_memory') ?? 0) / limit;
  const limitMib = Math.floor(limit / BYTES_A_MIB);
  const says = `${Math.round(share * 100)} % of ${limitMib} MiB are in use`;
  if (share >= SHARE_PROBLEM) {
    return reportProblem(check, `${says}: gateways reject commands`, `Raise maxmemory (${MEMORY})`);
  }
  if (share >= SHARE_WARNING || limitMib < MIN_MEMORY_MIB) {
    return reportWarning(check, says, `Set maxmemory to ${MIN_MEMORY_MIB} MiB or more (${MEMORY})`);
  }
  return reportOk(check, says);
}
