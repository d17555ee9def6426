// The kill switches of operators as this process knows them, read every 500 ms: a turned switch takes effect everywhere
// within a second. A process that has not read them for STALE_MS, or never has, cannot know what operators
// want, so it treats every switch as off.
import type { IsSwitchedOn } from '#actors/core/rails/live-gate.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '../client.js';
import { loadSwitchedOff } from './kill-switch-rows.js';

const READ_EVERY_MS = 500;
/** Shorter than the client's deadline: a read that hangs must not use up STALE_MS. */
const READ_DEADLINE_MS = 500;
const STALE_MS = 5_000;

export interface KillSwitches {
  /** Cheap: call it at each decision and never keep its result. */
  readonly isOn: IsSwitchedOn;
  readonly stop: () => Promise<void>;
}

export interface KillSwitchesDeps {
  /** A pool that slow statements cannot fill. */
  readonly sql: Postgres;
  readonly log: Log;
  /** The system's by default. */
  readonly clock?: Clock;
}

/** Resolves after the first read, also when it failed. */
export async function startKillSwitches(deps: KillSwitchesDeps): Promise<KillSwitches> {
  const { sql, log, clock = SYSTEM_CLOCK } = deps;
  let off: ReadonlySet<string> = new Set();
  let readAtMs = -Infinity;
  const read = async (): Promise<void> => {
    const beganAtMs = clock.monotonicMs();
    off = new Set(await runWithDeadline(loadSwitchedOff(sql), READ_DEADLINE_MS, clock));
    readAtMs = beganAtMs;
  };
  await read().catch((error: unknown) => {
    log.warn({ err: error }, 'kill switches cannot be read: every switch counts as off');
  });
  const { stop } = startLoop({
    name: 'kill switches',
    everyMs: READ_EVERY_MS,
    work: read,
    log,
    isFirstDelayed: true,
    clock,
  });
  const isKnown = (): boolean => clock.monotonicMs() - readAtMs < STALE_MS;
  return { isOn: (name) => !off.has(name) && isKnown(), stop };
}
