// Postgres and Redis whose certificates a private authority has signed. Every connection of every process checks them with
// DATABASE_CA_FILE and REDIS_CA_FILE, and a fault names the server and the variable.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { type Certificates, makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { findRedis } from '#ops/dev/setup/redis-binary.mjs';
import { readConfig } from '#ops/runtime/config.js';
import { isReady, openRedis, type RedisClient } from '#store/redis/client.js';
import { openApi } from '#test/support/api.js';
import { control } from '#test/support/controlled.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant, prepareProcess, startProcess } from '#test/support/processes.js';
import { makeFolder, startPostgres, startRedis } from '#test/support/servers.js';

/** A name that leads to 127.0.0.1 and is not in the certificate. */
const OTHER_NAME = '127.1';
const PROCESSES = ['payments', 'gateway', 'rails', 'webhooks'] as const;

const folder = makeFolder(t);
const certificates = await makeCertificates();
const caFile = writeFile('ca.pem', certificates.ca);
const otherCaFile = writeFile('other-ca.pem', (await makeCertificates()).ca);
const cluster = await startPostgres(t);
const plainUrl = await cluster.createDatabase('kasir');
await requireTls(plainUrl, certificates);
const tlsPort = await findFreePort();
const redis = await startRedis(t, { settings: listTlsSettings(tlsPort) });
const merchant = await createTestMerchant(plainUrl);

const databaseUrl = `${plainUrl.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`;
const redisUrl = redis.url
  .replace('redis:', 'rediss:')
  .replace(String(redis.port), String(tlsPort));
const TRUSTED = { DATABASE_CA_FILE: caFile, REDIS_CA_FILE: caFile };
const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };

function writeFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function listTlsSettings(port: number): string[] {
  const files = { cert: certificates.cert, key: certificates.key, 'ca-cert': certificates.ca };
  return [
    `tls-port ${port}`,
    'tls-auth-clients no',
    ...Object.entries(files).map(([name, text]) => {
      return `tls-${name}-file ${writeFile(`redis-${name}.pem`, text)}`;
    }),
  ];
}

/** The server writes the files itself, so that they have the owner and the rights that it demands. */
async function requireTls(url: string, { cert, key }: Certificates): Promise<void> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql<{ folder: string }[]>`
    select current_setting('data_directory') as folder`;
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    await sql.unsafe(
      `copy (select regexp_split_to_table('${text}', '\\r?\\n')) to program 'umask 077; cat > ${row?.folder}/${name}'`,
    );
  }
  await sql`alter system set ssl = on`;
  await sql`select pg_reload_conf()`;
  await waitUntil('Postgres takes TLS', async () => {
    const [now] = await sql<{ ssl: string }[]>`select current_setting('ssl') as ssl`;
    return now?.ssl === 'on';
  });
  await sql.end({ timeout: 1 });
}

async function readRefusal(
  t: Test,
  name: (typeof PROCESSES)[number],
  given: Record<string, string>,
): Promise<string> {
  const process = await prepareProcess(t, name, { ...variables, ...given });
  await t.rejects(process.start());
  return process.lines().join('\n');
}

t.test(
  'with both files every process starts, and every connection of it is checked TLS',
  async (t) => {
    const started = [];
    for (const name of PROCESSES) {
      started.push(await startProcess(t, name, { ...variables, ...TRUSTED }));
    }
    const baseUrl = started[1]?.baseUrl ?? '';
    const api = openApi(baseUrl, merchant.testKey);
    await waitUntil('a payment is created', async () => {
      return (await api.create({ amount: '15000' })).status === 201;
    });
    const { email, password } = merchant.owner;
    const login = { method: 'POST', body: { email, password } } as const;
    const { body } = await openApi(baseUrl).call('/v1/auth/login', login);
    const csv = await openApi(baseUrl, String(body['token'])).call('/v1/merchants/me/payments', {
      headers: { accept: 'text/csv' },
    });
    t.match(csv.text, '15000', 'a file is written by a thread with a connection of its own');
    const sql = postgres(plainUrl, { max: 1 });
    t.teardown(() => sql.end({ timeout: 1 }));
    const sessions = await sql<{ name: string; ssl: boolean }[]>`
    select application_name as name, ssl from pg_stat_activity join pg_stat_ssl using (pid)
     where application_name like 'kasir %'`;
    const names = sessions.map(({ name }) => name);
    for (const wanted of [
      'commits',
      'notices',
      'gateway reads',
      'gateway files',
      'rails',
      'webhooks reads',
    ]) {
      t.ok(names.includes(`kasir ${wanted}`), wanted);
    }
    t.same(
      sessions.filter(({ ssl }) => !ssl),
      [],
    );
    const client = new Redis(redis.url);
    t.teardown(() => {
      client.disconnect();
    });
    const clients = String(await client.call('client', 'list'))
      .trim()
      .split('\n');
    const checked = clients.filter((line) => line.includes(`laddr=127.0.0.1:${tlsPort} `));
    t.equal(checked.length, clients.length - 1, 'all but that of this test');
    t.ok(checked.length > PROCESSES.length);
  },
);

