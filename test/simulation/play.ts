// Plays a script in the simulated world: its steps and faults at their times, then quiet until nothing is left to do.
import type { World } from './world/world.js';

interface TimedFault<Kind extends string> {
  readonly kind: Kind;
  readonly atMs: number;
  readonly lastsMs: number;
}

interface TimedScript<Step, Fault> {
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

interface Played {
  readonly world: World;
  /** By the index of the fault in its script. */
  readonly activeFaults: Map<number, string>;
}

interface PlayDeps<Step, Fault> {
  readonly perform: (step: Step) => void;
  /** Begins a fault and returns what ends it. */
  readonly begin: (fault: Fault) => () => void;
}

/** Resolves when the last step was performed and the last fault has ended. */
export async function playScript<
  Step extends { readonly atMs: number },
  Fault extends TimedFault<string>,
>(
  { world, activeFaults }: Played,
  { steps, faults }: TimedScript<Step, Fault>,
  { perform, begin }: PlayDeps<Step, Fault>,
): Promise<void> {
  for (const step of steps) {
    world.schedule(step.atMs, () => {
      perform(step);
    });
  }
  faults.forEach((fault, index) => {
    world.schedule(fault.atMs, () => {
      world.trace(`fault ${fault.kind} begins`);
      activeFaults.set(index, fault.kind);
      const end = begin(fault);
      world.schedule(fault.lastsMs, () => {
        world.trace(`fault ${fault.kind} ends`);
        activeFaults.delete(index);
        end();
      });
    });
  });
  const ends = faults.map(({ atMs, lastsMs }) => atMs + lastsMs);
  await world.run(Math.max(0, ...ends, steps.at(-1)?.atMs ?? 0));
}

export interface Patience {
  readonly forMs: number;
  readonly askEveryMs: number;
}

/** Resolves when `isOver`, or after `forMs`. */
export async function runUntil(
  world: World,
  { forMs, askEveryMs }: Patience,
  isOver: () => boolean,
): Promise<void> {
  let nextMs = world.nowMs;
  await world.run(world.nowMs + forMs, () => {
    if (world.nowMs < nextMs) return false;
    nextMs = world.nowMs + askEveryMs;
    return isOver();
  });
}

/** Waits until nothing is left to do, and returns what is left when that takes too long. */
export async function drain(
  world: World,
  patience: Patience,
  findUnfinished: () => string[],
): Promise<string[]> {
  let unfinished: string[] = [];
  await runUntil(world, patience, () => {
    unfinished = findUnfinished();
    return unfinished.length === 0;
  });
  return unfinished;
}
