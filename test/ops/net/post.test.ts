// The guarded connector and the bounds of a POST, against real sockets: targets that are refused are never
// connected to, and what a receiver does wrong costs no more than the deadline.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import t, { type Test } from 'tap';
import { createResolver } from '#ops/net/resolver.js';
import { parseRanges } from '#ops/net/address.js';

import { createPoster, type Poster, type PostResult } from '#ops/net/post.js';
import { parseTarget, type Resolve, TargetRefusedError } from '#ops/net/target.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { GivenClock } from '#test/support/waits/given-clock.js';
import { answerWith, startReceiver, testCertificates } from '#test/support/webhooks/receiver.js';
import { HOSTILE_RECEIVERS } from './hostile-receivers.js';

const DEADLINE_MS = 1_000;
const BODY = Buffer.from('{}');
const { ca: extraCa, key, cert } = await testCertificates();
const LOOPBACK = parseRanges(['127.0.0.0/8', '::1']);

const answersOf =
  (...addresses: string[]): Resolve =>
  (_hostname, _options, answer) => {
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    answer(null, found);
  };

const resolve = createResolver();

function open(t: Test, options: Partial<Parameters<typeof createPoster>[0]> = {}): Poster {
  const patient = { deadlineMs: WAIT_MS, connectTimeoutMs: WAIT_MS };
  const poster = createPoster({ allowed: LOOPBACK, extraCa, resolve, ...patient, ...options });
  t.teardown(() => poster.close());
  return poster;
}

/** Counts who connects. */
async function startCanary(
  t: Test,
  host = '127.0.0.1',
): Promise<{ port: number; count: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await listen(t, server, host);
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

async function listen(t: Test, server: Server, host = '127.0.0.1'): Promise<number> {
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return port;
}

/** A receiver on the level of TLS: gets the first bytes, then does what it wants with the socket. */
async function startRaw(t: Test, act: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ key, cert }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      act(socket);
    });
  });
  const port = await listen(t, server);
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `https://localhost:${port}/`;
}

const failureOf = (result: PostResult): string => {
  if (result.kind === 'withheld') return 'withheld';
  return result.kind === 'failed' ? result.failure : String(result.status);
};

t.test('literal addresses in every spelling are refused without a connection', async (t) => {
  const poster = open(t, { allowed: [] });
  const canary = await startCanary(t);
  const hosts = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '127.0.0.1.'],
    ...[
      '0',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
    ],
    ...['１２７.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '169.254.169.254'],
    ...['[fd00:ec2::254]', 'metadata.google.internal', 'METADATA.google.internal.', 'metadata'],
  ];
  for (const host of hosts) {
    const result = await poster.post(`https://${host}:${canary.port}/`, {}, BODY);
    t.equal(failureOf(result), 'target_refused', host);
  }
  t.equal(canary.count(), 0);
});

t.test('names are refused unless all their addresses are allowed', async (t) => {
  const canary = await startCanary(t);
  const url = `https://receiver.test:${canary.port}/`;
  const cases = [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700::1111', '::1'],
    ['169.254.169.254'],
  ];
  for (const addresses of cases) {
    const poster = open(t, { allowed: [], resolve: answersOf(...addresses) });
    t.equal(failureOf(await poster.post(url, {}, BODY)), 'target_refused', addresses.join());
  }
  t.equal(canary.count(), 0);
});

t.test('each connection resolves and checks anew', async (t) => {
  const canary = await startCanary(t);
  let isRebound = false;
  const resolve: Resolve = (hostname, options, answer) => {
    answersOf(isRebound ? '10.0.0.1' : '127.0.0.1')(hostname, options, answer);
  };
  const poster = open(t, { resolve });
  const url = `https://receiver.test:${canary.port}/`;
  t.not(failureOf(await poster.post(url, {}, BODY)), 'target_refused');
  t.equal(canary.count(), 1);
  isRebound = true;
  t.equal(failureOf(await poster.post(url, {}, BODY)), 'target_refused');
});

t.test('redirects are not followed', async (t) => {
  const canary = await startCanary(t);
  const receiver = await startReceiver(t);
  const poster = open(t);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.behave(answerWith(status, { location: `https://localhost:${canary.port}/` }));
    t.equal(failureOf(await poster.post(receiver.url, {}, BODY)), String(status));
  }
  t.equal(canary.count(), 0);
});

t.test('a target of another form is refused', (t) => {
  const refused = [
    ...['http://example.com/', 'ftp://example.com/', 'https://', 'example.com', ''],
    ...['https://user@example.com/', 'https://u:p@example.com/', 'https://example.com:80/'],
    ...['https://example.com:22/', 'https://example.com:1023/', 'https://example.com:0/'],
    ...[
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://[fe80::1%25eth0]/',
      'https://10.0.0.1/',
    ],
  ];
  for (const url of refused) t.throws(() => parseTarget(url, []), TargetRefusedError, url);
  for (const url of [
    'https://example.com/',
    'https://example.com:8443/h?x=1',
    'https://8.8.8.8/',
  ]) {
    t.ok(parseTarget(url, []), url);
  }
  t.end();
});

