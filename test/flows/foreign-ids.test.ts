// An id of another merchant or environment does not exist: each route with an id in its path answers it exactly like an
// unknown id, byte for byte except the request id. test/slow/flows/foreign-id-times.test.ts compares the times of the answers.
import t, { type Test } from 'tap';
import type { Route } from '#gateway/routing/route.js';
import type { Api, ApiAnswer } from '../support/api.js';
import { ask, FOREIGN_ROUTES, makeUnknownId, openForeignIds } from '../support/http/foreign-ids.js';
import { listRoutes } from '../support/routes.js';

const { victim, otherMerchant, makeObject } = await openForeignIds(t);

const withoutRequest = ({ status, text }: ApiAnswer): string =>
  `${status} ${text.replace(/req_\w+/, 'req_')}`;

function isHidden(t: Test, [found, unknown]: readonly [ApiAnswer, ApiAnswer], name: string): void {
  t.equal(found.status, 404, `${name}: ${found.text}`);
  t.equal(withoutRequest(found), withoutRequest(unknown), `${name}: as an id that nobody has`);
}

t.ok(FOREIGN_ROUTES.length > 15, `${FOREIGN_ROUTES.length} rows`);

t.test("another merchant's id is answered like an unknown id", async (t) => {
  for (const route of FOREIGN_ROUTES) {
    const name = `${route.method} ${route.path}`;
    const id = await makeObject(route);
    const [mine, theirs] =
      route.auth === 'key'
        ? [otherMerchant.test, victim.test]
        : [otherMerchant.session, victim.session];
    isHidden(t, [await ask(mine, route, id), await ask(mine, route, makeUnknownId(id))], name);
    const own = await ask(theirs, route, id);
    t.not(own.status, 404, `${name}: its own merchant finds it (${own.text})`);
  }
});

t.test('no list of another merchant shows an object of the merchant', async (t) => {
  const lists = listRoutes().filter(
    ({ auth, method, params, path }) =>
      auth !== 'none' &&
      method === 'GET' &&
      Object.keys(params).length === 0 &&
      !path.startsWith('/v1/admin/'),
  );
  t.ok(lists.length > 15, `${lists.length} lists`);
  const ids = [victim.merchantId, victim.owner.email];
  const kinds = new Map(FOREIGN_ROUTES.map((route) => [Object.keys(route.params).join(), route]));
  for (const route of kinds.values()) ids.push(await makeObject(route));
  const idsIn = ({ text }: ApiAnswer): string[] => ids.filter((id) => text.includes(id));
  const seen = new Set<string>();
  for (const route of lists) {
    const who = route.auth === 'key' ? 'test' : 'session';
    for (const accept of route.hasCsv === true ? ['application/json', 'text/csv'] : ['*/*']) {
      const [own, other] = [
        await list(victim[who], route, accept),
        await list(otherMerchant[who], route, accept),
      ];
      for (const id of idsIn(own)) seen.add(id);
      t.equal(other.status, own.status, `${route.path}: ${other.text}`);
      t.same(idsIn(other), [], `${route.path} ${accept}`);
    }
  }
  t.ok(seen.size > ids.length / 2, `its own merchant sees ${seen.size} of ${ids.length}`);
});

/** TEST, where the list needs an environment. */
function list(api: Api, { path, query }: Route, accept: string): Promise<ApiAnswer> {
  const names = Object.keys((query?.schema['properties'] ?? {}) as object);
  const wish = names.includes('environment') ? '?environment=TEST' : '';
  return api.call(path + wish, { headers: { accept } });
}

t.test('an id of the other environment is answered like an unknown id', async (t) => {
  for (const route of FOREIGN_ROUTES.filter(({ auth }) => auth === 'key')) {
    const id = await makeObject(route);
    const name = `${route.method} ${route.path}`;
    isHidden(
      t,
      [await ask(victim.live, route, id), await ask(victim.live, route, makeUnknownId(id))],
      name,
    );
  }
});
