// The header Expect: a client that waits for 100 Continue gets it in any spelling, and other expectations get 417 at once.
import t from 'tap';
import { reply, replyWithStream } from '#gateway/routing/response.js';
import { defineOpenRoute } from '#gateway/routing/route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findCode, get, type Heard, listStatuses, speak } from '#test/support/http/raw.js';
import { startTarget } from '#test/support/http/target.js';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const BODY = '{"amount":"15000"}';
const SPELLINGS = ['100-continue', '100-Continue', '100-CONTINUE'];

const target = await startTarget({
  routes: [
    defineOpenRoute({
      method: 'GET',
      path: '/file',
      cpuUs: 100,
      summary: 'A streamed file',
      answers: { 200: null },
      handle: () => replyWithStream('text/csv', createChunks(['a', 'b'])),
    }),
    defineOpenRoute({
      method: 'POST',
      path: '/empty',
      cpuUs: 100,
      summary: 'An answer without a body',
      answers: { 204: null },
      handle: () => reply(204, ''),
    }),
  ],
});
t.teardown(() => target.server.stop(0));

function createChunks(chunks: string[]) {
  return {
    next: () => {
      const value = chunks.shift();
      const isOver = value === undefined;
      return Promise.resolve(
        isOver ? { done: true as const, value } : { done: false as const, value },
      );
    },
    return: () => Promise.resolve(),
  };
}

let counter = 0;

/** The head of a create that announces a body. */
function buildHead(expect: string, framing = `Content-Length: ${BODY.length}`, key = target.key) {
  counter += 1;
  return [
    ...['POST /v1/payments HTTP/1.1', 'Host: test', 'Content-Type: application/json'],
    ...[`Authorization: Bearer ${key}`, `Idempotency-Key: expect-${counter}`],
    ...[framing, `Expect: ${expect}`, '\r\n'],
  ].join('\r\n');
}

const isContinued = (readText: () => string): Promise<unknown> =>
  waitUntil('the client may send the body', () => readText().includes(CONTINUE));

const isAnswered = (readText: () => string): Promise<unknown> =>
  waitUntil('the answer', () => listStatuses(readText()).length === 1);

/** Sends the head, waits for the interim answer, sends the body; then the next request on the same connection. */
async function send(head: string): Promise<Heard> {
  const steps = [head, isContinued, BODY, isAnswered, get('/healthz')];
  return speak(target.port, steps, {
    until: (text) => listStatuses(text).length === 2 && text.endsWith('}'),
  });
}

for (const expect of SPELLINGS) {
  t.test(`Expect: ${expect}: one 100 Continue, then the answer to the body`, async (t) => {
    const { text, ending } = await send(buildHead(expect));
    t.equal(text.split(CONTINUE).length, 2, 'one interim answer');
    t.same(listStatuses(text), [201, 200], 'and the connection is kept');
    t.match(text, /HTTP\/1\.1 201 Created\r\nService-Request-Id: req_[^\r]+\r\nX-Content-Type/);
    t.match(text, /\r\nContent-Length: 18\r\n\r\n\{"amount":"15000"\}HTTP/);
    t.equal(target.handled(`expect-${counter}`), 1);
    t.equal(ending, 'open');
  });

  t.test(`Expect: ${expect}: errors and other forms of answers`, async (t) => {
    const refused = await send(buildHead(expect, undefined, 'wrong'));
    t.same(listStatuses(refused.text), [401, 200]);
    t.equal(findCode(refused.text), 'credential_invalid');
    const chunked = `12\r\n${BODY}\r\n0\r\n\r\n`;
    const steps = [buildHead(expect, 'Transfer-Encoding: chunked'), isContinued, chunked];
    const heard = await speak(target.port, steps);
    t.same([listStatuses(heard.text), heard.ending], [[201], 'closed']);
    t.match(heard.text, /\r\nConnection: close\r\n/);
    const lines = [`Expect: ${expect}`];
    const file = await speak(target.port, [get('/file', lines)], {
      until: (text) => text.endsWith('\r\n0\r\n\r\n'),
    });
    t.ok(file.text.startsWith(`${CONTINUE}HTTP/1.1 200 OK\r\n`));
    t.match(file.text, /\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n$/);
    const head = get('/healthz', lines).replace('GET', 'HEAD');
    const empty = get('/empty', lines).replace('GET', 'POST');
    for (const [sent, status] of [
      [head, 200],
      [empty, 204],
    ] as const) {
      const bodyless = await speak(target.port, [sent, isAnswered, get('/healthz')], {
        until: (text) => text.endsWith('}'),
      });
      t.ok(bodyless.text.startsWith(CONTINUE));
      t.same(listStatuses(bodyless.text), [status, 200]);
    }
  });
}

t.test('another expectation gets 417 as JSON, although the body never comes', async (t) => {
  for (const expect of ['a-miracle', '100-continue, a-miracle', '200-ok']) {
    for (const framing of [undefined, 'Transfer-Encoding: chunked']) {
      const { text, ending } = await speak(target.port, [buildHead(expect, framing)], {
        until: (received) => received.endsWith('}'),
      });
      t.same(
        [listStatuses(text), ending],
        [[417], 'open'],
        `${expect}: answered before a time-out`,
      );
      t.equal(findCode(text), 'expectation_unsupported');
      t.match(text, /\r\nConnection: close\r\n/);
      t.match(text, /"param":"Expect"/);
      t.equal(target.handled(`expect-${counter}`), 0);
    }
  }
  const bodyless = await speak(target.port, [get('/healthz', ['Expect: a-miracle'])], {
    until: (received) => received.endsWith('}'),
  });
  t.same(listStatuses(bodyless.text), [417]);
  t.same(target.failures, [], 'no handler threw');
});
