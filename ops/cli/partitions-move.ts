// `kasir partitions move` and `kasir partitions drain`: which payments process owns which partitions. The commands store the wish; the
// processes hand the partitions over, and each finishes its batch before. A command that was killed may be repeated.
import type { Postgres } from '#store/postgres/client.js';
import { listPartitions } from '#store/postgres/operations/list-partitions.js';
import {
  listPaymentsProcesses,
  movePartition,
  MOVES_WITHIN_S,
  type PaymentsProcess,
  setDrained,
} from '#store/postgres/operations/move-partitions.js';
import { identifyOperator } from './base/database.js';
import { type Format, markProblem, print, writeDiagnostic } from './base/output.js';
import { withProgress } from './base/progress.js';
import { waitFor } from './base/wait-for.js';

const NOT_TAKEN =
  'the new owner may be of a version that does not know this command, or without Redis: see kasir partitions list';

export interface MoveOptions extends Format {
  readonly dryRun?: true | undefined;
  readonly wait: number;
}

export interface DrainOptions extends MoveOptions {
  readonly undo?: true | undefined;
}

export async function move(
  sql: Postgres,
  partition: number,
  to: string,
  options: MoveOptions,
): Promise<void> {
  const from = await findOwner(sql, partition);
  const target = await findProcess(sql, to);
  if (!target.canOwn) {
    const why = target.isDrained ? 'it is drained' : 'it does not reach Redis';
    throw new Error(`${to} cannot own partitions now: ${why}`);
  }
  if (options.dryRun) {
    const text = `would move partition ${partition} from ${from ?? 'no owner'} to ${to}`;
    print({ partition, from, to, dryRun: true }, options, text);
    return;
  }
  await movePartition(sql, identifyOperator().actor, partition, to);
  const waitMs = Math.min(options.wait, MOVES_WITHIN_S) * 1_000;
  const isMoved = await waitForOwners(waitMs, async () => (await findOwner(sql, partition)) === to);
  const owner = await findOwner(sql, partition);
  print(
    { partition, from, to, owner },
    options,
    `${owner ?? 'no process'} owns partition ${partition}`,
  );
  if (isMoved) return;
  writeDiagnostic(`partition ${partition} has not moved: ${NOT_TAKEN}`);
  markProblem();
}

export async function drain(sql: Postgres, name: string, options: DrainOptions): Promise<void> {
  const isDrained = options.undo !== true;
  const { partitions: before } = await findProcess(sql, name);
  if (isDrained) await checkOthers(sql, name);
  if (options.dryRun) {
    const text = isDrained
      ? `would give ${before} partition(s) of ${name} to the other processes`
      : `would let ${name} own its share again`;
    print({ process: name, isDrained, partitions: before, dryRun: true }, options, text);
    return;
  }
  await setDrained(sql, identifyOperator().actor, name, isDrained);
  const isDone = await waitForOwners(options.wait * 1_000, () =>
    isDrained ? isTakenOver(sql, name) : ownsPartitions(sql, name),
  );
  const { partitions } = await findProcess(sql, name);
  print(
    { process: name, isDrained, partitions },
    options,
    `${name} owns ${partitions} partition(s)`,
  );
  if (isDone) return;
  writeDiagnostic(
    isDrained ? `not drained yet: ${NOT_TAKEN}` : 'it may own none: see kasir doctor',
  );
  markProblem();
}

async function findOwner(sql: Postgres, partition: number): Promise<string | null> {
  const partitions = await listPartitions(sql);
  const found = partitions.find((one) => one.partition === partition);
  if (found !== undefined) return found.owner;
  throw new Error(`there are ${partitions.length} partitions, numbered from 0`);
}

async function findProcess(sql: Postgres, name: string): Promise<PaymentsProcess> {
  const processes = await listPaymentsProcesses(sql);
  const found = processes.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = processes.map((one) => one.name).join(', ');
  throw new Error(`no payments process ${name} runs; there are: ${names || 'none'}`);
}

async function checkOthers(sql: Postgres, name: string): Promise<void> {
  const processes = await listPaymentsProcesses(sql);
  if (processes.some((one) => one.name !== name && one.canOwn)) return;
  throw new Error(`no other payments process can take the partitions of ${name}: start one first`);
}

async function isTakenOver(sql: Postgres, name: string): Promise<boolean> {
  const partitions = await listPartitions(sql);
  return partitions.every(({ owner, isOwned }) => isOwned && owner !== name);
}

const ownsPartitions = async (sql: Postgres, name: string): Promise<boolean> =>
  (await findProcess(sql, name)).partitions > 0;

/** Returns whether it came true in time. */
function waitForOwners(waitMs: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  return withProgress((tell) => {
    tell({ step: 'waiting for the new owners' });
    return waitFor(waitMs, isTrue, (found) => found);
  });
}
