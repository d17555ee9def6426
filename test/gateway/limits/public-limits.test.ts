// The limits of public routes: each route has them, they bound the CPU that strangers may use, and strangers who fill them keep
// no customer out. Times are those of a given clock.
import t, { type Test } from 'tap';
import { createCheckoutPush } from '#gateway/selling/checkout/push.js';
import { createLimit, type Limit } from '#gateway/limits/limits.js';
import type { LimitKind } from '#gateway/routing/route.js';
import { SLASH_ROUTE } from '#gateway/routing/slash-route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import { Buckets } from '#store/redis/limits/buckets.js';
import { openApi } from '#test/support/api.js';
import { readMetrics, startService } from '#test/support/processes.js';
import { listRoutes } from '#test/support/routes.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

const SECOND_MS = 1_000;
const NUMBERS = {
  ...{ keyPerSecond: 0, sessionPerSecond: 0, sandboxPerMinute: 0, checkoutPerMinute: 0 },
  ...{ loginPerQuarterHour: 0, publicMsPerSecond: 50 },
};
const CLIENT_MS = 100;
const ROUTE_MS = 250;
const ALL_MS = 500;
const CLIENT_PART = 0.05;
const ROUTE_PART = 0.25;
const ALL_PART = 0.5;
const PROXY = '192.0.2.1';

interface PublicRoute {
  readonly method?: string;
  readonly path: string;
  readonly limit?: LimitKind;
  readonly cpuUs?: number;
}

const push = createCheckoutPush({
  load: () => Promise.resolve(new Map()),
  nowMs: () => Date.now(),
  log: createLog({ logLevel: 'silent' }, 'gateway'),
});
t.teardown(() => push.stop());
const routes: readonly PublicRoute[] = [
  ...listRoutes().filter(({ auth }) => auth === 'none'),
  SLASH_ROUTE,
  push.route,
];
const nameRoute = ({ method = 'WebSocket', path }: PublicRoute): string => `${method} ${path}`;

/** `ask`: whether a request of the client is let in. `page`: the path, else that of the route. */
function open(t: Test, numbers = NUMBERS) {
  const clock = new GivenClock(SECOND_MS);
  const buckets = new Buckets({
    count: () => Promise.reject(new Error('each process counts for itself')),
    monotonicMs: clock.monotonicMs,
  });
  t.teardown(() => buckets.stop());
  const limit = createLimit(numbers, buckets, {
    isTrusted: (address) => address === PROXY,
    onRefused: () => undefined,
  });
  if (limit === undefined) throw new Error('the limits are off');
  const take = (route: PublicRoute, client: string, page = route.path): ReturnType<Limit> =>
    limit(route.limit ?? 'guess', { route, path: page, address: () => client });
  const ask = (route: PublicRoute, client: string, page?: string): boolean =>
    take(route, client, page).code === null;
  /** The CPU in ms of the requests that are let in until one is refused. */
  const fill = (route: PublicRoute, client: string, page?: string): number => {
    let letIn = 0;
    while (ask(route, client, page)) letIn += 1;
    return (letIn * (route.cpuUs ?? NaN)) / 1_000;
  };
  return { clock, buckets, take, ask, fill };
}

const clients = Array.from({ length: 60 }, (_, index) => `198.51.100.${index}`);
/** Many that none of the others is. */
const makeClient = (index: number): string => `203.0.${index >> 8}.${index % 256}`;

const findRoute = (name: string): PublicRoute => {
  const route = routes.find((each) => nameRoute(each) === name);
  if (route === undefined) throw new Error(`there is no route ${name}`);
  return route;
};

t.test('each public route has a limit and names its cost', (t) => {
  t.ok(routes.length > 40, `${routes.length} routes`);
  const unlimited = routes.filter(({ limit, cpuUs = 0 }) => limit === undefined || cpuUs <= 0);
  t.same(unlimited.map(nameRoute), []);
  t.end();
});

