// `kasir partitions`: the owner of each partition, and the commands that wait for it. partitions-move.ts changes owners,
// partitions-split.ts the number of partitions.
import type { Command } from '@commander-js/extra-typings';
import { formatPosition } from '#actors/core/partition.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  listPartitions,
  type ListedPartition,
} from '#store/postgres/operations/list-partitions.js';
import { listPaymentsProcesses } from '#store/postgres/operations/move-partitions.js';
import { MAX_PARTITIONS } from '#store/postgres/operations/split-partitions.js';
import { type Backlog, MAX_COUNTED, readBacklogs } from '#store/redis/backlog.js';
import { withDatabase } from './base/database.js';
import { addCommand, DRY_RUN, parseInteger, parseNonEmpty } from './base/options.js';
import {
  describeError,
  type Format,
  markProblem,
  printRows,
  writeDiagnostic,
} from './base/output.js';
import { withRedis } from './base/redis.js';
import { drain, move } from './partitions-move.js';
import { split } from './partitions-split.js';

const MAX_WAIT_S = 3_600;
/** Frames are committed within milliseconds. */
const STUCK_MS = 5_000;

export function addPartitions(program: Command): void {
  const partitions = program
    .command('partitions')
    .description('Partitions of the payments, and who owns them');
  const purpose = 'List the partitions with their owners and with the frames that wait';
  addCommand(partitions, 'list', purpose, 'kasir partitions list').action((format) =>
    withDatabase((sql) => list(sql, format)),
  );
  const splitPurpose = 'Multiply the number of partitions while the processes run';
  addCommand(partitions, 'split', splitPurpose, 'kasir partitions split 64')
    .argument('<count>', 'a multiple of the present number', parseInteger(2, MAX_PARTITIONS))
    .option(...DRY_RUN)
    .option('--wait <seconds>', 'time to wait for owners', parseInteger(0, MAX_WAIT_S), 30)
    .action((count, options) => withDatabase((sql) => split(sql, count, options)));
  addMoves(partitions);
}

function addMoves(partitions: Command): void {
  const movePurpose =
    'Move a partition to another payments process, in exchange for one of its own';
  const process = 'name of a payments process, as kasir partitions list prints it';
  addCommand(partitions, 'move', movePurpose, 'kasir partitions move 7 payments-812-V1StGXR8')
    .argument('<partition>', 'number of the partition', parseInteger(0, MAX_PARTITIONS - 1))
    .argument('<process>', process, parseNonEmpty)
    .option(...DRY_RUN)
    .option('--wait <seconds>', 'time to wait for the new owner', parseInteger(0, MAX_WAIT_S), 30)
    .action((partition, to, options) => withDatabase((sql) => move(sql, partition, to, options)));
  const drainPurpose = 'Give the partitions of a payments process to the others while it runs';
  addCommand(partitions, 'drain', drainPurpose, 'kasir partitions drain payments-812-V1StGXR8')
    .argument('<process>', process, parseNonEmpty)
    .option('--undo', 'let it own its share again')
    .option(...DRY_RUN)
    .option('--wait <seconds>', 'time to wait for the new owners', parseInteger(0, MAX_WAIT_S), 30)
    .action((name, options) => withDatabase((sql) => drain(sql, name, options)));
}

type State = 'ok' | 'no owner' | 'waits for a newer version' | 'stuck';

interface ListedRow {
  readonly partition: number;
  readonly owner: string | null;
  readonly epoch: string;
  readonly position: string;
  /** Behind the position; null: Redis was not asked. MAX_COUNTED at most. */
  readonly frames: number | null;
  readonly oldestMs: number | null;
  readonly state: State;
}

/** A partition that makes no progress is a problem. */
async function list(sql: Postgres, format: Format): Promise<void> {
  const partitions = await listPartitions(sql);
  const backlogs = await findBacklogs(partitions);
  const rows = partitions.map((one) => buildRow(one, backlogs?.get(one.partition)));
  printRows(rows, format, describeRow);
  if (rows.length === 0) writeDiagnostic('no process has started on this database yet');
  for (const { name, isDrained } of await listPaymentsProcesses(sql)) {
    if (isDrained)
      writeDiagnostic(`${name} is drained; to end that: kasir partitions drain ${name} --undo`);
  }
  if (rows.some(({ state }) => state !== 'ok')) markProblem();
}

/** The owners are worth a look while Redis is away, or while the user may not read the streams. */
async function findBacklogs(
  partitions: readonly ListedPartition[],
): Promise<ReadonlyMap<number, Backlog> | undefined> {
  const cursors = partitions.map(({ partition, position }) => ({ partition, after: position }));
  try {
    return await withRedis((redis) => readBacklogs(redis, cursors));
  } catch (error) {
    writeDiagnostic(`frames that wait are not shown: ${describeError(error)}`);
    return undefined;
  }
}

function buildRow(one: ListedPartition, backlog: Backlog | undefined): ListedRow {
  const { partition, owner, epoch, position } = one;
  const { frames = null, oldestMs = null } = backlog ?? {};
  return {
    ...{ partition, owner, epoch: String(epoch), position: formatPosition(position) },
    ...{ frames, oldestMs, state: findState(one, oldestMs) },
  };
}

function findState({ stoppedVersion, isOwned }: ListedPartition, oldestMs: number | null): State {
  if (stoppedVersion !== null) return 'waits for a newer version';
  if (!isOwned) return 'no owner';
  return oldestMs !== null && oldestMs > STUCK_MS ? 'stuck' : 'ok';
}

function describeRow(row: ListedRow): string {
  const { partition, owner, epoch, position, frames, oldestMs, state } = row;
  const more = frames === MAX_COUNTED ? ' or more' : '';
  const waiting =
    frames === null || oldestMs === null
      ? 'frames unknown'
      : `${frames}${more} frame(s) wait, the oldest for ${(oldestMs / 1_000).toFixed(1)} s`;
  const name = `p${String(partition).padStart(2, '0')}`;
  return `${name}  ${state}  ${owner ?? '–'}  epoch ${epoch}  at ${position}  ${waiting}`;
}
