// npm run mutants -- [--only words] : applies each mutant to a copy of the sources and runs its catcher there. Each core
// has a copy of its own.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { findFastFolder } from '../support/servers.js';
import {
  type CatcherResult,
  listFailedWords,
  listWords,
  runCatcher,
  TEMPORARY,
} from './catcher.js';
import { MONEY_MUTANTS } from './money.js';
import type { Mutant } from './mutant.js';
import { PARTITION_MUTANTS } from './partitions.js';
import { PROTOCOL_MUTANTS } from './protocol.js';
import { RAIL_MUTANTS } from './rails.js';
import { SERVICE_MUTANTS } from './service.js';
import { WEBHOOK_MUTANTS } from './webhooks.js';

const FOLDERS = ['gateway', 'actors', 'store', 'ops', 'test'];
const FILES = ['package.json', 'tsconfig.json', 'Procfile'];
const LINKED = ['node_modules', '.data'];
/** Each simulation keeps a core busy, and each test file starts servers of its own. */
const MAX_AT_ONCE = 4;
/** A catcher hangs when it is silent for so long, and for so many times as long as on the sources as they are. */
const MIN_SILENT_MS = 20_000;
const SILENT_TIMES = 3;
/** On the sources as they are. */
const MAX_SILENT_MS = 120_000;
/** Of a simulation, before any mutant. The seed that catches a mutant is run afterwards without it. */
const SEEDS_BEFORE = 5;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const root = findPackageRoot();

function copySources(): string {
  const folder = mkdtempSync(join(findFastFolder(), 'kasir-mutants-'));
  for (const name of [...FOLDERS, ...FILES])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const linked = LINKED.filter((name) => existsSync(join(root, name)));
  for (const name of linked) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, TEMPORARY));
  return folder;
}

/** Each copy of the sources works on one item at a time. Returns the results in the order of the items. */
async function mapItems<Item, Value>(
  folders: readonly string[],
  items: readonly Item[],
  work: (folder: string, item: Item) => Promise<Value>,
): Promise<Value[]> {
  const waiting = items.entries();
  const results: Value[] = [];
  const workThrough = async (folder: string): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(folder, item);
  };
  await Promise.all(folders.map(workThrough));
  return results;
}

/** A catcher that fails on the sources as they are would catch every mutant. */
async function runUnchanged(folder: string, words: readonly string[]): Promise<CatcherResult> {
  const result = await runCatcher(folder, words, MAX_SILENT_MS);
  if (result.failure !== undefined) {
    console.log(`FAILS without a mutant: ${words.join(' ')}: ${result.failure}`);
  }
  return result;
}

const nameCatcher = (mutant: Mutant): string => listWords(mutant, SEEDS_BEFORE).join(' ');

/** Returns for how long each catcher may be silent; one that fails on the sources as they are is not among them. */
async function checkCatchers(
  folders: readonly string[],
  mutants: readonly Mutant[],
): Promise<Map<string, number>> {
  const catchers = [...new Set(mutants.map(nameCatcher))];
  const checked = await mapItems(folders, catchers, async (folder, catcher) => {
    const { failure, silentMs } = await runUnchanged(folder, catcher.split(' '));
    const maxSilentMs = Math.max(MIN_SILENT_MS, silentMs * SILENT_TIMES);
    return failure === undefined ? [[catcher, maxSilentMs] as const] : [];
  });
  return new Map(checked.flat());
}

async function runMutant(folder: string, mutant: Mutant, maxSilentMs: number): Promise<boolean> {
  const path = join(folder, mutant.file);
  const original = readFileSync(path, 'utf8');
  if (original.split(mutant.from).length !== 2) {
    console.log(`STALE     ${mutant.breaks}: the text is not once in ${mutant.file}`);
    return false;
  }
  const mutated = original.replace(mutant.from, () => mutant.to);
  const beganMs = performance.now();
  writeFileSync(path, mutated);
  const result = await runCatcher(folder, listWords(mutant), maxSilentMs).finally(() => {
    writeFileSync(path, original);
  });
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
  const outcome = result.failure === undefined ? 'SURVIVED ' : 'caught   ';
  console.log(`${outcome} ${mutant.breaks} (${seconds} s): ${result.failure ?? ''}`);
  if (result.failure === undefined || typeof mutant.caughtBy === 'string') {
    return result.failure !== undefined;
  }
  const unchanged = await runUnchanged(folder, listFailedWords(mutant, result));
  return unchanged.failure === undefined;
}

const MUTANTS = [
  ...PROTOCOL_MUTANTS,
  ...PARTITION_MUTANTS,
  ...RAIL_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...MONEY_MUTANTS,
  ...SERVICE_MUTANTS,
];
const chosen = MUTANTS.filter(({ breaks }) => breaks.includes(values.only));
const atOnce = Math.min(MAX_AT_ONCE, availableParallelism());
const folders = Array.from({ length: atOnce }, copySources);
try {
  const silences = await checkCatchers(folders, chosen);
  const results = await mapItems(folders, chosen, async (folder, mutant) => {
    const maxSilentMs = silences.get(nameCatcher(mutant));
    return maxSilentMs !== undefined && (await runMutant(folder, mutant, maxSilentMs));
  });
  const caught = results.filter(Boolean).length;
  console.log(`${chosen.length} mutants, ${caught} caught`);
  process.exitCode = caught === chosen.length && chosen.length > 0 ? 0 : 1;
} finally {
  // Servers whose test was ended may still write for a moment.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
