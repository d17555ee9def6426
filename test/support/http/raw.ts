// Sends raw bytes to a server, at the pace of the test: requests that no HTTP client would send.
import { connect, type Socket } from 'node:net';
import { WAIT_MS } from '#ops/dev/launch/wait-until.js';

/**
 * A latin1 text or bytes to send; a number of milliseconds to wait, where the pace is the subject; a function that waits
 * for something, and may look at what was received; an object that closes or resets the connection.
 */
export type Step =
  | string
  | Buffer
  | number
  | ((readText: () => string) => Promise<unknown>)
  | { readonly end: 'fin' | 'reset' };

export interface Heard {
  readonly text: string;
  /** closed: by the server. reset. open: still open when the time was over. left: reset by the test. */
  readonly ending: 'closed' | 'reset' | 'open' | 'left';
}

export interface RawOptions {
  readonly host?: string;
  readonly localAddress?: string;
  /** How long to listen, where nothing more may come. By default until the connection ends, or `until` holds. */
  readonly forMs?: number;
  /** Stops listening as soon as it holds for the received text. */
  until?(text: string): boolean;
}

export async function speak(
  port: number,
  steps: readonly Step[],
  options: RawOptions = {},
): Promise<Heard> {
  const { host = '127.0.0.1', localAddress, forMs = WAIT_MS } = options;
  const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
  socket.setNoDelay(true);
  const { heard, readText } = listen(socket, options, forMs);
  await sendSteps(socket, steps, readText);
  return heard;
}

function listen(
  socket: Socket,
  options: RawOptions,
  forMs: number,
): { heard: Promise<Heard>; readText: () => string } {
  let text = '';
  let ending: Heard['ending'] = 'left';
  const heard = new Promise<Heard>((resolve) => {
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
      resolve({ text, ending });
    });
  });
  return { heard, readText: () => text };
}

async function sendSteps(
  socket: Socket,
  steps: readonly Step[],
  readText: () => string,
): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const step of steps) {
    if (socket.destroyed) return;
    if (typeof step === 'number') await new Promise((resolve) => setTimeout(resolve, step));
    else if (typeof step === 'function') await Promise.race([step(readText), closed]);
    else if (typeof step === 'string') await write(socket, Buffer.from(step, 'latin1'));
    else if (Buffer.isBuffer(step)) await write(socket, step);
    else if (step.end === 'fin') socket.end();
    else socket.resetAndDestroy();
  }
}

/** Waits until the socket has taken the bytes, or is closed. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}

/** The status codes of all responses on one connection, in order. */
export function listStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map((match) => Number(match[1]))
    .filter((status) => status >= 200);
}

/** The error code of the first error body. */
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
