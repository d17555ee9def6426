// Free ports for private servers, taken below the range from which the kernel gives ports to outgoing
// connections. Inside that range a client that tries again while its server is down can connect to itself
// (source and destination port are the same), and then the server cannot come back on its port.
// Each process looks through a slice of its own first, and at each port once: until its server listens, and while
// it is down, a port looks free (of 1,200 ports that a run of the suite takes, two met in one of five runs or so).
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LOWEST = 15_000;
const HIGHEST = 32_000;
const SLICE = 32;
const SLICES = Math.floor((HIGHEST - LOWEST) / SLICE);
const TRIES = 200;

/** Ports that this process has looked at. */
const seen = new Set<number>();

/** A TCP port that nobody listens on now. Whoever asks starts its server at once. */
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

/** True when the port can be listened on, on every address. */
export async function isPortFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) {
    if (!(await canListen(port, host))) return false;
  }
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has no `::` to listen on: that is not "in use".
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'EADDRINUSE' && error.code !== 'EACCES');
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
