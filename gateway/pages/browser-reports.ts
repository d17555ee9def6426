// Shared parts of the reports that browsers send. Anybody may send them, so that each is counted and few of them are logged.
import type { Log } from '#ops/runtime/log.js';
import type { Registry } from '#ops/runtime/metrics.js';

const LOGGED_A_MINUTE = 3;
const MINUTE_MS = 60_000;

export interface BrowserReportDeps {
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn'>;
  readonly nowMs: () => number;
}

/** Whether one more report may be logged now. */
export function createLogLimit(nowMs: () => number): () => boolean {
  let minute = 0;
  let logged = 0;
  return () => {
    const now = Math.floor(nowMs() / MINUTE_MS);
    if (now !== minute) [minute, logged] = [now, 0];
    if (logged >= LOGGED_A_MINUTE) return false;
    logged += 1;
    return true;
  };
}

/** undefined: the body is not JSON. */
export function parseReport(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export function readText(value: unknown, name: string): string | undefined {
  const field = readField(value, name);
  return typeof field === 'string' ? field : undefined;
}
