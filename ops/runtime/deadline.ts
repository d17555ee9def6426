// Limits on waiting. The work itself is not cancelled.

/** A timer that fires this late means that the whole process was paused. */
const PAUSED_MS = 1_000;

export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Settles as `work` does. The work goes on after the deadline; only its result is ignored.
 * @throws DeadlineError when `work` takes longer than `ms`
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
 * Calls `onOver` after `ms`, unless the returned function is called first. A pause of the whole process does not
 * count: a timer that fires too late starts again. Events that have already arrived are handled before `onOver`.
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
