// The server: bugs in handlers, outages, draining, ports, the connection limit.
import t from 'tap';
import { buildApiError, reply, replyAs } from '#gateway/routing/response.js';
import type { RequestSample } from '#gateway/http/request-metrics.js';
import { startHttpServer } from '#gateway/http/server.js';
import { OverloadedError } from '#gateway/routing/store-failures.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { DeadlineError } from '#ops/runtime/deadline.js';
import { defineOpenRoute, type Route } from '#gateway/routing/route.js';
import { get, type Heard, speak, listStatuses } from '#test/support/http/raw.js';
import { createCredentialCache, type OwnTarget, startTarget } from '#test/support/http/target.js';

const GOOD = reply(200, '{}');
/** Longer than each wait of the test. */
const NEVER_MS = 2 * WAIT_MS;

function buildRoute(path: string, handle: Route['handle'], method: 'GET' | 'POST' = 'GET'): Route {
  return defineOpenRoute({ method, path, cpuUs: 100, summary: path, answers: {}, handle });
}

const buildUrl = (target: OwnTarget, path: string): string =>
  `http://127.0.0.1:${target.port}${path}`;

t.test('a handler that throws is answered 500 and the process goes on', async (test) => {
  const junk: unknown = undefined;
  const target = await startTarget({
    routes: [
      buildRoute('/throws', () => {
        throw new Error('sync secret');
      }),
      buildRoute('/rejects', () => Promise.reject(new Error('async secret'))),
      buildRoute('/junk', () => junk as typeof GOOD),
      buildRoute('/junk-body', () => ({ ...GOOD, body: junk as string })),
    ],
  });
  test.teardown(() => target.server.stop(0));
  for (const path of ['/throws', '/rejects', '/junk']) {
    const answer = await fetch(buildUrl(target, path));
    const text = await answer.text();
    test.equal(answer.status, 500, path);
    test.match(text, /"code":"internal_error"/);
    test.notMatch(text, /secret/);
    const requestId = answer.headers.get('service-request-id');
    test.match(target.failures.at(-1), { requestId, err: Error }, 'logged with its request id');
  }
  await fetch(buildUrl(target, '/junk-body')).catch(() => undefined);
  test.equal((await fetch(buildUrl(target, '/healthz'))).status, 200);
  test.equal(target.server.inFlight, 0);
});

t.test('a store failure is answered 503 and logged as a warning, once a second', async (test) => {
  const warnings: unknown[] = [];
  const log = { error: () => undefined, warn: (warning: unknown) => warnings.push(warning) };
  const target = await startTarget({
    options: { log },
    routes: [
      buildRoute('/hangs', () => Promise.reject(new DeadlineError(2_500))),
      buildRoute('/full', () => Promise.reject(new OverloadedError())),
    ],
  });
  test.teardown(() => target.server.stop(0));
  for (const [path, code] of [
    ['/hangs', 'dependency_unavailable'],
    ['/full', 'overloaded'],
  ] as const) {
    const answer = await fetch(buildUrl(target, path));
    test.equal(answer.status, 503);
    test.match(await answer.json(), { error: { code } });
  }
  test.match(warnings, [{ err: { message: /no answer within/ }, unlogged: 0 }]);
});

t.test('each answer has the contract headers and no unsafe value', async (test) => {
  const target = await startTarget({
    options: { brandHeader: 'Acme', baseUrl: 'https://pay.example' },
    routes: [
      buildRoute('/v1/busy', () => buildApiError('overloaded', { retryAfterSeconds: 7 })),
      buildRoute('/v1/late', () => buildApiError('outcome_unknown', { paymentId: 'pay_1' })),
      buildRoute('/v1/state', () => buildApiError('state_conflict', { currentStatus: 'paid' })),
      buildRoute('/v1/split', () => reply(200, '{}', [['X-Split', 'a\r\nSet-Cookie: b']])),
      buildRoute('/page', () => replyAs('text/html; charset=utf-8', 200, '<p>é</p>')),
      buildRoute('/none', () => reply(204, '')),
    ],
  });
  test.teardown(() => target.server.stop(0));
  const busy = await fetch(buildUrl(target, '/v1/busy'));
  test.equal(busy.headers.get('retry-after'), '7');
  test.equal(busy.headers.get('acme-version'), '2026-08-02');
  test.equal(busy.headers.get('uwebsockets'), null, 'the server does not name itself');
  const requestId = busy.headers.get('acme-request-id');
  test.match(requestId, /^req_[0-9a-z]{26,}$/);
  test.same(await busy.json(), {
    error: {
      type: 'unavailable',
      code: 'overloaded',
      message: 'Too busy to take this request. Nothing was done; try again.',
      param: null,
      request_id: requestId,
      doc_url: 'https://pay.example/docs/errors#overloaded',
    },
  });
  test.match(await (await fetch(buildUrl(target, '/v1/late'))).json(), {
    error: { payment_id: 'pay_1' },
  });
  test.match(await (await fetch(buildUrl(target, '/v1/state'))).json(), {
    error: { message: /\bpaid\b/ },
  });
  const split = await fetch(buildUrl(target, '/v1/split'));
  test.equal(split.headers.get('set-cookie'), null, 'no value starts another header');
  const page = await fetch(buildUrl(target, '/page'));
  test.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  test.equal(await page.text(), '<p>é</p>');
  const none = await speak(target.port, [get('/none') + get('/none') + get('/healthz')], {
    until: (text) => text.endsWith('}'),
  });
  test.same(listStatuses(none.text), [204, 204, 200]);
  test.equal(none.text.match(/content-length/gi)?.length, 1, 'of /healthz');
});

