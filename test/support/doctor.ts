// Runs `kasir doctor` and reads its findings.
import type { Finding } from '#ops/cli/doctor/finding.js';
import { runKasir } from './kasir.js';

export interface Diagnosis {
  readonly code: number;
  readonly stderr: string;
  readonly findings: readonly Finding[];
  /** The first finding of a check. */
  readonly find: (check: string) => Finding | undefined;
}

export async function runDoctor(
  variables: Readonly<Record<string, string>>,
  ...processes: readonly string[]
): Promise<Diagnosis> {
  const { code, stdout, stderr } = await runKasir(variables, 'doctor', ...processes, '--json');
  if (stdout === '') throw new Error(`kasir doctor prints nothing (exit code ${code}): ${stderr}`);
  const findings = JSON.parse(stdout) as Finding[];
  return { code, stderr, findings, find: (check) => findings.find((one) => one.check === check) };
}
