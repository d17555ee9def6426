// Makes a failing scenario small: leaves out faults and requests while the same check still fails.
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';

const MAX_RUNS = 200;

/** `check`: the name of the check that fails. */
export async function shrink(scenario: Scenario, check: string): Promise<Scenario> {
  let best = scenario;
  let runs = 0;
  const fails = async (candidate: Scenario): Promise<boolean> => {
    runs += 1;
    const { violations } = await runScenario(candidate);
    return violations.some((one) => one.check === check);
  };
  const leaveOut = async (part: 'faults' | 'steps', size: number): Promise<void> => {
    for (let from = 0; from < best[part].length && runs < MAX_RUNS;) {
      const items: readonly unknown[] = best[part];
      const kept = [...items.slice(0, from), ...items.slice(from + size)];
      const candidate: Scenario = { ...best, [part]: kept };
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
