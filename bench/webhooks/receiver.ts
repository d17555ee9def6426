// The receiver of the webhook benches: one HTTPS server a port, each with its behaviour, and a plain HTTP one to
// ask what has come. Good ones answer 200 and note when each event's request arrived.
//   node receiver.js <its settings, a JSON file>
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';

/** `ok` answers; the others are ways to be dead. */
export type Manner = 'ok' | 'hang' | 'drip' | 'stall' | 'reset' | 'throttle';

export interface ReceiverSettings {
  readonly key: string;
  readonly cert: string;
  readonly reportPort: number;
  readonly ports: readonly { readonly port: number; readonly manner: Manner }[];
}

/** The answer to `GET /` on the report port. */
export interface Report {
  /** Requests since the last `DELETE /`, to good ports and to the others. */
  readonly requests: { readonly ok: number; readonly dead: number };
  /** Of good ports: id of the event, Unix milliseconds with their fractions. */
  readonly arrivals: readonly (readonly [string, number])[];
}

const DRIP_MS = 500;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ReceiverSettings;
const requests = { ok: 0, dead: 0 };
const arrivals: [string, number][] = [];

function misbehave(manner: Manner, response: ServerResponse): void {
  requests.dead += 1;
  if (manner === 'throttle') response.writeHead(429).end();
  if (manner !== 'drip') return;
  const timer = setInterval(() => response.writeProcessing(), DRIP_MS);
  response.on('close', () => {
    clearInterval(timer);
  });
}

function listen(port: number, manner: Manner): Promise<void> {
  const server = manner === 'stall' || manner === 'reset' ? listenRaw(manner) : listenHttps(manner);
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
}

function listenRaw(manner: Manner): Server {
  return createTcpServer((socket) => {
    requests.dead += 1;
    socket.on('error', () => {});
    if (manner === 'reset') socket.resetAndDestroy();
  });
}

function listenHttps(manner: Manner) {
  const { key, cert } = settings;
  return createHttpsServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume();
    request.on('end', () => {
      if (manner === 'ok') {
        requests.ok += 1;
        response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      } else {
        misbehave(manner, response);
      }
    });
    if (manner === 'ok')
      arrivals.push([
        String(request.headers['webhook-id']),
        performance.timeOrigin + performance.now(),
      ]);
  });
}

await Promise.all(settings.ports.map(({ port, manner }) => listen(port, manner)));
createHttpServer((request, response) => {
  const report: Report = { requests, arrivals: request.url === '/arrivals' ? arrivals : [] };
  response.end(JSON.stringify(report));
  if (request.method !== 'DELETE') return;
  Object.assign(requests, { ok: 0, dead: 0 });
  arrivals.length = 0;
}).listen(settings.reportPort, '127.0.0.1', () => process.send?.({ type: 'ready' }));
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
