// The folders of the rails: one for each name, with the same files in each, and variables that belong to the name.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { LIVE_RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import { openRails, RAIL_VARIABLES } from '#actors/rails/rail-registry.js';
import { isRailSecret, isRailUrl } from '#ops/runtime/environment/rail-variables.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { railsAt, UNLIMITED } from '#test/support/rails/simulator.js';

const ADAPTERS = join(findPackageRoot(), 'actors/rails/adapters');
const REQUIRED = [
  ...['adapter.ts', 'callback.ts', 'charge.ts', 'order-state.ts', 'refunds.ts'],
  ...['registration.ts', 'wire.ts'],
];
/** Of rails that pay out, and of rails that list what happened on a day. */
const OPTIONAL = ['payouts.ts', 'transactions.ts'];

t.test('each rail has one folder, and each folder is of one rail', (t) => {
  const folders = readdirSync(ADAPTERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  t.same(folders.sort(), [...LIVE_RAIL_NAMES].sort());
  t.end();
});

t.test('the folders of all rails have the same file names', (t) => {
  const dummy = join(findPackageRoot(), 'test/slow/rails/new-rail/dummy');
  for (const folder of [...LIVE_RAIL_NAMES.map((name) => join(ADAPTERS, name)), dummy]) {
    const files = readdirSync(folder).filter((file) => !OPTIONAL.includes(file));
    t.same(files.sort(), REQUIRED, folder);
  }
  t.end();
});

t.test('the variables of a rail are named after it', (t) => {
  for (const [index, name] of LIVE_RAIL_NAMES.entries()) {
    const { url = '', secrets = [] } = RAIL_VARIABLES[index] ?? {};
    t.equal(url, `RAIL_${name.toUpperCase()}_URL`);
    t.ok(isRailUrl(url));
    t.ok(secrets.length > 0);
    for (const secret of secrets) {
      t.ok(secret.startsWith(`RAIL_${name.toUpperCase()}_`), secret);
      t.ok(isRailSecret(secret), secret);
    }
  }
  t.end();
});

t.test('a rail is open with its address and all its secrets, and not without one', async (t) => {
  const config = railsAt({ midtransUrl: 'http://127.0.0.1:1', xenditUrl: 'http://127.0.0.1:1' });
  const listOpen = async (without: readonly string[]) => {
    const given = Object.entries(config.variables).filter(([name]) => !without.includes(name));
    const open = openRails({ ...config, variables: Object.fromEntries(given) }, UNLIMITED);
    await open.close();
    return [...open.rails].map(([name, rail]) => [name, rail.name]);
  };
  const all = LIVE_RAIL_NAMES.map((name) => [name, name]);
  t.strictSame(await listOpen([]), all, 'in the order of the names');
  for (const [index, { url, secrets }] of RAIL_VARIABLES.entries()) {
    for (const variable of [url, ...secrets]) {
      t.strictSame(await listOpen([variable]), all.toSpliced(index, 1), variable);
    }
  }
});
