// Merchants copy the receiver of examples/ and rely on the vectors of docs/, so both are tested.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { RETRY_SCHEDULE_S } from '#actors/core/webhooks/retry-schedule.js';
import { buildSignedHeaders } from '#actors/core/webhooks/sign.js';
import { createReceiver, Inbox, type WebhookEvent } from '#examples/receiver.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { makeFolder } from '#test/support/servers.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const GUIDE = readFileSync(join(findPackageRoot(), 'docs', 'guides', 'webhooks.md'), 'utf8');
const OTHER = 'whsec_/////////////////////////////////////////w==';

const inbox = new Inbox(makeFolder(t));
const receiver = createReceiver({ secret: SECRET, store: (event) => inbox.store(event) });
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
t.teardown(() => new Promise((resolve) => receiver.close(resolve)));
const { port: ownPort } = receiver.address() as AddressInfo;

interface Sent {
  id?: string;
  secrets?: { current: string; next: string | null };
  ageS?: number;
  alter?: (headers: Record<string, string>) => void;
  /** Sent in place of the signed body. */
  body?: Buffer;
  method?: string;
  /** Of another receiver. */
  port?: number;
}

function send({
  id = 'evt_1',
  ageS = 0,
  method = 'POST',
  port = ownPort,
  ...given
}: Sent): Promise<number> {
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

/** Ids of the events whose work was done now. */
async function work(): Promise<string[]> {
  const ids: string[] = [];
  await inbox.work(({ id }) => ids.push(id));
  return ids.sort();
}

t.test('the receiver accepts signed events, and acts once on each id', async (t) => {
  t.equal(await send({}), 200);
  t.equal(await send({}), 200, 'a repeated delivery is accepted');
  t.equal(await send({ id: 'evt_2' }), 200);
  t.strictSame(await work(), ['evt_1', 'evt_2']);
  t.equal(await send({}), 200, 'a repeated delivery after the work is accepted');
  t.strictSame(await work(), []);
});

t.test('an event whose work fails is worked on again, and holds up no other', async (t) => {
  for (const id of ['evt_a', 'evt_b', 'evt_c']) t.equal(await send({ id }), 200);
  const act = ({ id }: WebhookEvent): void => {
    if (id === 'evt_b') throw new Error('no stock');
  };
  await t.rejects(inbox.work(act), { errors: [{ message: 'no stock' }] });
  t.strictSame(await work(), ['evt_b']);
});

t.test('an event that cannot be stored is answered with 500 and sent again', async (t) => {
  let isFull = true;
  const stored: string[] = [];
  const failing = createReceiver({
    secret: SECRET,
    store: ({ id }) => {
      if (isFull) return Promise.reject(new Error('the disk is full'));
      stored.push(id);
      return Promise.resolve();
    },
  });
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => failing.close(resolve)));
  const other = (failing.address() as AddressInfo).port;
  t.equal(await send({ id: 'evt_f', port: other }), 500);
  isFull = false;
  t.equal(await send({ id: 'evt_f', port: other }), 200);
  t.strictSame(stored, ['evt_f']);
});

t.test('the receiver accepts the old or the new secret during a rotation', async (t) => {
  t.equal(await send({ id: 'evt_3', secrets: { current: SECRET, next: OTHER } }), 200);
  t.equal(await send({ id: 'evt_4', secrets: { current: OTHER, next: SECRET } }), 200);
});

t.test(
  'the receiver rejects unsigned, altered, old and too large requests, and other methods',
  async (t) => {
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
    t.strictSame(await work(), ['evt_3', 'evt_4']);
  },
);

/** Formats seconds like the guide: 30 s, 2 min, 6 h. */
function formatStep(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
}

t.test('the guide lists the default retry schedule', (t) => {
  const steps = RETRY_SCHEDULE_S.map(formatStep);
  const schedule = `${steps.slice(0, -1).join(', ')} and ${steps.at(-1) ?? ''}`;
  t.ok(GUIDE.replaceAll('\n', ' ').includes(`after ${schedule}`), schedule);
  t.end();
});

t.test('the test vectors of the documentation match the signatures', (t) => {
  const vector = JSON.parse(/```json\n([^`]*)```/.exec(GUIDE)?.[1] ?? '') as {
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
