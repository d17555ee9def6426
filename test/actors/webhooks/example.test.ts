// The receiver of examples/ and the vectors of docs/: what merchants copy must be right.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { buildSignedHeaders } from '#actors/core/webhooks/sign.js';
import { createReceiver, type WebhookEvent } from '#examples/receiver.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OTHER = 'whsec_/////////////////////////////////////////w==';

const events: WebhookEvent[] = [];
const receiver = createReceiver({ secret: SECRET, onEvent: (event) => void events.push(event) });
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
t.teardown(() => new Promise((resolve) => receiver.close(resolve)));
const { port } = receiver.address() as AddressInfo;

interface Sent {
  id?: string;
  secrets?: { current: string; next: string | null };
  ageS?: number;
  alter?: (headers: Record<string, string>) => void;
  /** In place of the body that was signed. */
  body?: Buffer;
  method?: string;
}

function send({ id = 'evt_1', ageS = 0, method = 'POST', ...given }: Sent): Promise<number> {
  const body = Buffer.from(JSON.stringify({ id, type: 'payment.paid', created_at: '', data: {} }));
  const { secrets = { current: SECRET, next: null } } = given;
  const timestampS = Math.floor(Date.now() / 1000) - ageS;
  const names = { brandHeader: 'Service', attempt: 1 };
  const headers = buildSignedHeaders(secrets, { id, timestampS, body }, names);
  given.alter?.(headers);
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(given.body ?? body);
  });
}

t.test('takes what is signed, once', async (t) => {
  t.equal(await send({}), 200);
  t.equal(await send({}), 200, 'again is fine');
  t.equal(await send({ id: 'evt_2' }), 200);
  t.strictSame(
    events.map(({ id }) => id),
    ['evt_1', 'evt_2'],
  );
});

t.test('while the secret is rotated: with the old one or the new one', async (t) => {
  t.equal(await send({ id: 'evt_3', secrets: { current: SECRET, next: OTHER } }), 200);
  t.equal(await send({ id: 'evt_4', secrets: { current: OTHER, next: SECRET } }), 200);
});

t.test('refuses what is not signed, altered, old, too large or no POST', async (t) => {
  const before = events.length;
  t.equal(await send({ secrets: { current: OTHER, next: null } }), 401);
  t.equal(await send({ body: Buffer.from('{"id":"evt_9"}') }), 401);
  t.equal(await send({ ageS: 301 }), 401);
  t.equal(await send({ alter: (headers) => (headers['webhook-timestamp'] += '0') }), 401);
  t.equal(await send({ alter: (headers) => (headers['webhook-timestamp'] = 'soon') }), 401);
  t.equal(await send({ alter: (headers) => (headers['webhook-id'] = 'evt_8') }), 401);
  t.equal(await send({ alter: (headers) => delete headers['X-Service-Signature'] }), 401);
  t.equal(await send({ alter: (headers) => delete headers['webhook-signature'] }), 401);
  t.equal(await send({ body: Buffer.alloc(300_000, 'x') }).catch(() => 413), 413);
  t.equal(await send({ method: 'PUT' }), 405);
  t.equal(events.length, before);
});

t.test('the test vectors of the documentation', (t) => {
  const text = readFileSync(join(findPackageRoot(), 'docs', 'webhooks.md'), 'utf8');
  const vector = JSON.parse(/```json\n([^`]*)```/.exec(text)?.[1] ?? '') as {
    secret: string;
    next_secret: string;
    id: string;
    timestamp: number;
    body: string;
    headers: Record<string, string>;
  };
  const { id, timestamp: timestampS, body, headers } = vector;
  const secrets = { current: vector.secret, next: vector.next_secret };
  const signed = { id, timestampS, body: Buffer.from(body) };
  t.match(buildSignedHeaders(secrets, signed, { brandHeader: 'Service', attempt: 1 }), headers);
  const standard = headers['webhook-signature']?.split(' ') ?? [];
  for (const [index, secret] of [secrets.current, secrets.next].entries()) {
    const at = new Date(timestampS * 1000);
    t.equal(new Webhook(secret).sign(id, at, body), standard[index]);
  }
  t.end();
});
