// Free ports for private servers, below the range that the kernel uses for outgoing connections. Inside that range a
// client that reconnects while its server is down can connect to itself (equal source and destination port), and then
// the server cannot bind its port again.
// Each process first searches its own slice, and each port once, because a port looks free until its server listens. (A
// run of the suite takes 1,200 ports; before, two processes met in about one of five runs.)
import { randomInt } from 'node:crypto';
import { findPortFault } from '#ops/runtime/ports.js';

const LOWEST = 15_000;
const HIGHEST = 32_000;
const SLICE = 32;
const SLICES = Math.floor((HIGHEST - LOWEST) / SLICE);
const TRIES = 200;

/** Ports that this process has already tried. */
const seen = new Set<number>();

/** Finds a TCP port without a listener. The caller must start its server at once. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = pickPort();
    if (seen.has(port)) continue;
    seen.add(port);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port found between ${LOWEST} and ${HIGHEST}`);
}

function pickPort(): number {
  if (seen.size >= SLICE) return randomInt(LOWEST, HIGHEST);
  return LOWEST + (process.pid % SLICES) * SLICE + seen.size;
}

/** True when the port can be bound on every address. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await findPortFault(port)) === undefined;
