// The reason and the error of a POST that a receiver of another kind than HTTP 1.1 over TLS makes fail.
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { LookupAddress } from 'node:dns';
import t, { type Test } from 'tap';
import { parseRanges } from '#ops/net/address.js';
import { createPoster, type PostResult } from '#ops/net/post.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { WAIT_MS } from '#ops/dev/launch/wait-until.js';
import { testCertificates } from '#test/support/webhooks/receiver.js';

const { ca: extraCa, key, cert } = await testCertificates();
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** A receiver that writes `answer` after the first bytes. */
async function startTls(t: Test, answer: string, options: TlsOptions = {}): Promise<number> {
  const sockets = new Set<TLSSocket>();
  const server = createServer({ key, cert, ...options }, (socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(answer));
  });
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

/** Posts `times` times; returns the last result. */
async function post(t: Test, port: number, times = 1): Promise<PostResult | undefined> {
  const poster = createPoster({
    ...{ allowed: parseRanges(['127.0.0.0/8', '::1']), extraCa },
    ...{ resolve: (_hostname, _options, answer) => answer(null, [...LOOPBACK]) },
    ...{ deadlineMs: WAIT_MS, connectTimeoutMs: WAIT_MS },
  });
  t.teardown(() => poster.close());
  let result: PostResult | undefined;
  for (let time = 0; time < times; time += 1) {
    result = await poster.post(`https://receiver.test:${port}/`, {}, Buffer.from('{}'));
  }
  return result;
}

const LENGTHS = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok';

t.test('an answer with two lengths is response_invalid, also behind 100 Continue', async (t) => {
  const invalid = { kind: 'failed', failure: 'response_invalid' };
  t.match(await post(t, await startTls(t, LENGTHS)), invalid);
  const continued = await post(t, await startTls(t, CONTINUE + LENGTHS), 2);
  t.match(continued, { ...invalid, error: /content-length/i });
});

t.test('an answer 101 that was not asked for is response_invalid', async (t) => {
  const port = await startTls(
    t,
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
  );
  t.match(await post(t, port), { failure: 'response_invalid', error: /101/ });
});

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  t.test(`a receiver that demands a client certificate under ${version} is tls`, async (t) => {
    const options = { requestCert: true, rejectUnauthorized: true, ca: extraCa };
    const versions = { minVersion: version, maxVersion: version };
    const port = await startTls(t, CONTINUE, { ...options, ...versions });
    for (let round = 0; round < 20; round += 1) {
      t.match(await post(t, port), { kind: 'failed', failure: 'tls' });
    }
  });
}

t.test('a name whose addresses all refuse tells the error of the first one', async (t) => {
  const result = await post(t, await findFreePort());
  t.match(result, { failure: 'connection', error: /ECONNREFUSED: .*ECONNREFUSED 127\.0\.0\.1:/ });
});
