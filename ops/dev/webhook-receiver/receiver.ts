// The demo receiver, an example of a merchant's server. It reads the raw bytes, checks the signature in constant time,
// answers 401 when it is wrong, and stores a line for each delivery. Deliveries can repeat: a real receiver checks the
// event id before it acts.
//   node receiver.js <settings, a JSON file>
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { ReceiverSettings } from './settings.js';

const MAX_BODY_BYTES = 1024 * 1024;

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ReceiverSettings;
const signatureHeader = `x-${settings.brandHeader}-signature`.toLowerCase();

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const expected = Buffer.from(createHmac('sha256', settings.secret).update(body).digest('hex'));
  return [signatureHeader, `${signatureHeader}-next`].some((header) => {
    const given = Buffer.from(String(request.headers[header] ?? ''));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const body = await readBody(request);
  if (!isSigned(request, body)) {
    response.writeHead(401).end('the signature is wrong');
    return;
  }
  const line = { at: new Date().toISOString(), headers: request.headers, body: body.toString() };
  appendFileSync(settings.received, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
}

const server = createServer({ key: settings.key, cert: settings.cert }, (request, response) => {
  receive(request, response).catch(() => {
    response.destroy();
  });
});
server.listen(settings.port, '127.0.0.1', () => process.send?.({ type: 'ready' }));

process.title = 'kasir-receiver';
const end = (): never => process.exit(0);
process.on('SIGTERM', end);
process.on('SIGINT', end);
if (process.channel !== undefined) process.once('disconnect', end);
