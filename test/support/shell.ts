// A shell that runs blocks of commands of a page, one after another. Blocks share variables, functions and the working folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { waitForExit } from '#ops/dev/launch/program.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import type { TestScope } from './servers.js';

/** The shell runs it behind each block, so that the end of a block is seen, and whether its last command succeeded. */
const DONE = 'echo "status $?"';

export interface Shell {
  /** Runs a block, and resolves with its output when all of its commands have succeeded. */
  readonly run: (block: string, waitMs?: number) => Promise<string>;
}

export interface ShellOptions {
  /** The working folder, and the home. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The command that starts the shell, such as `unshare --mount`. */
  readonly prefix?: readonly string[];
}

/** It ends with the test. */
export function openShell(t: TestScope, options: ShellOptions): Shell {
  const { folder, variables = {}, prefix = [] } = options;
  const env = { PATH: process.env['PATH'], HOME: folder, ...variables };
  const [command = '', ...args] = [...prefix, 'bash', '-u'];
  const shell: ChildProcess = spawn(command, args, { cwd: folder, env });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  t.teardown(async () => {
    shell.stdin?.end();
    await waitForExit(shell);
  });
  return {
    run: async (block, waitMs = WAIT_MS) => {
      output = '';
      // Programs must not change how the shell reads: npm makes its standard input non-blocking.
      shell.stdin?.write(`{\n${block}\n} < /dev/null\n${DONE}\n`);
      const findStatus = (): string | number | null => {
        const [, told] = /^status (\d+)$/m.exec(output) ?? [];
        return told ?? shell.exitCode;
      };
      const status = await waitUntil(`the commands end:\n${block}`, findStatus, waitMs).catch(
        (error: unknown) => {
          throw new Error(output, { cause: error });
        },
      );
      if (status !== '0') throw new Error(`a command failed (${status}):\n${output}`);
      return output.replace(/^status \d+\n/m, '');
    },
  };
}
