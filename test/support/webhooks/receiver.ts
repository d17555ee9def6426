// An HTTPS receiver that a test controls: it notes every request with its raw body, and answers as the test says. It can
// be stopped and started again on its port.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { type Certificates, makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { makeFolder, type TestScope } from '../servers.js';

export interface Received {
  readonly atMs: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The event's id. */
  readonly id: string;
  readonly type: string;
}

export type Behaviour = (received: Received, response: ServerResponse) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Open connections. */
  readonly connections: () => number;
  /** Sets the answer to later requests; the default is 200. */
  behave: (behaviour: Behaviour) => void;
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_received, response) =>
    void response.writeHead(status, headers).end('thanks');

/** All receivers of a test file share one CA. */
let certificates: Promise<Certificates> | null = null;
export const NAMES = ['receiver.test', 'mixed.test', 'private.test', '*.many.test'];

export function testCertificates(): Promise<Certificates> {
  certificates ??= makeCertificates(NAMES);
  return certificates;
}

const HERE = '127.0.0.1';

/** Variables that let a webhooks process trust and reach receivers on this machine. */
export async function receiverVariables(t: TestScope): Promise<Record<string, string>> {
  const file = join(makeFolder(t), 'ca.pem');
  writeFileSync(file, (await testCertificates()).ca);
  return { WEBHOOK_CA_FILE: file, WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8,::1/128' };
}

/** At another address it is called receiver.test, which a name server must know. */
export async function startReceiver(t: TestScope, address = HERE): Promise<Receiver> {
  const { key, cert } = await testCertificates();
  const port = await findFreePort();
  const received: Received[] = [];
  let behaviour = answerWith(200);
  let server: Server | null = null;
  let connections = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const { id = '', type = '' } = parse(body);
    const { headers, url: path = '' } = request;
    const one = { atMs: Date.now(), path, headers, body, id, type };
    received.push(one);
    behaviour(one, response);
  };
  const start = async (): Promise<void> => {
    const made = createServer({ key, cert }, (request, response) => {
      response.on('error', () => {});
      receive(request, response).catch(() => {
        response.destroy();
      });
    });
    made.on('connection', (socket) => {
      connections += 1;
      socket.on('close', () => (connections -= 1));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => made.listen(port, address, resolve));
    server = made;
  };
  const stop = async (): Promise<void> => {
    const running = server;
    server = null;
    if (running === null) return;
    running.closeAllConnections();
    await new Promise((resolve) => running.close(resolve));
  };
  t.teardown(stop);
  await start();
  return {
    url: `https://${address === HERE ? 'localhost' : 'receiver.test'}:${port}/hook`,
    port,
    received,
    connections: () => connections,
    behave: (next) => {
      behaviour = next;
    },
    stop,
    start,
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(body: Buffer): { id?: string; type?: string } {
  try {
    return JSON.parse(body.toString()) as { id?: string; type?: string };
  } catch {
    return {};
  }
}
