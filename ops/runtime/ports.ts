// Why a port cannot be listened on, in words that name the variable and the remedy.
import { createServer } from 'node:net';

const FAULTS = ['EADDRINUSE', 'EACCES'] as const;
export type PortFault = (typeof FAULTS)[number];

/** A port is tried on each of these. A machine without IPv6 cannot bind `::`, which does not mean that the port is in use. */
const HOSTS = ['127.0.0.1', '0.0.0.0', '::'];

export const readPortFault = (error: unknown): PortFault | undefined =>
  FAULTS.find((fault) => error instanceof Error && 'code' in error && error.code === fault);

/** undefined: the port can be bound on every address. */
export async function findPortFault(port: number): Promise<PortFault | undefined> {
  for (const host of HOSTS) {
    const fault = await tryToListen(port, host);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function tryToListen(port: number, host: string): Promise<PortFault | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve(readPortFault(error));
    });
    server.listen({ port, host, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

export function describePortFault(variable: string, port: number, fault: PortFault): string {
  if (fault === 'EADDRINUSE') {
    return `${variable} ${port} is in use: end what listens there, or set ${variable} to another one`;
  }
  return (
    `${variable} ${port} is reserved (EACCES): this user may not listen on ports below 1024. Set ${variable} to 1024 or above, ` +
    `with a proxy on port ${port} in front, or give the process the capability CAP_NET_BIND_SERVICE`
  );
}