t.test(
  'an answer: status, headers, the beginning of the body; bytes and headers as given',
  async (t) => {
    const receiver = await startReceiver(t);
    receiver.behave(answerWith(429, { 'retry-after': '7' }));
    const body = Buffer.from('{"name":"é\u0000"}');
    const result = await open(t).post(`${receiver.url}?x=1`, { 'X-Test': 'yes' }, body);
    t.match(result, {
      kind: 'answer',
      status: 429,
      excerpt: 'thanks',
      headers: { 'retry-after': '7' },
    });
    t.match(receiver.received[0], { path: '/hook?x=1', headers: { 'x-test': 'yes' } });
    t.ok(receiver.received[0]?.body.equals(body));
  },
);

t.test('a POST that may no longer begin once connected is withheld', async (t) => {
  const receiver = await startReceiver(t);
  const poster = open(t);
  let connections = -1;
  const result = await poster.post(receiver.url, {}, BODY, () => {
    connections = receiver.connections();
    return false;
  });
  t.strictSame(result, { kind: 'withheld' });
  t.equal(connections, 1, 'it is asked as late as can be');
  t.match(await poster.post(receiver.url, {}, BODY), { kind: 'answer', status: 200 });
  t.equal(receiver.received.length, 1, 'only what came after');
});

t.test('a certificate that nobody trusts, or of another name', async (t) => {
  const receiver = await startReceiver(t);
  const untrusting = createPoster({ allowed: LOOPBACK, resolve, deadlineMs: WAIT_MS });
  t.teardown(() => untrusting.close());
  t.equal(failureOf(await untrusting.post(receiver.url, {}, BODY)), 'tls');
  const renamed = open(t, { resolve: answersOf('127.0.0.1') });
  const url = `https://stranger.test:${receiver.port}/`;
  t.equal(failureOf(await renamed.post(url, {}, BODY)), 'tls');
  t.equal(receiver.received.length, 0, 'nothing was sent');
});

t.test('nobody there, no such name, a reset, no HTTP', async (t) => {
  const poster = open(t);
  const port = await findFreePort();
  t.equal(failureOf(await poster.post(`https://127.0.0.1:${port}/`, {}, BODY)), 'connection');
  const unknown: Resolve = (hostname, _options, answer) => {
    answer(Object.assign(new Error(hostname), { code: 'ENOTFOUND' }), []);
  };
  const lost = open(t, { resolve: unknown });
  t.equal(failureOf(await lost.post('https://nowhere.test/', {}, BODY)), 'dns');
  const resets = await startRaw(t, (socket) => socket.destroy());
  t.equal(failureOf(await poster.post(resets, {}, BODY)), 'connection');
  const garbage = await startRaw(t, (socket) => socket.end('hello\r\n\r\n'));
  t.equal(failureOf(await poster.post(garbage, {}, BODY)), 'response_invalid');
});

for (const { name, act, outcome, acts = 0 } of HOSTILE_RECEIVERS) {
  t.test(`a hostile receiver: ${name}`, async (t) => {
    const clock = new GivenClock();
    let sentBytes = 0;
    let noted = 0;
    const sockets: Socket[] = [];
    const url = await startRaw(t, (socket) => {
      sockets.push(socket);
      act(socket, () => (noted += 1));
    });
    const ended: PostResult[] = [];
    void open(t, { clock, deadlineMs: DEADLINE_MS })
      .post(url, {}, BODY)
      .then((result) => ended.push(result));
    if (acts > 0) {
      await waitUntil('the receiver acts', () => noted >= acts);
      clock.advance(DEADLINE_MS - 1);
      await nextTurn();
      t.same(ended, [], 'the deadline is not over');
      clock.advance(1);
    }
    const result = await waitUntil('the slot is free', () => ended[0]);
    t.equal(failureOf(result), outcome);
    if (result.kind === 'answer') t.ok(result.excerpt.length <= 16_384, 'little of it is kept');
    await waitUntil('the connection is closed', () => sockets.every((one) => one.destroyed));
    for (const socket of sockets) sentBytes += socket.bytesWritten;
    t.ok(sentBytes < 32 * 1024 * 1024, `${sentBytes} bytes`);
  });
}

t.test('stalled TLS is a time-out of its own', async (t) => {
  const sockets: Socket[] = [];
  const port = await listen(
    t,
    createServer((socket) => void sockets.push(socket)),
  );
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const poster = open(t, { connectTimeoutMs: 300 });
  const result = await poster.post(`https://127.0.0.1:${port}/`, {}, BODY);
  t.equal(failureOf(result), 'timeout_tls');
});
