// Messages to operators from a process that cannot start, or that starts with parts missing.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { readConfig } from '#ops/runtime/config.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  createTestMerchant,
  prepareProcess,
  type RunningProcess,
  startProcess,
  TEST_KEYS,
  type Variables,
} from '#test/support/processes.js';
import { AS_ORDINARY_USER } from '#test/support/ordinary-user.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const EXIT_CONFIGURATION = 78;
const NAMES = ['gateway', 'payments', 'rails', 'webhooks'] as const;
type Name = (typeof NAMES)[number];

/** Plain lines and the messages of log lines; one with a stack is marked. */
const listMessages = (running: RunningProcess): string[] => [
  ...running.lines().filter((line) => !line.startsWith('{')),
  ...running
    .logs()
    .map(({ msg, err }) => `${String(msg)}${err === undefined ? '' : ' (with a stack)'}`),
];

/** The lines of a process that does not start; `last` is the last of them. */
async function listFaults(
  t: Test,
  name: Name,
  variables: Variables,
  last: RegExp,
): Promise<string[]> {
  const failing = await prepareProcess(t, name, variables);
  await t.rejects(failing.start(), name);
  t.equal(failing.ended(), EXIT_CONFIGURATION);
  await waitUntil('it has printed why', () =>
    Promise.resolve(listMessages(failing).some((line) => last.test(line))),
  );
  return listMessages(failing);
}

/** The statements that docs/operations/keys.md gives for a lost key. */
function readRemedy(keyName: string): string {
  const page = readFileSync(join(findPackageRoot(), 'docs/operations/keys.md'), 'utf8');
  const section = page.split('## Stored secrets cannot be opened')[1] ?? '';
  return (/```sql\n([^`]*)```/.exec(section)?.[1] ?? '').replaceAll('<lost key>', keyName);
}

t.test('faults of variables are one line each, and name what is allowed', async (t) => {
  for (const name of NAMES) {
    const variables = { PORT: '70000', LEASE_MS: 'long', REDIS_URL: '', DATABASE_URL: '' };
    t.match(await listFaults(t, name, variables, /DATABASE_URL/), [
      new RegExp(`^kasir ${name}: PORT must be a whole number from .*, not "70000"$`),
      new RegExp(`^kasir ${name}: LEASE_MS must be .*, not "long"$`),
      `kasir ${name}: REDIS_URL is missing`,
      `kasir ${name}: DATABASE_URL is missing`,
    ]);
  }
});

t.test('values that do not fit the installation are one line each', async (t) => {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const variables = { REDIS_URL: redis.url, DATABASE_URL: databaseUrl };
  await (await startProcess(t, 'payments', variables)).stop();
  t.match(await listFaults(t, 'payments', { ...variables, PARTITIONS: '8' }, /PARTITIONS/), [
    /^PARTITIONS is 8, but the installation has 16 partitions/,
  ]);
  const other = { ...variables, ID_KEY: Buffer.alloc(32, 8).toString('base64') };
  t.match(await listFaults(t, 'rails', other, /ID_KEY/), [/^ID_KEY has the fingerprint/]);
  const routes = { ...variables, RAIL_ROUTES: 'GIRO=midtrans' };
  t.match(await listFaults(t, 'rails', routes, /RAIL_ROUTES/), [
    'RAIL_ROUTES: there is no method GIRO',
  ]);
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const METRICS_PORT = String((taken.address() as AddressInfo).port);
  t.match(await listFaults(t, 'webhooks', { ...variables, METRICS_PORT }, /METRICS_PORT/), [
    new RegExp(`^METRICS_PORT ${METRICS_PORT} is in use`),
  ]);
});

t.test('a SECRETS_KEY that cannot open what is stored stops the start', async (t) => {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const base = { REDIS_URL: redis.url, DATABASE_URL: databaseUrl };
  const other = Buffer.alloc(32, 10).toString('base64');
  const startBoth = async (SECRETS_KEY: string): Promise<void> => {
    for (const name of ['gateway', 'webhooks'] as const) {
      await (await startProcess(t, name, { ...base, SECRETS_KEY })).stop();
    }
  };
  await startBoth(other);
  t.pass('any key opens an empty database');
  const { merchantId } = await createTestMerchant(databaseUrl);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { secretsKeys } = readConfig('start', TEST_KEYS);
  await sql`
    insert into webhook_endpoints (id, merchant_id, environment, url, secret)
    values ('we_sealed', ${merchantId}, 'TEST', 'https://example.com/',
            ${sealSecret(secretsKeys, 'we_sealed', 'word')})`;
  for (const name of ['gateway', 'webhooks'] as const) {
    t.match(await listFaults(t, name, { ...base, SECRETS_KEY: other }, /SECRETS_KEY/), [
      new RegExp(`1 of webhook_endpoints.secret need the key ${secretsKeys[0]?.name}`),
    ]);
  }
  await startBoth(`${other},${TEST_KEYS.SECRETS_KEY}`);
  await startBoth(`${TEST_KEYS.SECRETS_KEY},${other}`);
  await startBoth(TEST_KEYS.SECRETS_KEY);
  t.pass('any order of keys that holds the right one');
  await sql.unsafe(readRemedy(secretsKeys[0]?.name ?? ''));
  await startBoth(other);
  t.pass('the values of a lost key are removed');
});

t.test('production without SMTP or rails says at its start what does not work', async (t) => {
  const redis = await startRedis(t);
  const databaseUrl = await createDatabase(t);
  const production = {
    ...{ REDIS_URL: redis.url, DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
    ...{ BASE_URL: 'https://pay.example.com', ALLOW_INSECURE: 'redis,postgres' },
  };
  const { COMMAND_KEY_GATEWAY, COMMAND_KEY_RAILS } = TEST_KEYS;
  const start = async (name: Name, keys: Variables): Promise<string[]> => {
    const none = { COMMAND_KEY_GATEWAY: '', COMMAND_KEY_RAILS: '', COMMAND_KEY_WEBHOOKS: '' };
    return listMessages(await startProcess(t, name, { ...production, ...none, ...keys }));
  };
  const gateway = await start('gateway', { COMMAND_KEY_GATEWAY });
  t.match(gateway[0], /^SMTP_URL is missing: no mail is sent/);
  const rails = await start('rails', { COMMAND_KEY_RAILS });
  t.match(rails[0], /^RAIL_MIDTRANS_URL and RAIL_XENDIT_URL are missing: no LIVE payment/);
  const mailing = { COMMAND_KEY_GATEWAY, SMTP_URL: 'smtp://127.0.0.1:1' };
  t.notMatch((await start('gateway', mailing))[0], 'SMTP_URL');
});

t.test('a port that the user may not listen on is one line, with the remedy', async (t) => {
  const redis = await startRedis(t);
  const given = { REDIS_URL: redis.url, DATABASE_URL: await createDatabase(t), ...TEST_KEYS };
  for (const name of ['PORT', 'METRICS_PORT']) {
    const variables = { METRICS_PORT: '0', ...given, [name]: '80' };
    const [command = '', ...args] = [
      ...AS_ORDINARY_USER,
      process.execPath,
      join(findPackageRoot(), 'dist/bundle/gateway/main.js'),
    ];
    const env = { PATH: process.env['PATH'], ...variables };
    const { status, stdout } = spawnSync(command, args, { env, encoding: 'utf8' });
    t.equal(status, EXIT_CONFIGURATION, name);
    t.match(stdout, new RegExp(`"${name} 80 is reserved .*Set ${name} to 1024 or above`));
    t.notMatch(stdout, '"stack"');
  }
});
