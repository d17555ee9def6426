// `kasir partitions split`: multiplies the number of partitions while the processes run. The steps may end after each of them, and the
// command may be repeated:
//
//   STREAMS (of the new partitions, so that commands can be forwarded to them at once) ──▶ SPLIT (one statement) ──▶ OWNED
//
// The processes learn the number by themselves.
import { setTimeout } from 'node:timers/promises';
import { hasCode } from '#store/postgres/classify-failure.js';
import type { Postgres } from '#store/postgres/client.js';
import { readInstallation } from '#store/postgres/migration/installation.js';
import {
  countPaymentsProcesses,
  listPartitions,
} from '#store/postgres/operations/list-partitions.js';
import {
  listUnawareProcesses,
  MAX_PARTITIONS,
  splitPartitions,
} from '#store/postgres/operations/split-partitions.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import type { RedisClient } from '#store/redis/client.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { describeError, type Format, markProblem, print, writeDiagnostic } from './base/output.js';
import { withProgress } from './base/progress.js';
import { withRedis } from './base/redis.js';
import { waitFor } from './base/wait-for.js';

const RETRY_MS = 200;
/** Each try waits for a second for the commits under way. */
const MAX_TRIES = 5;
const IS_LOCKED = '55P03';

export interface SplitOptions extends Format {
  readonly dryRun?: true | undefined;
  readonly wait: number;
}

interface Split {
  readonly from: number;
  readonly to: number;
}

export async function split(sql: Postgres, to: number, options: SplitOptions): Promise<void> {
  const from = (await readInstallation(sql))?.partitions;
  if (from === undefined) throw new Error('no process has started on this database yet');
  checkTarget({ from, to });
  await checkProcesses(sql);
  if (options.dryRun) {
    print({ from, to, dryRun: true }, options, `would split ${from} partitions into ${to}`);
    return;
  }
  await withRedis(async (redis) => {
    await makeStreams(sql, redis, { from, to });
    if (from !== to) await splitOnce(sql, { from, to });
    await makeStreams(sql, redis, { from: to, to });
  });
  const owned = await waitForOwners(sql, to, options.wait * 1_000);
  const processes = await countPaymentsProcesses(sql);
  const said =
    from === to
      ? `the installation has ${to} partitions already`
      : `split ${from} partitions into ${to}`;
  const text = `${said}; ${processes} payments process(es) own ${owned} of them`;
  print({ from, to, owned, processes }, options, text);
  if (owned === to) return;
  writeDiagnostic('the others have no owner yet: see kasir partitions list');
  markProblem();
}

function checkTarget({ from, to }: Split): void {
  if (to >= from && to % from === 0) return;
  const allowed = [2, 4, 8, 16, 64].map((times) => from * times);
  const named = allowed.filter((count) => count <= MAX_PARTITIONS).join(', ');
  throw new Error(
    `the installation has ${from} partitions, and ${to} is no multiple of them; allowed are multiples up to ` +
      `${MAX_PARTITIONS}, such as ${named || 'none'}`,
  );
}

async function checkProcesses(sql: Postgres): Promise<void> {
  const unaware = await listUnawareProcesses(sql);
  if (unaware.length === 0) return;
  throw new Error(
    `payments processes of an earlier version live, or did a minute ago, and would not follow: ${unaware.join(', ')}. ` +
      'Replace all processes by this version first',
  );
}

/**
 * Makes missing streams, and raises those that are behind. Before the split a new partition has the position of the one that its
 * payments come from.
 */
async function makeStreams(sql: Postgres, redis: RedisClient, { from, to }: Split): Promise<void> {
  const claims = await readClaims(sql, listNumbers(from));
  const positions = new Map(claims.map(({ partition, position }) => [partition, position]));
  const cursors = listNumbers(to).flatMap((partition) => {
    const after = positions.get(partition % from);
    return after === undefined ? [] : [{ partition, after }];
  });
  await maintainStreams(redis, cursors);
}

const listNumbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A statement whose answer was lost may have split them. */
async function splitOnce(sql: Postgres, { from, to }: Split): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await splitPartitions(sql, from, to);
      return;
    } catch (error) {
      if ((await readInstallation(sql))?.partitions === to) return;
      if (tries === MAX_TRIES || !hasCode(error, IS_LOCKED)) throw explain(error);
      writeDiagnostic('a transaction holds the partitions for longer than a second; trying again');
      await setTimeout(RETRY_MS);
    }
  }
}

const explain = (error: unknown): Error =>
  new Error(`nothing was split: ${describeError(error)}; repeat the command`);

/** Returns how many partitions have an owner that lives. */
function waitForOwners(sql: Postgres, total: number, waitMs: number): Promise<number> {
  return withProgress((tell) => {
    const countOwned = async (): Promise<number> => {
      const done = (await listPartitions(sql)).filter(({ isOwned }) => isOwned).length;
      tell({ step: 'partitions with an owner', done, total });
      return done;
    };
    return waitFor(waitMs, countOwned, (owned) => owned === total);
  });
}
