// Small sums over measured values.

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that the share `part` (0 to 1) of all values does not exceed; NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** `12,345` */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `4.2 ms`, or `120 ms` from a hundred on. */
export function formatMs(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : ms.toFixed(1)} ms`;
}
