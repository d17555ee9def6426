// npm run mutants -- [--only words] : applies each mutant to a copy of the sources and runs its catcher there.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { MONEY_MUTANTS } from './money.js';
import type { Mutant } from './mutant.js';
import { PROTOCOL_MUTANTS } from './protocol.js';
import { RAIL_MUTANTS } from './rails.js';
import { SERVICE_MUTANTS } from './service.js';
import { WEBHOOK_MUTANTS } from './webhooks.js';

const FOLDERS = ['gateway', 'actors', 'store', 'ops', 'test'];
const FILES = ['package.json', 'tsconfig.json', 'Procfile'];
const LINKED = ['node_modules', '.data'];
/** The simulator stops at the first seed that fails; a catcher that hangs has caught the mutant too. */
const SEEDS = 120;
/** A run of rails lasts ten times as long as one of payments. */
const SEEDS_OF_RAILS = 30;
const TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_S = '60';
const RUN = ['--import=tsx', '--conditions=kasir-source'];

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const root = findPackageRoot();

function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kasir-mutants-'));
  for (const name of [...FOLDERS, ...FILES])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const linked = LINKED.filter((name) => existsSync(join(root, name)));
  for (const name of linked) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

/** The arguments of the catcher. */
function listWords({ caughtBy }: Mutant): string[] {
  if (typeof caughtBy === 'string') return [caughtBy];
  const { protocol, fault } = caughtBy;
  const only = fault === undefined ? [] : ['--fault', fault];
  const seeds = String(protocol === 'rails' ? SEEDS_OF_RAILS : SEEDS);
  const words = ['--protocol', protocol, '--seeds', seeds, '--first', ...only];
  return ['test/simulation/main.ts', ...words];
}

/** undefined: the catcher passes; else its first line about what fails. */
function findFailure(folder: string, words: readonly string[]): string | undefined {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...RUN, ...words], {
    ...{ cwd: folder, encoding: 'utf8', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
    env: { ...process.env, TAP_TIMEOUT: TEST_TIMEOUT_S },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (signal !== null) return 'it did not end';
  if (status === 0) return undefined;
  const lines = `${stdout}\n${stderr}`.split('\n');
  return (lines.find((line) => /^seed \d+: |^ *not ok|Error/.test(line)) ?? 'it failed').trim();
}

/** A catcher that fails on the sources as they are would catch every mutant. */
function checkCatchers(folder: string, mutants: readonly Mutant[]): boolean {
  const catchers = new Set(mutants.map((mutant) => listWords(mutant).join(' ')));
  const failing = [...catchers].filter((catcher) => {
    const failure = findFailure(folder, catcher.split(' '));
    if (failure !== undefined) console.log(`FAILS without a mutant: ${catcher}: ${failure}`);
    return failure !== undefined;
  });
  return failing.length === 0;
}

function runMutant(folder: string, mutant: Mutant): boolean {
  const path = join(folder, mutant.file);
  const original = readFileSync(path, 'utf8');
  if (original.split(mutant.from).length !== 2) {
    console.log(`STALE     ${mutant.breaks}: the text is not once in ${mutant.file}`);
    return false;
  }
  try {
    writeFileSync(
      path,
      original.replace(mutant.from, () => mutant.to),
    );
    const failure = findFailure(folder, listWords(mutant));
    console.log(
      `${failure === undefined ? 'SURVIVED ' : 'caught   '} ${mutant.breaks}: ${failure ?? ''}`,
    );
    return failure !== undefined;
  } finally {
    writeFileSync(path, original);
  }
}

const folder = copySources();
try {
  const chosen = [
    ...PROTOCOL_MUTANTS,
    ...RAIL_MUTANTS,
    ...WEBHOOK_MUTANTS,
    ...MONEY_MUTANTS,
    ...SERVICE_MUTANTS,
  ].filter(({ breaks }) => breaks.includes(values.only));
  const isFair = checkCatchers(folder, chosen);
  const caught = chosen.filter((mutant) => runMutant(folder, mutant));
  console.log(`${chosen.length} mutants, ${caught.length} caught`);
  process.exitCode = isFair && caught.length === chosen.length && chosen.length > 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
