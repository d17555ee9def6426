// Which switches are off, as this process knows them: one board a process, for gateways, rails and payouts. Read
// four times a second, so that a turned switch counts within a second everywhere. Whoever has not heard of the
// database for STALE_MS, or has never, does not know what operators want: then every switch counts as off.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Postgres } from '../client.js';
import { loadSwitchedOff } from './switches.js';

const LOOK_EVERY_MS = 250;
const LOOK_DEADLINE_MS = 500;
const STALE_MS = 5_000;

/** All LIVE creates, all payouts, or what goes by one rail, one method or one merchant (mer_…). */
export type SwitchName =
  'live_creates' | 'payouts' | `rail:${string}` | `method:${string}` | `merchant:${string}`;

export interface KillSwitches {
  /** Costs nothing: to be asked at each decision, never to be remembered. */
  readonly isOn: (name: SwitchName) => boolean;
  readonly stop: () => void;
}

export interface KillSwitchesDeps {
  /** A pool that no slow statement can fill. */
  readonly sql: Postgres;
  readonly onError: (error: unknown) => void;
  readonly monotonicMs: () => number;
}

/** Resolves when it has looked once, or could not. */
export async function startKillSwitches(parts: KillSwitchesDeps): Promise<KillSwitches> {
  const { sql, onError, monotonicMs } = parts;
  let off: ReadonlySet<string> = new Set();
  let askedAtMs = -Infinity;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const beganAtMs = monotonicMs();
    try {
      off = new Set(await runWithDeadline(loadSwitchedOff(sql), LOOK_DEADLINE_MS));
      askedAtMs = beganAtMs;
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    isOn: (name) => !off.has(name) && monotonicMs() - askedAtMs < STALE_MS,
    stop: () => {
      clearInterval(timer);
    },
  };
}
