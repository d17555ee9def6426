// Unpaid payments that expire together, as after a flash sale.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../stage/control.js';
import { createRequest, newRun } from './requests.js';
import { sendOnSchedule } from './sender.js';

/** The payments expire within so many seconds. */
export const STORM_S = 9;
const RATE = 2_000;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const MIN_EXPIRES_IN_S = 60;

/**
 * Creates payments whose expiries lie within STORM_S, however long the creates take. Returns when the first is due.
 *
 * @throws Error when one of the creates is refused
 */
export async function createUnpaid(service: Target, count: number): Promise<number> {
  const run = newRun();
  const seconds = count / RATE;
  const firstDueMs = Date.now() + (seconds + MIN_EXPIRES_IN_S) * 1_000;
  await sendOnSchedule({
    port: service.port,
    ratePerSecond: RATE,
    seconds,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => {
      const dueMs = firstDueMs + (index / count) * STORM_S * 1_000;
      const expiresInS = Math.max(MIN_EXPIRES_IN_S, Math.round((dueMs - Date.now()) / 1_000));
      return createRequest(service.key, run, index, { expiresInS });
    },
    onResult: ({ status, body }) => {
      if (status !== 201) throw new Error(`a create got ${status}: ${body}`);
    },
  });
  return firstDueMs;
}

/** `atMs` is Unix time. */
export const sleepUntil = (atMs: number): Promise<void> => sleep(Math.max(0, atMs - Date.now()));
