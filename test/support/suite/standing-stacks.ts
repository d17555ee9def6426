// Keeps the standing stacks of a run: starts those that its files use, hands their addresses on, and ends them after the files.
// A process that ends before that ends the run: the files on its stack would only wait until each gives up.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestScope } from '../servers.js';
import { STACK_KINDS, STACKS_VARIABLE, type StackKind } from '../standing/addresses.js';
import { type Stack, startStack } from '../standing/stack.js';
import { findCompiled, reaches } from './list-tests.js';
import { endPrograms } from './run-program.js';

/** The files on a stack import its module. */
const MODULES: Readonly<Record<StackKind, string>> = {
  payments: 'dist/test/support/standing/service.js',
};
const LINES_SHOWN = 20;

interface StandingStack {
  readonly kind: StackKind;
  readonly users: readonly string[];
  readonly stack: Stack;
}

/**
 * Runs `work` beside the stacks that these files use; it returns what failed. Returns a line for each process that ended
 * before. Logs are kept in `folder`; their last lines are printed when a process ended or a file on its stack failed.
 */
export async function withStacks(
  files: readonly string[],
  folder: string,
  work: () => Promise<readonly string[]>,
): Promise<string[]> {
  const cleaners: (() => unknown)[] = [];
  const stacks: StandingStack[] = [];
  const ended: string[] = [];
  let failed: readonly string[] = [];
  let isOver = false;
  const onEnd = (kind: StackKind, name: string, code: unknown): void => {
    if (isOver) return;
    ended.push(`standing stack ${kind}: ${name} ended with ${String(code)}`);
    console.error(`\n${ended.at(-1)}; the run ends, since its files cannot go on`);
    endPrograms('SIGTERM');
  };
  try {
    const scope = { teardown: (clean: () => unknown) => void cleaners.push(clean) };
    for (const kind of STACK_KINDS) {
      const users = files.filter((path) => reaches(path, MODULES[kind]));
      if (users.length > 0) stacks.push(await start(scope, kind, users, onEnd));
    }
    const given = stacks.map(({ kind, stack }) => [kind, stack.addresses] as const);
    process.env[STACKS_VARIABLE] = JSON.stringify(Object.fromEntries(given));
    if (ended.length === 0) failed = await work();
  } finally {
    isOver = true;
    process.env[STACKS_VARIABLE] = '{}';
    for (const { kind, users, stack } of stacks) {
      const hasFailed = users.some((path) =>
        failed.some((title) => title.includes(findCompiled(path))),
      );
      keepLogs({ kind, stack }, folder, hasFailed || ended.length > 0);
    }
    for (const clean of cleaners.reverse()) await clean();
  }
  return ended;
}

async function start(
  scope: TestScope,
  kind: StackKind,
  users: readonly string[],
  onEnd: (kind: StackKind, name: string, code: unknown) => void,
): Promise<StandingStack> {
  const stack = await startStack(scope, kind);
  for (const program of stack.programs) {
    void program.waitForEnd().then((code) => {
      onEnd(kind, program.name, code);
    });
  }
  return { kind, users, stack };
}

function keepLogs(
  { kind, stack }: Pick<StandingStack, 'kind' | 'stack'>,
  folder: string,
  isShown: boolean,
): void {
  for (const [index, program] of stack.programs.entries()) {
    const file = join(folder, `stack-${kind}-${index}-${program.name}.log`);
    const lines = program.lines();
    writeFileSync(file, `${lines.join('\n')}\n`);
    if (!isShown) continue;
    console.error(`\n# ${program.name} of the standing stack ${kind}: ${file}`);
    for (const line of lines.slice(-LINES_SHOWN)) console.error(line);
  }
}