for (const route of routes) {
  const costMs = (route.cpuUs ?? NaN) / 1_000;
  t.test(`${nameRoute(route)}: bounded for one client and for all`, (t) => {
    const one = open(t);
    const atOnceMs = one.fill(route, '198.51.100.1');
    t.ok(atOnceMs > 0 && atOnceMs <= CLIENT_MS, `one client uses ${atOnceMs} ms at once`);
    let steadyMs = 0;
    for (let step = 0; step < 100; step += 1) {
      one.clock.advance(SECOND_MS / 10);
      steadyMs += one.fill(route, '198.51.100.1');
    }
    const mostMs = 10 * SECOND_MS * CLIENT_PART;
    t.ok(steadyMs > 0.9 * mostMs - costMs && steadyMs <= mostMs + costMs, `then ${steadyMs} ms`);

    const many = open(t);
    const sumUp = (): number => clients.reduce((sum, each) => sum + many.fill(route, each), 0);
    const allAtOnceMs = sumUp();
    t.ok(allAtOnceMs > CLIENT_MS && allAtOnceMs <= ROUTE_MS, `all use ${allAtOnceMs} ms at once`);
    let allSteadyMs = 0;
    for (let step = 0; step < 40; step += 1) {
      many.clock.advance(SECOND_MS / 4);
      allSteadyMs += sumUp();
    }
    const allMs = 10 * SECOND_MS * ROUTE_PART;
    t.ok(allSteadyMs > 0.9 * allMs && allSteadyMs <= allMs + ROUTE_MS, `then ${allSteadyMs} ms`);
    t.end();
  });
}

t.test('one client has one allowance for all public routes', (t) => {
  const { fill } = open(t);
  const usedMs = routes.reduce((sum, route) => sum + fill(route, '198.51.100.1'), 0);
  t.ok(usedMs > 0.9 * CLIENT_MS && usedMs <= 1.1 * CLIENT_MS, `${usedMs} ms`);
  t.end();
});

t.test('all clients leave half a core to keys and sessions', (t) => {
  const { clock, fill } = open(t);
  const sumUp = (): number =>
    routes.reduce(
      (sum, route) => sum + clients.reduce((own, each) => own + fill(route, each), 0),
      0,
    );
  const atOnceMs = sumUp();
  t.ok(atOnceMs <= ALL_MS, `${atOnceMs} ms at once`);
  let steadyMs = 0;
  for (let step = 0; step < 10; step += 1) {
    clock.advance(SECOND_MS / 2);
    steadyMs += sumUp();
  }
  t.ok(steadyMs <= 5 * SECOND_MS * ALL_PART + ALL_MS, `then ${steadyMs} ms`);
  t.end();
});

t.test('an IPv6 network has as much as its clients, at most sixteen', (t) => {
  const { fill } = open(t);
  const route = findRoute('GET /healthz');
  t.ok(fill(route, '2001:db8:1:1::1') <= CLIENT_MS);
  t.equal(fill(route, '2001:db8:1:1::2'), 0, 'the same /64');
  t.ok(fill(route, '2001:db8:1:2::1') > 0, 'another /64');
  t.end();
});

const STATUS = findRoute('GET /checkout/{payment_id}/status');

const [FIRST_STRANGER = '', LAST_STRANGER = ''] = clients;

/** Two strangers fill what anybody may fill of the route. The last one has some of its own allowance left. */
function flood(fill: ReturnType<typeof open>['fill']): void {
  for (const client of [FIRST_STRANGER, LAST_STRANGER])
    fill(STATUS, client, '/checkout/pay_2/status');
}

t.test('strangers who fill a route do not keep out a client that used little', (t) => {
  const { ask, fill } = open(t);
  flood(fill);
  t.notOk(ask(STATUS, LAST_STRANGER), 'a stranger is refused');
  t.ok(ask(findRoute('GET /healthz'), LAST_STRANGER), 'at this route alone');
  t.ok(ask(STATUS, '192.0.2.7'), 'a client that comes now is not');
  t.end();
});

