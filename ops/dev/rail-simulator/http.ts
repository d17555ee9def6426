// Requests and replies inside the simulator.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Occasion } from './faults.js';

const MAX_BODY_BYTES = 256 * 1024;

export interface SimulatorRequest {
  readonly method: string;
  /** The path below the rail's base path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON or form fields; undefined: the body could not be parsed. */
  readonly body: unknown;
}

export interface Reply {
  readonly status: number;
  /** An object is sent as JSON. */
  readonly body: object | string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an operation that faults change. */
export interface FaultView {
  readonly isLagging: boolean;
  readonly hasQrString: boolean;
  readonly isQrSpoiled: boolean;
  readonly isStuck: boolean;
}

/** A request that a rail accepted: its name for faults, and the operation. */
export interface SimulatedOperation extends Occasion {
  readonly run: (view: FaultView) => Reply | Promise<Reply>;
  readonly reject: () => Reply;
}

export async function readRequest(request: IncomingMessage): Promise<SimulatorRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? 'GET',
    path: pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent),
    query: searchParams,
    headers: request.headers,
    body: parseBody(text, request.headers['content-type'] ?? ''),
  };
}

/** Parses JSON whatever the content type is, because curl sends everything as a form. */
function parseBody(text: string, type: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isForm = type.startsWith('application/x-www-form-urlencoded');
    return isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
}

export function sendReply(response: ServerResponse, { status, body, type, headers }: Reply): void {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { 'content-type': type ?? 'application/json', ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}

/** True when the request carries this secret as its user name, without a password. */
export function hasCredential({ headers }: SimulatorRequest, secret: string): boolean {
  return headers.authorization === `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;
}
