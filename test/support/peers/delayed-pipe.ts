// Passes chunks on in their order, each a while after it came.

interface Waiting {
  readonly chunk: Buffer;
  readonly dueMs: number;
}

/** Returns what takes a chunk and its delay. A chunk never overtakes an earlier one, whatever its delay. */
export function createDelayedPipe(
  pass: (chunk: Buffer) => void,
): (chunk: Buffer, delayMs: number) => void {
  const waiting: Waiting[] = [];
  const passDue = (): void => {
    const nowMs = performance.now();
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      if (first.dueMs > nowMs) {
        setTimeout(passDue, first.dueMs - nowMs);
        return;
      }
      waiting.shift();
      pass(first.chunk);
    }
  };
  return (chunk, delayMs) => {
    if (delayMs === 0 && waiting.length === 0) {
      pass(chunk);
      return;
    }
    waiting.push({ chunk, dueMs: performance.now() + delayMs });
    if (waiting.length === 1) setTimeout(passDue, delayMs);
  };
}
