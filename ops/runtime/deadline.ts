// Bounds on waits.

/** A timer of a process that runs is never so late. */
const PAUSED_MS = 1_000;

export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Resolves or rejects as `work` does. What is waited for goes on by itself: only its answer comes too late.
 * @throws DeadlineError when that takes longer than `ms`
 */
export async function runWithDeadline<Value>(work: PromiseLike<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DeadlineError(ms));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls `onOver` after `ms`, unless the function that it answers is called before. Time in which the whole process
 * stood still does not count (a timer that comes so late begins again), and what has arrived is heard first.
 */
export function startDeadline(ms: number, onOver: () => void): () => void {
  let timer: NodeJS.Timeout;
  let over: NodeJS.Immediate | undefined;
  const start = (): void => {
    const dueMs = performance.now() + ms;
    timer = setTimeout(() => {
      if (performance.now() - dueMs > PAUSED_MS) start();
      else over = setImmediate(onOver);
    }, ms);
  };
  start();
  return () => {
    clearTimeout(timer);
    clearImmediate(over);
  };
}
