// The sources of another build beside this one, and processes of this one that are replaced by it under load.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { describe, isDecided } from '#test/support/load/history.js';
import { prepareProcess, type RunningProcess, startProcess } from '#test/support/processes.js';
import { makeFolder, type TestScope } from '#test/support/servers.js';
import { type Stage, underLoad } from '#test/support/stage.js';

const ROOT = findPackageRoot();
const SOURCES = [
  'package.json',
  'tsconfig.json',
  'Procfile',
  'actors',
  'gateway',
  'store',
  'ops',
  'docs',
];

/** The last build whose tables had the former names. */
export const BEFORE_RENAMES = 'f65c4a5c';

export interface OtherBuild {
  readonly sources: string;
}

/** A commit of this repository. */
export function checkOut(t: TestScope, commit: string): OtherBuild {
  const git = ['-C', ROOT];
  try {
    execFileSync('git', [...git, 'cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' });
  } catch {
    throw new Error(
      `this clone has no commit ${commit}, which runs beside this build; fetch the whole history by: git fetch --unshallow`,
    );
  }
  const sources = join(makeFolder(t), 'build');
  mkdirSync(sources);
  const archive = execFileSync('git', [...git, 'archive', commit, ...SOURCES], {
    maxBuffer: Infinity,
  });
  execFileSync('tar', ['-x', '-C', sources], { input: archive });
  return linkPackages(sources);
}

/** This build with one text of one file replaced. */
export function copyWith(
  t: TestScope,
  change: { readonly file: string; readonly from: string; readonly to: string },
): OtherBuild {
  const sources = join(makeFolder(t), 'build');
  for (const name of SOURCES) cpSync(join(ROOT, name), join(sources, name), { recursive: true });
  const path = join(sources, change.file);
  const parts = readFileSync(path, 'utf8').split(change.from);
  if (parts.length !== 2) throw new Error(`${change.file} has not one place with ${change.from}`);
  writeFileSync(path, parts.join(change.to));
  return linkPackages(sources);
}

/** Packages (`image-size` is there for former builds alone), and the built files that browsers load, are those of this build. */
function linkPackages(sources: string): OtherBuild {
  for (const name of ['node_modules', 'dist']) symlinkSync(join(ROOT, name), join(sources, name));
  return { sources };
}

type Kind = 'payments' | 'gateway' | 'rails';
/** Answers after each replacement. */
const BETWEEN = 50;
const ANSWERS = 5_000;

/** A process of this build, and the one of the other build that takes its place. */
interface Place {
  readonly kind: Kind;
  readonly here: RunningProcess;
  readonly there: RunningProcess;
}

interface Order {
  readonly isOther: boolean;
  readonly kinds: readonly Kind[];
}

const EACH_ORDER: readonly (readonly Kind[])[] = [
  ['payments', 'gateway', 'rails'],
  ['payments', 'rails', 'gateway'],
  ['gateway', 'payments', 'rails'],
  ['gateway', 'rails', 'payments'],
  ['rails', 'payments', 'gateway'],
  ['rails', 'gateway', 'payments'],
];

/** Each order in both directions. */
const ORDERS: readonly Order[] = EACH_ORDER.flatMap((kinds) => [
  { isOther: true, kinds },
  { isOther: false, kinds },
]);

/** All processes are replaced by those of the other build, and back, in each order of the kinds. No request may fail. */
export function replaceInEachOrder(
  t: Test,
  other: OtherBuild,
  onReplaced: (stage: Stage, isOther: boolean) => Promise<void>,
): Promise<void> {
  return underLoad(t, { gateways: 2, payments: 2 }, async (stage) => {
    const places = await preparePlaces(t, stage, other);
    const from = stage.load.history.length;
    for (const { isOther, kinds } of ORDERS) {
      await replaceAll(t, stage, places, { isOther, kinds });
      await onReplaced(stage, isOther);
    }
    await stage.load.reaches(ANSWERS);
    const failed = stage.load.history
      .slice(from)
      .filter((entry) => !isDecided(entry) && entry.result.kind !== 'refused');
    t.strictSame(failed.map(describe), [], 'no request failed');
  });
}

export async function preparePlaces(t: Test, stage: Stage, other: OtherBuild): Promise<Place[]> {
  const rails = await startProcess(t, 'rails', stage.variables);
  const prepare = async (kind: Kind, here: RunningProcess): Promise<Place> => {
    const variables = { ...stage.variables, PORT: String(here.port) };
    return { kind, here, there: await prepareProcess(t, kind, variables, other) };
  };
  return Promise.all([
    ...stage.payments.map((one) => prepare('payments', one)),
    ...stage.gateways.map((one) => prepare('gateway', one)),
    prepare('rails', rails),
  ]);
}

/** Replaces the processes of these kinds one by one. */
export async function replaceAll(
  t: Test,
  stage: Stage,
  places: readonly Place[],
  { isOther, kinds }: Order,
): Promise<void> {
  for (const kind of kinds) {
    for (const place of places.filter((one) => one.kind === kind)) {
      await replace(t, stage, place, isOther);
    }
  }
}

/** Stopped and started, as a supervisor does at the same address. */
async function replace(
  t: Test,
  { load }: Stage,
  { here, there }: Place,
  isOther: boolean,
): Promise<void> {
  const [before, after] = isOther ? [here, there] : [there, here];
  before.signal('SIGTERM');
  t.equal(await before.waitForEnd(), 0, `${before.name} ends with 0`);
  await after.start();
  await load.progress(BETWEEN);
}
