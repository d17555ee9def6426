// A complete receiver of webhooks to copy. It needs Node only. Every receiver must have:
//
//   the raw body       The signature covers the bytes that were sent; parse them after the check.
//   constant time      timingSafeEqual, so that an attacker cannot guess a signature byte by byte.
//   both headers       `-Next` is sent while the secret is rotated; replace your secret at any time meanwhile.
//   a maximal age      An attacker may send a recorded request again, so reject requests older than five minutes.
//   the event's id     A delivery can arrive twice; act once (in a database: insert the id in the same transaction).
//   a quick 2xx        Answer within 10 seconds, and do the work afterwards.
//
// Run it: npx tsx examples/receiver.ts 3000 whsec_…      Put no login or session check in front of it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';

const MAX_BODY_BYTES = 256 * 1024;
const MAX_AGE_S = 300;
/** Ids are kept in memory here; a real shop stores them in its database. */
const MAX_REMEMBERED = 100_000;

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  /** `whsec_…`, as shown when the endpoint was created. */
  readonly secret: string;
  /** Called once for each event. */
  readonly onEvent: (event: WebhookEvent) => void;
}

export function createReceiver({ secret, onEvent }: ReceiverOptions): Server {
  const seen = new Set<string>();
  return createServer((request, response) => {
    receive(request, secret)
      .then(({ status, event }) => {
        answer(response, status);
        if (event === null || seen.has(event.id)) return;
        seen.add(event.id);
        if (seen.size > MAX_REMEMBERED) seen.delete([...seen.keys()][0] ?? '');
        onEvent(event);
      })
      .catch(() => response.destroy());
  });
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 405 ? { allow: 'POST' } : {}).end();
}

async function receive(
  request: IncomingMessage,
  secret: string,
): Promise<{ status: number; event: WebhookEvent | null }> {
  if (request.method !== 'POST') return { status: 405, event: null };
  const body = await readRaw(request);
  if (body === null) return { status: 413, event: null };
  if (!isSigned(request, body, secret)) return { status: 401, event: null };
  return { status: 200, event: JSON.parse(body.toString('utf8')) as WebhookEvent };
}

/** null: the body is larger than any event. */
async function readRaw(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Checks the signature over the body, and that of Standard Webhooks, which also covers id and time. */
function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const header = (name: string): string => String(headers[name] ?? '');
  const ofBody = createHmac('sha256', secret).update(body).digest('hex');
  const names = ['x-service-signature', 'x-service-signature-next'];
  if (!names.some((name) => isEqual(header(name), ofBody))) return false;

  const timestamp = header('webhook-timestamp');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE_S)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${header('webhook-id')}.${timestamp}.`);
  const expected = `v1,${signed.update(body).digest('base64')}`;
  return header('webhook-signature')
    .split(' ')
    .some((given) => isEqual(given, expected));
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const isRunItself = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
const [, , port = '', secret = ''] = process.argv;
if (isRunItself && secret.startsWith('whsec_')) {
  const onEvent = ({ id, type, data }: WebhookEvent): void => {
    console.log(id, type, data['id'], data['status']);
  };
  createReceiver({ secret, onEvent }).listen(Number(port), () => {
    console.log(`listening on http://localhost:${port}`);
  });
} else if (isRunItself) {
  console.error('usage: npx tsx examples/receiver.ts <port> <whsec_…>');
}
