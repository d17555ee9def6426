// The results of many runs as text: faults × seeds × violations, and the cells that were visited.
import type { RunResult } from './run-scenario.js';
import { FAULTS, type Scenario } from './scenario.js';

export class Report {
  readonly failed: RunResult[] = [];
  readonly #cells = new Map<string, number>();
  readonly #seedsOf = new Map<string, number>();
  readonly #violationsOf = new Map<string, number>();
  #runs = 0;
  #commits = 0;
  #virtualMs = 0;
  #knownGaps = 0;
  #seedsWithGaps = 0;

  add(scenario: Scenario, result: RunResult): void {
    this.#runs += 1;
    this.#commits += result.commits;
    this.#virtualMs += result.virtualMs;
    this.#knownGaps += result.knownGaps;
    if (result.knownGaps > 0) this.#seedsWithGaps += 1;
    for (const [cell, count] of result.cells) raise(this.#cells, cell, count);
    for (const kind of new Set(scenario.faults.map((fault) => fault.kind))) {
      raise(this.#seedsOf, kind, 1);
      if (result.violations.length > 0) raise(this.#violationsOf, kind, 1);
    }
    if (result.violations.length > 0) this.failed.push(result);
  }

  describe(): string {
    const rows = FAULTS.map((kind) => {
      const seeds = this.#seedsOf.get(kind) ?? 0;
      const cells = [...this.#cells.keys()].filter((cell) => cell.endsWith(` ${kind}`)).length;
      return [kind, String(seeds), String(this.#violationsOf.get(kind) ?? 0), String(cells)];
    });
    const table = [['fault', 'seeds', 'with violations', 'cells visited'], ...rows];
    const hours = (this.#virtualMs / 3_600_000).toFixed(1);
    const sum = `${this.#runs} seeds, ${this.failed.length} with violations, ${this.#commits} commits, ${hours} virtual hours`;
    const states = `${this.#cells.size} cells of state × command × fault: ${this.#describeStates()}`;
    const gaps = `known gaps: ${this.#knownGaps} frames skipped in ${this.#seedsWithGaps} seeds`;
    return [...table.map(formatRow), '', states, gaps, sum].join('\n');
  }

  /** The cells without their faults. */
  #describeStates(): string {
    const pairs = new Map<string, number>();
    for (const [cell, count] of this.#cells) {
      raise(pairs, cell.split(' ').slice(0, 2).join(' × '), count);
    }
    return [...pairs]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([pair, count]) => `${pair} ${count}`)
      .join(', ');
  }
}

function raise(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

const formatRow = ([first = '', ...rest]: readonly string[]): string =>
  first.padEnd(24) + rest.map((cell) => cell.padStart(17)).join('');

export function describeFailure({ seed, violations }: RunResult): string {
  return violations
    .map(({ check, details }) => `seed ${seed}: ${check}\n  ${details.join('\n  ')}`)
    .join('\n');
}
