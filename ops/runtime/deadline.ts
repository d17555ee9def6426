// A bound on a wait. What is waited for goes on by itself: only its answer comes too late.

export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Resolves or rejects as `work` does.
 * @throws DeadlineError when that takes longer than `ms`
 */
export async function withDeadline<Value>(work: PromiseLike<Value>, ms: number): Promise<Value> {
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
