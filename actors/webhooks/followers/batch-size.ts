// How much a follower takes at once: a round that fails is tried again with a quarter, since rows that are read from a slow
// disk may take longer than a statement may. Each round that succeeds doubles it again, up to `most`.
export interface BatchSize {
  /** Runs a round with the present size. */
  readonly run: <Result>(round: (size: number) => Promise<Result>) => Promise<Result>;
}

export function createBatchSize(least: number, most: number): BatchSize {
  let size = most;
  return {
    run: async (round) => {
      try {
        const result = await round(size);
        size = Math.min(size * 2, most);
        return result;
      } catch (error) {
        size = Math.max(Math.floor(size / 4), least);
        throw error;
      }
    },
  };
}