t.test(
  'without the files, or with another authority, a process names server and variable',
  async (t) => {
    const { port } = new URL(plainUrl);
    for (const given of [{}, { DATABASE_CA_FILE: otherCaFile }]) {
      for (const name of PROCESSES) {
        const told = await readRefusal(t, name, given);
        t.match(told, new RegExp(`Postgres at localhost:${port}.*DATABASE_CA_FILE`));
      }
      for (const command of [['migrate'], ['dlq', 'list']]) {
        const { code, stderr } = await runKasir(
          { DATABASE_URL: databaseUrl, ...given },
          ...command,
        );
        t.equal(code, 1);
        t.match(stderr, new RegExp(`Postgres at localhost:${port}.*DATABASE_CA_FILE`));
      }
    }
    for (const name of PROCESSES) {
      const process = await prepareProcess(t, name, { ...variables, DATABASE_CA_FILE: caFile });
      void process.start().catch(() => {});
      await waitUntil(`${name} names the server`, () => {
        return new RegExp(`Redis at 127.0.0.1:${tlsPort}.*REDIS_CA_FILE`).test(
          process.lines().join('\n'),
        );
      });
      await process.stop();
    }
  },
);

t.test(
  'the certificate must have the name of the address, unless sslmode is require',
  async (t) => {
    const address = (host: string, mode: string): string =>
      `${plainUrl.replace('127.0.0.1', host)}?sslmode=${mode}`;
    const list = (url: string) =>
      runKasir({ DATABASE_URL: url, DATABASE_CA_FILE: caFile }, 'dlq', 'list');
    for (const mode of ['verify-full', 'require', 'verify-ca']) {
      t.match(await list(address('127.0.0.1', mode)), { code: 0 }, mode);
    }
    t.match(await list(address(OTHER_NAME, 'require')), { code: 0 });
    const { code, stderr } = await list(address(OTHER_NAME, 'verify-full'));
    t.equal(code, 1);
    t.match(stderr, /Postgres at 127\.1:\d+ is not accepted .*DATABASE_URL must have/);
    const other = { DATABASE_URL: address('127.0.0.1', 'require'), DATABASE_CA_FILE: otherCaFile };
    t.match(await runKasir(other, 'dlq', 'list'), { code: 1, stderr: /DATABASE_CA_FILE/ });
  },
);

t.test('a server without TLS is named', async (t) => {
  const plain = await startPostgres(t);
  const url = `${plain.url}?sslmode=verify-full`;
  const { stderr } = await runKasir({ DATABASE_URL: url }, 'dlq', 'list');
  t.match(stderr, `Postgres at 127.0.0.1:${new URL(url).port} closes connections with TLS`);
});

t.test('Sentinels and the master that they name are checked too', async (t) => {
  const port = await findFreePort();
  const file = writeFile(
    'sentinel.conf',
    [
      ...['bind 127.0.0.1', 'port 0', ...listTlsSettings(port), 'tls-replication yes'],
      `sentinel monitor main 127.0.0.1 ${tlsPort} 1`,
      `sentinel auth-pass main ${decodeURIComponent(new URL(redis.url).password)}`,
    ].join('\n'),
  );
  const sentinel = control(
    {
      name: 'sentinel',
      command: findRedis() ?? 'redis-server',
      args: [file, '--sentinel'],
      env: { PATH: process.env['PATH'] },
      ...{ output: 'pipe', hasChannel: false, stopSignal: 'SIGTERM', stopMs: 5_000 },
    },
    () => Promise.resolve(sentinel.lines().some((line) => line.includes('+monitor'))),
  );
  t.teardown(() => sentinel.stop());
  await sentinel.start();
  const { password } = new URL(redis.url);
  const url = `rediss+sentinel://:${password}@127.0.0.1:${port}/main`;
  const open = (given: string): { client: RedisClient; told: string[] } => {
    const told: string[] = [];
    const client = openRedis(given, ({ message }) => told.push(message));
    t.teardown(() => {
      client.disconnect();
    });
    return { client, told };
  };
  const { client } = open(readConfig('start', { REDIS_URL: url, REDIS_CA_FILE: caFile }).redisUrl);
  await waitUntil('the master answers', () => isReady(client));
  t.equal(await client.ping(), 'PONG');
  const { told } = open(url);
  await waitUntil('the fault is told', () => told.length > 0);
  t.match(told[0], new RegExp(`Redis at 127.0.0.1:${port} is not accepted.*REDIS_CA_FILE`));
});
