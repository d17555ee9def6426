// Free ports for private servers, below the range that the kernel uses for outgoing connections. Inside that range a
// client that reconnects while its server is down can connect to itself (equal source and destination port), and then
// the server cannot bind its port again.
// A port looks free until its server listens, so processes that search at once would find the same one. Each process
// therefore owns slices of the range: it listens on the first port of a slice for as long as it lives, and gives out the others.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findPortFault } from '#ops/runtime/ports.js';

const LOWEST = 15_000;
const HIGHEST = 32_000;
const SLICE = 32;
const SLICES = Math.floor((HIGHEST - LOWEST) / SLICE);

/** Ports of the slices that this process owns, which it has not given out yet. */
const ports: number[] = [];
let taking: Promise<void> | undefined;

/** Finds a TCP port without a listener, which no other process finds. It is given out once. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = ports.shift();
    if (port === undefined) {
      taking ??= takeSlice().finally(() => {
        taking = undefined;
      });
      await taking;
    } else if (await isPortFree(port)) return port;
  }
}

async function takeSlice(): Promise<void> {
  for (let tried = 0; tried < SLICES; tried += 1) {
    const first = LOWEST + ((process.pid + tried) % SLICES) * SLICE;
    if (!(await hold(first))) continue;
    for (let port = first + 1; port < first + SLICE; port += 1) ports.push(port);
    return;
  }
  throw new Error(`all ports between ${LOWEST} and ${HIGHEST} are taken by other processes`);
}

/** Listens on the port until this process ends; false: another process does. */
async function hold(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true }).unref();
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}

/** True when the port can be bound on every address. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await findPortFault(port)) === undefined;
