// What rails tell Prometheus. Labels are closed sets, never ids; names of rails are for operators only.
import {
  createCounter,
  createGauge,
  createHistogram,
  type Registry,
} from '#ops/runtime/metrics.js';
import type { CircuitState } from './calls/circuit.js';

const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, probing: 1, open: 2 };

export interface RailsMetrics {
  onAnswer: (rail: string, operation: string, outcome: string, durationMs: number) => void;
  onCallback: (rail: string, outcome: string) => void;
  setUnknown: (counts: ReadonlyMap<string, number>) => void;
  setSuspense: (amounts: ReadonlyMap<string, number>) => void;
  setFactsWaiting: (count: number) => void;
}

export interface RailsGauges {
  /** By rail and operation. */
  readCircuits: () => readonly (readonly [rail: string, operation: string, state: CircuitState])[];
}

export function createRailsMetrics(registry: Registry, gauges: RailsGauges): RailsMetrics {
  const seconds = createHistogram(
    registry,
    'rail_request_seconds',
    'Duration of a call to a rail',
    {
      labelNames: ['rail', 'operation', 'outcome'],
    },
  );
  const callbacks = createCounter(registry, 'rail_callbacks_total', 'Callbacks of rails', [
    'rail',
    'outcome',
  ]);
  const unknown = createGauge(
    registry,
    'rail_unknown_outcomes',
    'Calls that their rail has not answered: look-ups go on',
    { labelNames: ['rail'] },
  );
  const suspense = createGauge(
    registry,
    'suspense_amount',
    'Money in suspense accounts, in minor units',
    { labelNames: ['currency'] },
  );
  const facts = createGauge(
    registry,
    'rail_facts_waiting',
    'Answers of rails that payments do not show yet',
  );
  createGauge(registry, 'rail_circuit_state', '0 closed, 1 probing, 2 open', {
    labelNames: ['rail', 'operation'],
    read: (gauge) => {
      for (const [rail, operation, state] of gauges.readCircuits()) {
        gauge.set({ rail, operation }, CIRCUIT_VALUES[state]);
      }
    },
  });
  return {
    onAnswer: (rail, operation, outcome, durationMs) => {
      seconds.observe({ rail, operation, outcome }, durationMs / 1000);
    },
    onCallback: (rail, outcome) => {
      callbacks.inc({ rail, outcome });
    },
    setUnknown: (counts) => {
      unknown.reset();
      for (const [rail, count] of counts) unknown.set({ rail }, count);
    },
    setSuspense: (amounts) => {
      suspense.reset();
      for (const [currency, amount] of amounts) suspense.set({ currency }, amount);
    },
    setFactsWaiting: (count) => {
      facts.set(count);
    },
  };
}
