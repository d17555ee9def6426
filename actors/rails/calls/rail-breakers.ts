// The circuit breaker of one operation at one rail. Each rails process has its own.
import { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';

const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 60_000;

export type CircuitBreakerReading = readonly [
  rail: string,
  operation: string,
  state: CircuitBreaker['state'],
];

/** `timeoutMs`: the longest call. `onChange`: see CircuitBreakerOptions. */
export function createRailBreaker(
  timeoutMs: number,
  onChange?: (restMs: number) => void,
): CircuitBreaker {
  const options = { firstRestMs: FIRST_REST_MS, maxRestMs: MAX_REST_MS, probeMs: timeoutMs };
  return new CircuitBreaker(onChange === undefined ? options : { ...options, onChange });
}
