// Values at the edges of their types, in each query parameter of each list: an error that names the parameter, or an answer;
// never 500. Postgres holds fewer times and texts than a parser takes.
import type { TObject } from '@sinclair/typebox';
import t from 'tap';
import type { Route } from '#gateway/routing/route.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { listRoutes, SAMPLE_PARAMS } from '#test/support/routes.js';
import { useGateways, useService } from '#test/support/standing/service.js';

const TIMES = [
  ...['0000-01-01', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '-271821-04-20'],
  ...['9999-12-31T23:59:59-01:00', '+275760-09-13'],
  ...[
    '9999-12-31T23:59:59.999999999Z',
    '0001-01-01',
    '1969-12-31',
    '9999-12-31',
    '2026-02-29',
    '2026-08-02T24:00:00Z',
  ],
];
/** Times that Postgres or the arithmetic of a list cannot hold. */
const IMPOSSIBLE = TIMES.slice(0, 6);
const TEXTS = [
  ...['\0', 'a\0b', '%', '_', '\\', "'", '"', '{}', '[]', 'null', ' ', '\u{10ffff}', '\uffff'],
  ...['-1', '0', '1e9', '1e999', 'NaN', '9007199254740993', '9223372036854775808', '9'.repeat(400)],
  ...['true', 'A'.repeat(2_000), `pay_${'0'.repeat(26)}`, 'TEST', '..', '*:*'],
];
/** Bytes that are not UTF-8, percent-encoded. */
const BROKEN = ['%ED%A0%80', '%FF', '%C0%80', '%'];

const service = await useService();
const { sql } = await useGateways(t);
const administrator = await makePerson(sql, 'admin', null);
const owner = await makePerson(sql, 'owner', service.merchant.merchantId);
const bearers: Readonly<Record<'key' | 'owner' | 'administrator', Api>> = {
  key: openApi(service.baseUrl, service.merchant.testKey),
  owner: openApi(service.baseUrl, await beginSession(sql, owner)),
  administrator: openApi(service.baseUrl, await beginSession(sql, administrator)),
};

const routes = listRoutes().filter(({ method, path, query }) => {
  return (
    method === 'GET' && path.startsWith('/v1/') && query !== undefined && !path.endsWith('/changes')
  );
});

function chooseApi({ auth, path }: Route): Api {
  if (auth === 'session') return bearers[path.startsWith('/v1/admin/') ? 'administrator' : 'owner'];
  return bearers.key;
}

const writePath = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => SAMPLE_PARAMS[name] ?? name);

/** A parameter beside the others that the route requires. */
function listQueries({ query }: Route): { name: string; write: (encoded: string) => string }[] {
  const { properties, required = [] } = query?.schema as TObject;
  return Object.keys(properties).map((name) => {
    const others = required
      .filter((other) => other !== name)
      .map((other) => `${other}=${String((properties[other]?.['examples'] as unknown[])[0])}`);
    return { name, write: (encoded) => [...others, `${name}=${encoded}`].join('&') };
  });
}

const isTime = ({ query }: Route, name: string): boolean =>
  String((query?.schema as TObject).properties[name]?.['errorMessage']).startsWith(
    'must be a time',
  );

async function listFailing(api: Api, writeUrl: (value: string) => string): Promise<string[]> {
  const failing: string[] = [];
  for (const value of [...[...TIMES, ...TEXTS].map(encodeURIComponent), ...BROKEN]) {
    const { status } = await api.call(writeUrl(value));
    if (status >= 500) failing.push(`${status} for ${value.slice(0, 40)}`);
  }
  return failing;
}

t.test('no query parameter of a list makes an internal error', async (t) => {
  for (const route of routes) {
    const api = chooseApi(route);
    for (const { name, write } of listQueries(route)) {
      const failing = await listFailing(api, (value) => `${writePath(route.path)}?${write(value)}`);
      t.strictSame(failing, [], `${route.path} ${name}`);
    }
  }
});

t.test('a time that cannot be stored is refused by the name of its parameter', async (t) => {
  const parameters = routes.flatMap((route) =>
    listQueries(route)
      .filter(({ name }) => isTime(route, name))
      .map((query) => ({ route, ...query })),
  );
  t.ok(parameters.length >= 12, `${parameters.length} parameters`);
  for (const { route, name, write } of parameters) {
    for (const time of IMPOSSIBLE) {
      const path = `${writePath(route.path)}?${write(encodeURIComponent(time))}`;
      const { status, body } = await chooseApi(route).call(path);
      t.equal(status, 400, `${path}`);
      t.match(body, { error: { param: name } }, path);
    }
  }
});

t.test('an offset whose plus is not encoded gets a hint', async (t) => {
  const { body } = await bearers.key.call('/v1/payments?created_from=2026-08-02T10:00:00+07:00');
  t.match(body, { error: { param: 'created_from', message: /write the \+ of its offset as %2B/ } });
});

t.test('a body with a time that cannot be stored is refused by its field', async (t) => {
  const items = [{ description: 'Kopi', quantity: 1, unit_amount: '15000' }];
  const invoice = { environment: 'TEST', customer_name: 'Siti', items };
  const link = { environment: 'TEST', title: 'Kopi', amount: '15000' };
  for (const time of [...IMPOSSIBLE, '9999-12-31T23:59:59-00:01']) {
    for (const [path, body, param] of [
      ['/v1/merchants/me/invoices', { ...invoice, due_at: time }, 'due_at'],
      ['/v1/merchants/me/payment-links', { ...link, expires_at: time }, 'expires_at'],
    ] as const) {
      const answer = await bearers.owner.call(path, { method: 'POST', body });
      t.equal(answer.status, 400, `${param} ${time}`);
      t.match(answer.body, { error: { param } }, `${param} ${time}`);
    }
  }
});
