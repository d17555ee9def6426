// Receivers that send interim responses before the answer. One that sends `100 Continue` unasked fails once; from then on it
// gets its POSTs by node:http, with the same guard, deadline and limits.
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { parseRanges } from '#ops/net/address.js';
import { createPoster, type Poster, type PosterOptions } from '#ops/net/post.js';
import type { Resolve } from '#ops/net/target.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { GivenClock } from '#test/support/waits/given-clock.js';
import { waitUntilQuiet } from '#test/support/waits/quiet.js';
import {
  answerWith,
  type Behaviour,
  type Receiver,
  startReceiver,
  testCertificates,
} from '#test/support/webhooks/receiver.js';
import { HOSTILE_RECEIVERS } from './hostile-receivers.js';

const BODY = Buffer.from('{"id":"evt_1"}');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const DEADLINE_MS = 1_000;
/** Of one origin (ops/net/post.ts). */
const CONNECTIONS = 32;
const { ca: extraCa } = await testCertificates();

let address = '127.0.0.1';
const resolve: Resolve = (_hostname, _options, answer) => {
  answer(null, [{ address, family: 4 }]);
};

t.beforeEach(() => {
  address = '127.0.0.1';
});

function open(t: Test, options: Partial<PosterOptions> = {}): Poster {
  const allowed = parseRanges(['127.0.0.0/8']);
  const patient = { deadlineMs: WAIT_MS, connectTimeoutMs: WAIT_MS };
  const poster = createPoster({ allowed, extraCa, resolve, ...patient, ...options });
  t.teardown(() => poster.close());
  return poster;
}

/** Sends `interim` before the answer of `behaviour`. */
const sendBefore =
  (interim: string, behaviour: Behaviour): Behaviour =>
  (received, response) => {
    response.socket?.write(interim);
    behaviour(received, response);
  };

/** A receiver that the poster knows to send `100 Continue`. */
async function startKnown(t: Test, poster: Poster): Promise<Receiver> {
  const receiver = await startReceiver(t);
  receiver.behave(sendBefore(CONTINUE, answerWith(200)));
  t.match(await poster.post(receiver.url, {}, BODY), { failure: 'response_invalid' });
  return receiver;
}

t.test(
  '100 Continue fails one POST, and the answer behind it counts for all later ones',
  async (t) => {
    const poster = open(t);
    const receiver = await startReceiver(t);
    receiver.behave(sendBefore(CONTINUE, answerWith(200, { 'x-shop': 'yes' })));
    t.match(await poster.post(receiver.url, {}, BODY), {
      kind: 'failed',
      failure: 'response_invalid',
      error: /100 Continue/,
    });
    for (const interim of [CONTINUE, CONTINUE + CONTINUE, '']) {
      receiver.behave(sendBefore(interim, answerWith(200, { 'x-shop': 'yes' })));
      const result = await poster.post(`${receiver.url}?x=1`, { 'X-Test': 'yes' }, BODY);
      const headers = { 'x-shop': 'yes' };
      t.match(result, { kind: 'answer', status: 200, headers, excerpt: 'thanks' });
      const received = receiver.received.at(-1);
      const sent = { host: `localhost:${receiver.port}`, 'x-test': 'yes' };
      t.match(received, { path: '/hook?x=1', headers: { ...sent, 'content-length': '14' } });
      t.ok(received?.body.equals(BODY));
    }
    receiver.behave(sendBefore(CONTINUE, answerWith(429, { 'retry-after': '7' })));
    t.match(await poster.post(receiver.url, {}, BODY), {
      status: 429,
      headers: { 'retry-after': '7' },
    });
    await waitUntil('no connection is left', () => receiver.connections() === 0);
  },
);

t.test('other interim responses are skipped at once, and 101 is no answer', async (t) => {
  const poster = open(t);
  const receiver = await startReceiver(t);
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
  receiver.behave(sendBefore(`HTTP/1.1 102 Processing\r\n\r\n${hints}`, answerWith(200)));
  t.match(await poster.post(receiver.url, {}, BODY), { kind: 'answer', status: 200 });
  const upgrade =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
  const known = await startKnown(t, poster);
  known.behave(sendBefore(upgrade, answerWith(200)));
  t.match(await poster.post(known.url, {}, BODY), { failure: 'response_invalid', error: /101/ });
});

t.test('behind 100 Continue: redirects, withheld POSTs and the guard are as before', async (t) => {
  const poster = open(t);
  const receiver = await startKnown(t, poster);
  receiver.behave(sendBefore(CONTINUE, answerWith(307, { location: receiver.url })));
  t.match(await poster.post(receiver.url, {}, BODY), { kind: 'answer', status: 307 });
  const { length } = receiver.received;
  let connections = -1;
  const result = await poster.post(receiver.url, {}, BODY, () => {
    connections = receiver.connections();
    return false;
  });
  t.strictSame(result, { kind: 'withheld' });
  t.equal(connections, 1, 'it is asked once connected');
  address = '10.0.0.1';
  t.match(await poster.post(receiver.url, {}, BODY), { failure: 'target_refused' });
  t.equal(receiver.received.length, length, 'nothing was sent');
});

t.test('behind 100 Continue: an origin has no more connections than before', async (t) => {
  const poster = open(t);
  const receiver = await startKnown(t, poster);
  const held: (() => void)[] = [];
  receiver.behave((_received, response) => {
    held.push(() => response.end());
  });
  const posts = Array.from({ length: 2 * CONNECTIONS }, () => poster.post(receiver.url, {}, BODY));
  await waitUntil('connections are taken', () => held.length >= CONNECTIONS);
  await waitUntilQuiet('no further one comes', () => held.length);
  t.equal(held.length, CONNECTIONS);
  receiver.behave(sendBefore(CONTINUE, answerWith(200)));
  for (const answer of held) answer();
  for (const result of await Promise.all(posts)) t.match(result, { kind: 'answer', status: 200 });
});

for (const { name, act, outcome, acts = 0 } of HOSTILE_RECEIVERS) {
  t.test(`behind 100 Continue, a hostile receiver: ${name}`, async (t) => {
    const clock = new GivenClock();
    const poster = open(t, { clock, deadlineMs: DEADLINE_MS });
    const receiver = await startKnown(t, poster);
    const sockets: Socket[] = [];
    let noted = 0;
    receiver.behave((_received, { socket }) => {
      if (socket === null) return;
      sockets.push(socket);
      socket.write(CONTINUE);
      act(socket, () => (noted += 1));
    });
    const ended: unknown[] = [];
    void poster.post(receiver.url, {}, BODY).then((result) => ended.push(result));
    if (acts > 0) {
      await waitUntil('the receiver acts', () => noted >= acts);
      clock.advance(DEADLINE_MS - 1);
      await nextTurn();
      t.same(ended, [], 'the deadline is not over');
      clock.advance(1);
    }
    const result = await waitUntil('the POST is over', () => ended[0]);
    t.match(result, outcome === '200' ? { status: 200 } : { failure: outcome });
    await waitUntil('the connection is closed', () => sockets.every((one) => one.destroyed));
  });
}
