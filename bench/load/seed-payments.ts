// Creates payments before a bench that needs some, and writes their ids to a file for wrk.
import { writeFileSync } from 'node:fs';
import type { Target } from '../stage/control.js';
import { createRequest, newRun } from './requests.js';
import { sendOnSchedule } from './sender.js';

const RATE = 1_000;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;

/** @throws Error when one of the creates is refused */
export async function createPayments(target: Target, count: number): Promise<string[]> {
  const run = newRun();
  const ids: string[] = [];
  await sendOnSchedule({
    port: target.port,
    ratePerSecond: RATE,
    seconds: count / RATE,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => createRequest(target.key, run, index),
    onResult: ({ status, body }) => {
      const id = /"id":"(pay_[^"]+)"/.exec(body)?.[1];
      if (status !== 201 || id === undefined) throw new Error(`a create got ${status}: ${body}`);
      ids.push(id);
    },
  });
  return ids;
}

export function writeIds(path: string, ids: readonly string[]): void {
  writeFileSync(path, ids.join('\n'));
}