t.test('a customer at a known page passes a flood of clients that use little', (t) => {
  const { take, ask, fill } = open(t);
  const page = '/checkout/pay_1/status';
  const first = take(STATUS, '192.0.2.7', page);
  if (first.code === null) first.settle?.(200);
  flood(fill);
  let index = 0;
  while (ask(STATUS, makeClient(index), `/checkout/${index}`)) index += 1;
  t.ok(index > 10, `${index} more clients were let in`);
  t.notOk(ask(STATUS, makeClient(index + 1)), 'one that comes now is refused');
  t.ok(ask(STATUS, '192.0.2.7', page), 'the customer is not');
  const gone = take(STATUS, '192.0.2.7', page);
  if (gone.code === null) gone.settle?.(404);
  t.notOk(ask(STATUS, '192.0.2.7', page), 'a page that is gone is known no more');
  t.end();
});

t.test('the health checks of a trusted proxy pass a full route', (t) => {
  const { ask, fill } = open(t);
  const route = findRoute('GET /healthz');
  let index = 0;
  while (index < 100_000 && (fill(route, makeClient(index)) > 0 || index < 100)) index += 1;
  t.notOk(ask(route, '192.0.2.7'), 'the route is full, for clients that used little too');
  t.ok(ask(route, PROXY));
  t.end();
});

t.test('a callback that its rail signed does not count, a forged one does', (t) => {
  const { take, fill } = open(t);
  const route = findRoute('POST /v1/rails/{callback_id}/callbacks');
  const settle = (status: number): boolean => {
    const taken = take(route, '192.0.2.7');
    if (taken.code === null) taken.settle?.(status);
    return taken.code === null;
  };
  let signed = 0;
  while (signed < 5_000 && settle(200)) signed += 1;
  t.equal(signed, 5_000);
  let forged = 0;
  while (settle(401)) forged += 1;
  t.ok((forged * (route.cpuUs ?? NaN)) / 1_000 <= CLIENT_MS, `${forged} forged ones`);
  t.equal(fill(route, '192.0.2.7'), 0);
  t.end();
});

t.test('a request that is refused for its cost does not count in its kind', (t) => {
  const { take, clock } = open(t, { ...NUMBERS, sandboxPerMinute: 600, publicMsPerSecond: 1 });
  const route = findRoute('GET /v1/sandbox/payments/{payment_id}');
  for (let index = 0; index < 1_000; index += 1) take(route, '192.0.2.7');
  t.match(take(route, '192.0.2.7'), { code: 'rate_limited', details: { message: /cost/ } });
  clock.advance(SECOND_MS);
  t.match(take(route, '192.0.2.7'), { code: null, lines: /RateLimit-Remaining: 599/ });
  t.end();
});

t.test(
  'over HTTP a client is refused beyond its allowance, others and its key are not',
  async (t) => {
    const { baseUrl, merchant, gateways } = await startService(t, {
      variables: { RATE_LIMIT_PUBLIC: '10', TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    const api = openApi(baseUrl, merchant.testKey);
    const ask = (client: string, path = '/docs/search?q=refund', accept = 'application/json') =>
      api.call(path, { headers: { 'x-forwarded-for': client, accept } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask('198.51.100.1')));
    const refused = answers.find(({ status }) => status === 429);
    t.match(refused, { code: 'rate_limited', text: /Too many requests for what they cost/ });
    t.ok(Number(refused?.headers['retry-after']) > 0);
    t.ok(answers.some(({ status }) => status === 200));
    const page = await waitUntil('a page is refused', async () => {
      const answer = await ask('198.51.100.1', undefined, 'text/html');
      return answer.status === 429 ? answer : null;
    });
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    t.equal((await ask('198.51.100.2')).status, 200, 'another client');
    t.equal((await ask('198.51.100.1', '/v1/payment-methods')).status, 200, 'its key');
    const [gateway] = gateways;
    const metrics = gateway === undefined ? '' : await readMetrics(gateway);
    t.match(metrics, /^kasir_gateway_public_refusals_total\{bucket="client"\} [1-9]/m);
  },
);
