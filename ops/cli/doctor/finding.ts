// A check gives findings. `problem`: something does not work, or may lose data; the command then ends with exit code 1.
// `warning`: it works, but not for long or not in each case, or a check was not possible.
import { describeError } from '../base/output.js';

export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  /** Subject and thing: `redis.persistence`. */
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  /** null: nothing is to be done. */
  readonly remedy: string | null;
}

export const reportOk = (check: string, says: string): Finding => ({
  ...{ check, level: 'ok', says, remedy: null },
});

export const reportWarning = (check: string, says: string, remedy: string): Finding => ({
  ...{ check, level: 'warning', says, remedy },
});

export const reportProblem = (check: string, says: string, remedy: string): Finding => ({
  ...{ check, level: 'problem', says, remedy },
});

export type Check = () => Finding | Promise<Finding>;

const IS_RIGHT_MISSING = /permission denied|NOPERM/;

/** Runs checks one after the other. A check that fails, most often for lack of a right, becomes a warning. */
export async function runChecks(checks: Readonly<Record<string, Check>>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      findings.push(await check());
    } catch (error) {
      findings.push(reportUnchecked(name, error));
    }
  }
  return findings;
}

export function reportUnchecked(check: string, error: unknown): Finding {
  const reason = describeError(error);
  const remedy = IS_RIGHT_MISSING.test(reason)
    ? 'Run kasir doctor as a user with this right: the role kasir_process in Postgres, the user default in Redis (docs/operations/roles.md)'
    : 'Repeat kasir doctor; if it fails again, look at the log of the server';
  return reportWarning(check, `not checked: ${reason}`, remedy);
}

/** Commands are dated by Redis' clock, leases by that of Postgres, and signatures of webhooks by that of this machine. */
const SKEW_WARNING_MS = 500;
const SKEW_PROBLEM_MS = 5_000;

/** Compares a server's clock with this machine's, at the middle of the exchange that read it. */
export async function checkClock(
  check: string,
  server: string,
  readMs: () => Promise<number>,
): Promise<Finding> {
  const sentAtMs = Date.now();
  const beganMs = performance.now();
  const serverMs = await readMs();
  const tripMs = performance.now() - beganMs;
  const aheadMs = Math.round(serverMs - sentAtMs - tripMs / 2);
  const skewMs = Math.max(0, Math.abs(aheadMs) - tripMs / 2);
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  const says = `the clock of ${server} is ${Math.abs(aheadMs)} ms ${direction} this machine's`;
  if (skewMs < SKEW_WARNING_MS) return reportOk(check, says);
  const remedy = 'Synchronise the clocks of all machines (NTP)';
  return skewMs < SKEW_PROBLEM_MS
    ? reportWarning(check, says, remedy)
    : reportProblem(check, says, remedy);
}
