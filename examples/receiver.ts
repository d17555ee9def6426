// A complete receiver of webhooks to copy. It needs Node only. Every receiver must have:
//
//   the raw body       The signature covers the bytes that were sent; parse them after the check.
//   constant time      timingSafeEqual, so that an attacker cannot guess a signature byte by byte.
//   both headers       `-Next` is sent while the secret is rotated; replace your secret at any time meanwhile.
//   a maximal age      An attacker may send a recorded request again, so reject requests older than five minutes.
//   store, then 2xx    An event that was answered with 2xx is not sent again, so store it first. Answer 500 when that fails:
//                      the event is sent again.
//   the event's id     A delivery can arrive twice; store an id once (in a database: on conflict do nothing).
//   a quick answer     Answer within 10 seconds, and do the work afterwards, from what is stored.
//
// Run it: npx tsx examples/receiver.ts 3000 whsec_…      Put no login or session check in front of it.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MAX_BODY_BYTES = 256 * 1024;
const MAX_AGE_S = 300;
const FOLDER = 'received-events';
const WORK_EVERY_MS = 1_000;

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  /** `whsec_…`, as shown when the endpoint was created. */
  readonly secret: string;
  /** Resolves when the event is stored durably. The same event may come again. */
  readonly store: (event: WebhookEvent) => Promise<void>;
}

export function createReceiver({ secret, store }: ReceiverOptions): Server {
  return createServer((request, response) => {
    receive(request, secret)
      .then(async ({ status, event }) => {
        if (event !== null) await store(event);
        answer(response, status);
      })
      .catch(() => answer(response, 500));
  });
}

/** Events in files: in `new` until their work is done, then in `done`. A shop has a table in its database. */
export class Inbox {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    for (const state of ['new', 'done']) mkdirSync(join(folder, state), { recursive: true });
  }

  async store(event: WebhookEvent): Promise<void> {
    if (existsSync(this.#path('done', event.id))) return;
    const written = join(this.#folder, randomUUID());
    await writeFile(written, JSON.stringify(event), { flush: true });
    await rename(written, this.#path('new', event.id));
  }

  /**
   * Does the work of the new events. Work that fails, or whose process ends, is done again by a later call.
   * @throws AggregateError after the other events
   */
  async work(act: (event: WebhookEvent) => unknown): Promise<void> {
    const failures: unknown[] = [];
    for (const name of await readdir(join(this.#folder, 'new'))) {
      const path = join(this.#folder, 'new', name);
      try {
        await act(JSON.parse(await readFile(path, 'utf8')) as WebhookEvent);
        await rename(path, join(this.#folder, 'done', name));
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the work of some events failed');
  }

  #path(state: 'new' | 'done', id: string): string {
    return join(this.#folder, state, `${id}.json`);
  }
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
  const inbox = new Inbox(FOLDER);
  const workLater = (): NodeJS.Timeout =>
    setTimeout(() => {
      inbox
        .work(({ id, type, data }) => console.log(id, type, data['id'], data['status']))
        .catch((error: unknown) => console.error('the work is done again', error))
        .finally(workLater);
    }, WORK_EVERY_MS);
  workLater();
  createReceiver({ secret, store: (event) => inbox.store(event) }).listen(Number(port), () => {
    console.log(`listening on http://localhost:${port}`);
  });
} else if (isRunItself) {
  console.error('usage: npx tsx examples/receiver.ts <port> <whsec_…>');
}
