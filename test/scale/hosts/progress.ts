// Prints how long after a moment something was the case.

/** Returns a clock that runs from now on. */
export function startClock(): { readonly report: (what: string) => void } {
  const fromMs = performance.now();
  return {
    report: (what) => {
      const seconds = ((performance.now() - fromMs) / 1_000).toFixed(1);
      process.stderr.write(`${what.padEnd(60)}${seconds.padStart(6)} s\n`);
    },
  };
}
