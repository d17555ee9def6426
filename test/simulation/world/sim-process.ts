// A process of the service within the simulated world, with clocks of its own. It can be paused (nothing of it runs,
// what arrives waits) and killed (nothing of it ever runs again).
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { World } from './world.js';

/** A machine: its clock of the day can be wrong, for all processes that run on it. */
export interface Host {
  readonly name: string;
  clockAheadMs: number;
}

export class SimProcess {
  readonly world: World;
  readonly host: Host;
  /** Unique: a restarted process has another one. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  #pausedUntilMs = 0;
  #isAlive = true;

  constructor(world: World, host: Host, name: string) {
    this.world = world;
    this.host = host;
    this.name = name;
    this.log = createTracingLog(world, name);
    this.clock = {
      nowMs: () => Math.floor(world.timeMs) + host.clockAheadMs,
      monotonicMs: () => world.nowMs,
      sleep: (ms) => new Promise((resolve) => this.schedule(ms, resolve)),
      startTimer: (ms, onOver) => this.schedule(ms, onOver),
      endTurn: (onOver) => {
        this.schedule(0, onOver);
      },
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs `run` within this process: later while it is paused, never after it was killed. */
  schedule(delayMs: number, run: () => void): () => void {
    let cancel = this.world.schedule(delayMs, () => {
      if (!this.#isAlive) return;
      const waitMs = this.#pausedUntilMs - this.world.nowMs;
      if (waitMs > 0) cancel = this.schedule(waitMs, run);
      else run();
    });
    return () => {
      cancel();
    };
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.world.nowMs + ms);
  }

  kill(): void {
    this.#isAlive = false;
  }
}

function createTracingLog(world: World, name: string): Log {
  const write = (level: string) => (fields: unknown, text?: string) => {
    const error =
      typeof fields === 'object' && fields !== null && 'err' in fields ? String(fields.err) : '';
    world.trace(`${name} ${level} ${typeof fields === 'string' ? fields : (text ?? '')} ${error}`);
  };
  const [info, warn, error] = [write('info'), write('warn'), write('error')];
  return { info, warn, error, fatal: error } as unknown as Log;
}
