// The figures of a fault: what was answered while it was watched, what of it was lost or done twice, and how long the partition
// that waited longest answered no create. `npm run test:scale` prints the rows of all its files as one table.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { partitionFor } from '#actors/core/partition.js';
import { type Entry, isAnswered, isDecided, paymentOf } from '../load/history.js';
import type { Evidence } from './evidence.js';
import { answeredCreatesAreReadable, keysAreAnsweredOnce } from './of-answers.js';
import { writesAreRead } from './linearizable.js';
import { onePaymentPerKey, settlementsPayOnce, transitionsHaveOneEvent } from './of-tables.js';

/** The file to which rows are added. */
export const TABLE_VARIABLE = 'KASIR_FAULT_TABLE';

export interface WatchedFault {
  /** As the table calls it. */
  readonly engine: string;
  readonly fault: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** A number for a fault whose loss is expected and judged by its test. */
  readonly lost?: number;
}

export interface FaultRow {
  readonly engine: string;
  readonly fault: string;
  /** Requests with a decided answer. */
  readonly answered: number;
  readonly lost: number;
  readonly twice: number;
  readonly pauseS: number;
}

const SEPARATOR = '|';
const COLUMNS = ['engine', 'fault', 'answered', 'lost', 'twice', 'seconds'] as const;

/** Answered requests whose effect is not there at the end. */
const countLost = (evidence: Evidence): number =>
  answeredCreatesAreReadable(evidence).length + writesAreRead(evidence).length;

/** Effects that are there once more than they were asked for. */
const countTwice = (evidence: Evidence): number =>
  [onePaymentPerKey, keysAreAnsweredOnce, settlementsPayOnce, transitionsHaveOneEvent].flatMap(
    (check) => check(evidence),
  ).length;

/** The longest time between two answered creates of one partition, in the watched time. */
export function findLongestPause(
  history: readonly Entry[],
  { fromMs, toMs }: Pick<WatchedFault, 'fromMs' | 'toMs'>,
  partitions: number,
): number {
  const ends = Array.from({ length: partitions }, () => [fromMs, toMs]);
  for (const entry of history) {
    const isIn = entry.endMs > fromMs && entry.endMs < toMs;
    if (!isIn || entry.operation.kind !== 'create' || !isAnswered(entry)) continue;
    if (entry.result.status !== 201) continue;
    ends[partitionFor(paymentOf(entry) ?? '', partitions)]?.push(entry.endMs);
  }
  const pauses = ends.map((times) => {
    const sorted = times.sort((one, other) => one - other);
    return Math.max(...sorted.map((ms, index) => ms - (sorted[index - 1] ?? fromMs)));
  });
  return Math.max(...pauses);
}

/** `lost` and `twice` count the whole run of the stage. */
export function buildRow(fault: WatchedFault, evidence: Evidence, partitions: number): FaultRow {
  const { history } = evidence;
  const { engine, fromMs, toMs } = fault;
  const answered = history.filter(
    (entry) => entry.endMs > fromMs && entry.endMs <= toMs && isDecided(entry),
  ).length;
  const lost = fault.lost ?? countLost(evidence);
  const pauseS = findLongestPause(history, fault, partitions) / 1_000;
  return { engine, fault: fault.fault, answered, lost, twice: countTwice(evidence), pauseS };
}

/** Adds the row to the table of the run, if the run has one. */
export function recordRow({ engine, fault, answered, lost, twice, pauseS }: FaultRow): string {
  const line = [engine, fault, answered, lost, twice, pauseS.toFixed(1)].join(SEPARATOR);
  const file = process.env[TABLE_VARIABLE];
  if (file) appendFileSync(file, `${line}\n`);
  return line;
}

/** The recorded rows as a table of Markdown, sorted; empty without rows. */
export function printTable(file: string): string[] {
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8').split('\n').filter(Boolean).sort();
  if (rows.length === 0) return [];
  const format = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    format(COLUMNS),
    format(COLUMNS.map(() => '---')),
    ...rows.map((row) => format(row.split(SEPARATOR))),
  ];
}
