// An HTTP server in place of both rails: the test scripts replies by method and path; the last reply repeats. A request
// without a reply breaks the connection. Every request is recorded.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRails } from '#actors/rails/rail-registry.js';
import { railsAt, UNLIMITED } from './simulator.js';

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; null: no reply. */
  readonly body: object | string | Buffer | null;
}

export interface Asked {
  readonly call: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

interface Owner {
  teardown(release: () => unknown): void;
}

export async function scriptRails(t: Owner) {
  let replies: Record<string, ScriptedReply | ScriptedReply[]> = {};
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call = `${request.method} ${request.url}`;
      const body: unknown = text === '' ? null : JSON.parse(text);
      asked.push({ call, headers: request.headers, body });
      const planned = replies[call];
      const reply = Array.isArray(planned)
        ? planned.length > 1
          ? planned.shift()
          : planned[0]
        : planned;
      answer(response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  const open = openRails(railsAt({ midtransUrl: url, xenditUrl: url }), UNLIMITED);
  t.teardown(async () => {
    await open.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const [midtrans, xendit] = [...open.rails.values()];
  if (midtrans === undefined || xendit === undefined) throw new Error('a rail is missing');
  return {
    ...{ url, midtrans, xendit, asked },
    /** Replaces the script and clears the recorded requests. Paths are below the configured address. */
    say: (script: Record<string, ScriptedReply | ScriptedReply[]>): void => {
      asked.length = 0;
      replies = Object.fromEntries(
        Object.entries(script).map(([call, reply]) => [call.replace(' ', ' /base'), reply]),
      );
    },
  };
}

function answer(response: ServerResponse, reply: ScriptedReply | undefined): void {
  if (reply === undefined) {
    response.socket?.destroy();
    return;
  }
  const { status = 200, headers = {}, body } = reply;
  if (body === null) return;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}

const HUGE_BYTES = 300 * 1024;

/** Replies that leave the outcome unknown; `sound` is the reply that would not. */
export function doubts(sound: object): Record<string, ScriptedReply> {
  return {
    'a page': { headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
    'a page with 502': { status: 502, body: '<h1>Bad gateway</h1>' },
    'an error of its servers': {
      status: 500,
      body: { status_code: '500', error_code: 'SERVER_ERROR' },
    },
    'a good body under 503': { status: 503, body: sound },
    'a redirect': { status: 302, headers: { location: '/base/elsewhere' }, body: sound },
    'half a body': { body: JSON.stringify(sound).slice(0, -2) },
    'a body without end': { body: JSON.stringify({ ...sound, filler: 'x'.repeat(HUGE_BYTES) }) },
    'a list': { body: [sound] },
    nothing: { body: 'null' },
    'not found': { status: 404, body: { status_code: '404', error_code: 'DATA_NOT_FOUND' } },
    'an unknown code': {
      status: 418,
      body: { status_code: '418', error_code: 'SOMETHING_NEW', status_message: 'denied' },
    },
  };
}
