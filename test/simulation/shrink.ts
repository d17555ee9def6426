// Makes a failing script small: leaves out faults and steps while the same check still fails.
import type { Protocol, Script } from './protocol.js';

const MAX_RUNS = 200;

/** `check`: the name of the check that fails. */
export async function shrink(protocol: Protocol, script: Script, check: string): Promise<Script> {
  let best = script;
  let runs = 0;
  const fails = async (candidate: Script): Promise<boolean> => {
    runs += 1;
    const { violations } = await protocol.run(candidate);
    return violations.some((one) => one.check === check);
  };
  const leaveOut = async (part: 'faults' | 'steps', size: number): Promise<void> => {
    for (let from = 0; from < best[part].length && runs < MAX_RUNS;) {
      const items: readonly unknown[] = best[part];
      const kept = [...items.slice(0, from), ...items.slice(from + size)];
      const candidate: Script = { ...best, [part]: kept };
      if (await fails(candidate)) best = candidate;
      else from += size;
    }
  };
  for (const part of ['faults', 'steps'] as const) {
    let size = best[part].length;
    while (size > 1) {
      size = Math.ceil(size / 2);
      await leaveOut(part, size);
    }
  }
  return best;
}
