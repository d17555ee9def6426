// How fast the machine is right now: the time that a fixed piece of work takes this process. A virtual machine's cores
// get slower by half and faster again within minutes, whatever runs on it, and every latency with them.
import { median } from './statistics.js';

const EVERY_MS = 250;
/** Of so many rounds the fastest counts, which nothing interrupted. */
const ROUNDS = 7;
const STEPS = 100_000;

/** Measures until the function that it answers is called, which tells the median in microseconds. */
export function startYardstick(): () => number {
  const measured: number[] = [];
  const timer = setInterval(() => {
    measured.push(Math.min(...Array.from({ length: ROUNDS }, timeWorkUs)));
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return median(measured);
  };
}

let result = 1;

function timeWorkUs(): number {
  const beganMs = performance.now();
  for (let step = 0; step < STEPS; step += 1) result = (Math.imul(result, 1_664_525) + step) | 0;
  return (performance.now() - beganMs) * 1000;
}
