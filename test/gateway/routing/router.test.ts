import t from 'tap';
import { reply } from '#gateway/routing/response.js';
import { defineOpenRoute, type Method, type Route } from '#gateway/routing/route.js';
import { createRouter } from '#gateway/routing/router.js';

const anyId = { parse: (text: string) => text, code: 'payment_not_found' } as const;

function buildRoute(method: Method, path: string): Route {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, anyId]));
  return defineOpenRoute({
    method,
    path,
    cpuUs: 100,
    summary: path,
    params,
    answers: {},
    handle: () => reply(200, ''),
  });
}

t.test('a route is found by its path and method', (test) => {
  const router = createRouter([
    buildRoute('POST', '/v1/payments'),
    buildRoute('GET', '/v1/payments'),
    buildRoute('GET', '/v1/payments/{id}'),
    buildRoute('POST', '/v1/payments/{id}/cancel'),
    buildRoute('GET', '/v1/payments/{id}/events/{event}'),
    buildRoute('GET', '/v1/payments/special'),
  ]);
  test.equal(router.find('/v1/payments')?.allow, 'GET, HEAD, POST');
  test.equal(router.find('/v1/payments/special')?.routes.get('GET')?.path, '/v1/payments/special');
  test.same(router.find('/v1/payments/x')?.values, ['x']);
  test.same(router.find('/v1/payments/a/events/b')?.values, ['a', 'b']);
  test.equal(router.find('/v1/payments/x/cancel')?.allow, 'POST');
  const absent = [
    '',
    '/',
    '/v1',
    '/v1/',
    '/v1/payments/',
    '//v1/payments',
    '/v1/payments/x/',
    '/v1/payments//cancel',
    '/v1/payments/x/cancel/y',
    '/v1/%70ayments',
    'v1/payments',
    '/V1/payments',
    `/${'a/'.repeat(100)}`,
  ];
  for (const path of absent) test.equal(router.find(path), undefined, path);
  test.end();
});

t.test('a duplicate or unmatchable route stops the start', (test) => {
  test.throws(
    () => createRouter([buildRoute('GET', '/a'), buildRoute('GET', '/a')]),
    /defined twice/,
  );
  test.throws(() => createRouter([buildRoute('GET', 'a')]), /must begin with/);
  test.throws(
    () => createRouter([{ ...buildRoute('GET', '/a/{b}'), params: {} }]),
    /must name its params/,
  );
  test.end();
});