t.test('each request gives a metrics sample', async (test) => {
  const samples: RequestSample[] = [];
  const target = await startTarget({ options: { observe: (sample) => samples.push(sample) } });
  test.teardown(() => target.server.stop(0));
  await fetch(buildUrl(target, '/healthz'));
  await fetch(buildUrl(target, '/nothing/123'));
  await fetch(buildUrl(target, '/v1/payments/x'));
  test.match(samples, [
    { path: '/healthz', method: 'GET', status: 200, code: null, durationMs: Number },
    { path: '', status: 404, code: 'path_not_found' },
    { status: 404, code: 'payment_not_found' },
  ]);
});

t.test('a stop answers requests in flight and on open connections', async (test) => {
  let answer = (): void => undefined;
  const held = new Promise<typeof GOOD>((resolve) => {
    answer = () => {
      resolve(GOOD);
    };
  });
  const target = await startTarget({ routes: [buildRoute('/held', () => held)] });
  let hasStopped = false;
  const until = (text: string): boolean => text.endsWith('}');
  const isRefused = async (): Promise<boolean> =>
    listStatuses((await speak(target.port, [get('/healthz')], { until })).text).length === 0;
  const inFlight = speak(target.port, [get('/held')]);
  const idle = speak(target.port, [
    get('/healthz'),
    // Within a turn of the event loop, which still takes connections.
    () => waitUntil('new connections are refused', isRefused),
    get('/healthz'),
  ]);
  const isOpen = (): boolean => target.server.inFlight === 1 && target.server.connections === 2;
  await waitUntil('both connections are open', isOpen);
  const stopped = target.server.stop(NEVER_MS).then(() => (hasStopped = true));
  const kept = await idle;
  test.same(listStatuses(kept.text), [200, 200]);
  test.equal(kept.ending, 'closed');
  test.notOk(hasStopped, 'it waits for the request in flight');
  answer();
  const answered = await inFlight;
  test.same(listStatuses(answered.text), [200]);
  test.match(answered.text, /connection: close/i);
  test.notMatch(answered.text, /keep-alive/i);
  await waitUntil('it stops long before its deadline', () => hasStopped);
  await stopped;
  test.equal(target.server.connections, 0);
});

t.test('a stop does not wait beyond its deadline', async (test) => {
  const target = await startTarget({
    routes: [buildRoute('/never', () => new Promise(() => undefined))],
  });
  const never = speak(target.port, [get('/never')]);
  await waitUntil('the request is in flight', () => target.server.inFlight === 1);
  await target.server.stop(300);
  test.not((await never).ending, 'open');
});

t.test('an exclusive port in use fails the start and a shared port is shared', async (test) => {
  const options = {
    routes: [],
    credentials: createCredentialCache([]),
    brandHeader: 'Service',
    baseUrl: 'https://pay.example',
    trustedProxies: [],
    connectionsPerAddress: 0,
    log: { error: () => undefined, warn: () => undefined },
  };
  const one = await startHttpServer({ ...options, port: 0, isPortShared: false });
  await test.rejects(startHttpServer({ ...options, port: one.port, isPortShared: false }), {
    message: /in use/,
  });
  await test.rejects(startHttpServer({ ...options, port: one.port, isPortShared: true }), {
    message: /in use/,
  });
  await one.stop(0);
  const shared = await startHttpServer({ ...options, port: one.port, isPortShared: true });
  const second = await startHttpServer({ ...options, port: one.port, isPortShared: true });
  await test.rejects(startHttpServer({ ...options, port: one.port, isPortShared: false }), {
    message: /in use/,
  });
  await Promise.all([shared.stop(0), second.stop(0)]);
});

t.test('an address gets no more connections than the limit', async (test) => {
  const target = await startTarget({ options: { connectionsPerAddress: 20 } });
  test.teardown(() => target.server.stop(0));
  let isOver = false;
  const hasBoth = (text: string): boolean => listStatuses(text).length === 2 && text.endsWith('}');
  const holdMany = (localAddress: string, count: number) => {
    const ends: Heard[] = [];
    const all = Array.from({ length: count }, async () => {
      const heard = await speak(
        target.port,
        [
          get('/healthz'),
          () => waitUntil('all have been taken or not', () => isOver),
          get('/healthz'),
        ],
        { localAddress, until: hasBoth },
      );
      ends.push(heard);
    });
    const countAnswered = async (): Promise<number> => {
      await Promise.all(all);
      return ends.filter(({ text }) => hasBoth(text)).length;
    };
    return { ends, countAnswered };
  };
  const greedy = holdMany('127.0.0.2', 50);
  await waitUntil('the others are closed', () => greedy.ends.length === 30);
  const modest = holdMany('127.0.0.3', 10);
  await waitUntil('both are connected', () => target.server.connections === 30);
  isOver = true;
  test.equal(await greedy.countAnswered(), 20);
  test.equal(await modest.countAnswered(), 10, 'others are not shut out');
  test.equal(await holdMany('127.0.0.2', 1).countAnswered(), 1, 'and places become free again');
});
