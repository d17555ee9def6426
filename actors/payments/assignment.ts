// How many partitions each process should own. Every process computes it from the same sorted list, so
// they agree without talking; only what is above a process's share moves.

/** The share of `name` among `processes` (sorted); 0 when it is not among them. */
export function computeShare(
  name: string,
  processes: readonly string[],
  partitions: number,
): number {
  const index = processes.indexOf(name);
  if (index < 0) return 0;
  const base = Math.floor(partitions / processes.length);
  return index < partitions % processes.length ? base + 1 : base;
}
