// The results of many runs as text: faults × seeds × violations, and the cells that were visited.
import type { RunResult, Script } from './protocol.js';

export class Report {
  readonly failed: RunResult[] = [];
  readonly #cells = new Map<string, number>();
  readonly #seedsOf = new Map<string, number>();
  readonly #violationsOf = new Map<string, number>();
  #runs = 0;
  readonly #faults: readonly string[];
  readonly #counts = new Map<string, number>();
  readonly #seedsWith = new Map<string, number>();
  #virtualMs = 0;

  constructor(faults: readonly string[]) {
    this.#faults = faults;
  }

  add(script: Script, result: RunResult): void {
    this.#runs += 1;
    this.#virtualMs += result.virtualMs;
    for (const [name, count] of Object.entries(result.counts)) {
      raise(this.#counts, name, count);
      raise(this.#seedsWith, name, count > 0 ? 1 : 0);
    }
    for (const [cell, count] of result.cells) raise(this.#cells, cell, count);
    for (const kind of new Set(script.faults.map((fault) => fault.kind))) {
      raise(this.#seedsOf, kind, 1);
      if (result.violations.length > 0) raise(this.#violationsOf, kind, 1);
    }
    if (result.violations.length > 0) this.failed.push(result);
  }

  describe(): string {
    const rows = this.#faults.map((kind) => {
      const seeds = this.#seedsOf.get(kind) ?? 0;
      const cells = [...this.#cells.keys()].filter((cell) => cell.endsWith(` ${kind}`)).length;
      return [kind, String(seeds), String(this.#violationsOf.get(kind) ?? 0), String(cells)];
    });
    const table = [['fault', 'seeds', 'with violations', 'cells visited'], ...rows];
    const hours = (this.#virtualMs / 3_600_000).toFixed(1);
    const sum = `${this.#runs} seeds, ${this.failed.length} with violations, ${hours} virtual hours`;
    const states = `${this.#cells.size} cells of state × command × fault: ${this.#describeStates()}`;
    const counts = [...this.#counts].map(
      ([name, count]) => `${name}: ${count} in ${this.#seedsWith.get(name) ?? 0} seeds`,
    );
    return [...table.map(formatRow), '', states, ...counts, sum].join('\n');
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
