// A protocol of the service that runs in the simulated world, as the program that runs seeds sees it.

/** The script of a run: parts may be left out of it. */
export interface Script {
  readonly seed: number;
  readonly faults: readonly { readonly kind: string }[];
  readonly steps: readonly unknown[];
}

export interface Violation {
  readonly check: string;
  readonly details: readonly string[];
}

export interface RunResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** The same for the same seed. */
  readonly digest: string;
  /** `<state> <step> <fault>`, and how often. */
  readonly cells: ReadonlyMap<string, number>;
  /** Things that the run did, by their names. */
  readonly counts: Readonly<Record<string, number>>;
  readonly virtualMs: number;
}

export interface Protocol {
  readonly name: string;
  readonly faults: readonly string[];
  /** `fault`: all faults of the run are of this kind. */
  readonly build: (seed: number, fault?: string) => Script;
  readonly run: (script: Script, onTrace?: (line: string) => void) => Promise<RunResult>;
}

export interface ProtocolDefinition<Kind extends string, Scenario extends Script> {
  readonly name: string;
  readonly faults: readonly Kind[];
  readonly build: (seed: number, fault?: Kind) => Scenario;
  readonly run: (scenario: Scenario, onTrace?: (line: string) => void) => Promise<RunResult>;
}

/** The program knows no protocol, so it gives back only scripts that the protocol itself has built. */
export function defineProtocol<Kind extends string, Scenario extends Script>(
  definition: ProtocolDefinition<Kind, Scenario>,
): Protocol {
  const { name, faults, build, run } = definition;
  return {
    ...{ name, faults },
    build: (seed, fault) =>
      build(
        seed,
        faults.find((one) => one === fault),
      ),
    run: (script, onTrace) => run(script as Scenario, onTrace),
  };
}
