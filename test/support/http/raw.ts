// Speaks to a server in bytes: what no HTTP client would send, at the pace that the test wants.
import { connect, type Socket } from 'node:net';

/** Sent as latin1 text or bytes; a number waits for so many milliseconds; an object closes or resets our side. */
export type Step = string | Buffer | number | { readonly end: 'fin' | 'reset' };

export interface Heard {
  readonly text: string;
  /** closed: by the server; reset; open: still there when the time was over; left: we reset it. */
  readonly ending: 'closed' | 'reset' | 'open' | 'left';
  readonly afterMs: number;
}

export interface RawOptions {
  readonly host?: string;
  readonly localAddress?: string;
  /** How long to listen. */
  readonly forMs?: number;
  /** Stop listening as soon as this holds of what was heard. */
  until?(text: string): boolean;
}

const DEFAULT_MS = 2_000;

export async function speak(
  port: number,
  steps: readonly Step[],
  options: RawOptions = {},
): Promise<Heard> {
  const { host = '127.0.0.1', localAddress, forMs = DEFAULT_MS } = options;
  const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
  socket.setNoDelay(true);
  const heard = listen(socket, options, forMs);
  await sendSteps(socket, steps);
  return heard;
}

function listen(socket: Socket, options: RawOptions, forMs: number): Promise<Heard> {
  const startedMs = performance.now();
  let text = '';
  let ending: Heard['ending'] = 'left';
  return new Promise((resolve) => {
    const timer = setTimeout(() => leave('open'), forMs);
    const leave = (how: Heard['ending']): void => {
      ending = how;
      socket.destroy();
    };
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (options.until?.(text) === true) leave('open');
    });
    socket.on('end', () => {
      ending = 'closed';
    });
    socket.on('error', () => {
      ending = 'reset';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ text, ending, afterMs: performance.now() - startedMs });
    });
  });
}

async function sendSteps(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if (typeof step === 'number') await new Promise((resolve) => setTimeout(resolve, step));
    else if (typeof step === 'string') await write(socket, Buffer.from(step, 'latin1'));
    else if (Buffer.isBuffer(step)) await write(socket, step);
    else if (step.end === 'fin') socket.end();
    else socket.resetAndDestroy();
  }
}

/** Waits for the socket to take it, or to close. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}

/** The status codes of all responses heard on one connection, in order. */
export function listStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map((match) => Number(match[1]))
    .filter((status) => status >= 200);
}

/** The error code of the first error body heard. */
export function findCode(text: string): string | undefined {
  return /"code":"([a-z_]+)"/.exec(text)?.[1];
}

/** A request with a body, as a well-behaved client would write it. */
export function post(path: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

export function get(path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, 'Host: test', ...headers].join('\r\n') + '\r\n\r\n';
}
