// Runs `kasir <command>` as operators do: in a process of its own, from its bundle.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export const KASIR = join(findPackageRoot(), 'dist/bundle/kasir/main.js');

/** Variables of a command that takes its standard error, a pipe, for a terminal. */
export const AS_TERMINAL = {
  NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true',
};

export interface KasirRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runKasir(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<KasirRun> {
  const env = { PATH: process.env['PATH'], ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [KASIR, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}
