// `kasir doctor` and what is outside of the two servers: variables, Node, the certificate, the mail server, rails; and with the
// least rights.
import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import t, { type Test } from 'tap';
import { makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { pretendNode } from '#test/ops/pretend-node.js';
import {
  deployRoles,
  type Role,
  runDeployFile,
  startRedisWithUsers,
  type User,
  USERS,
} from '#test/support/deployed.js';
import { runDoctor } from '#test/support/doctor.js';
import { runKasir } from '#test/support/kasir.js';
import { startSmtp } from '#test/support/peers/smtp.js';
import { TEST_KEYS, type Variables } from '#test/support/processes.js';
import { makeFolder, startPostgres } from '#test/support/servers.js';

const DAY_MS = 86_400_000;
/** Nothing listens there, so that these checks do not wait. */
const AWAY = { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' };
const look = (variables: Variables, ...processes: readonly string[]) =>
  runDoctor({ ...AWAY, ...variables }, ...processes);

async function listen(t: Test, server: Server | ReturnType<typeof createTcpServer>) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

interface ServedCertificate {
  readonly key: string;
  readonly cert: string;
}

const startTls = (t: Test, { key, cert }: ServedCertificate): Promise<number> =>
  listen(
    t,
    createServer({ key, cert }, (socket) => socket.on('error', () => undefined)),
  );

/** Of `localhost`, signed by itself. */
async function makeCertificate(notAfterDate: Date): Promise<ServedCertificate> {
  const notBeforeDate = new Date(Date.now() - 30 * DAY_MS);
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...{ keyType: 'ec', algorithm: 'sha256', notBeforeDate, notAfterDate },
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}

const trust = (t: Test, pem: string): Variables => {
  const file = join(makeFolder(t), 'ca.pem');
  writeFileSync(file, pem);
  return { NODE_EXTRA_CA_CERTS: file };
};

t.test('a malformed variable is a problem, and nothing else is looked at', async (t) => {
  const { code, findings } = await look({ PARTITIONS: 'many' });
  t.equal(code, 1);
  t.match(findings, [
    { check: 'node', level: 'ok' },
    { check: 'configuration', level: 'problem', says: /^PARTITIONS must be/ },
  ]);
});

t.test('variables that a process lacks, or must not have, are problems', async (t) => {
  const { code, findings, find } = await look(
    { ...TEST_KEYS, COMMAND_KEY_GATEWAY: '', RAIL_XENDIT_URL: 'http://127.0.0.1:1' },
    ...['gateway', 'rails', 'webhooks'],
  );
  t.equal(code, 1);
  t.match(find('configuration.gateway'), { says: 'COMMAND_KEY_GATEWAY is missing' });
  t.match(find('configuration.webhooks'), { level: 'ok' });
  const ofRails = findings.filter(({ check }) => check === 'configuration.rails');
  t.match(
    ofRails.map(({ says }) => says),
    [/^RAIL_XENDIT_SECRET_KEY is missing/, /^RAIL_XENDIT_CALLBACK_TOKEN is missing/],
  );
});

t.test('a Node without a build of uWebSockets.js is a problem', async (t) => {
  const { code, find } = await look({ NODE_OPTIONS: pretendNode('24.21.0', '137').join('=') });
  t.equal(code, 1);
  t.match(find('node'), { level: 'problem', says: /^Node 24\.21\.0 has no build/ });
});

t.test('an expired certificate at BASE_URL is a problem', async (t) => {
  const port = await startTls(t, await makeCertificate(new Date(Date.now() - DAY_MS)));
  const { code, find } = await look({ BASE_URL: `https://localhost:${port}` });
  t.equal(code, 1);
  t.match(find('certificate'), { level: 'problem', says: /expired on \d{4}-/, remedy: /Renew/ });
});

t.test('a certificate that ends in days is a warning', async (t) => {
  const served = await makeCertificate(new Date(Date.now() + 5 * DAY_MS));
  const port = await startTls(t, served);
  const trusted = trust(t, served.cert);
  const { find } = await look({ BASE_URL: `https://localhost:${port}`, ...trusted });
  t.match(find('certificate'), { level: 'warning', says: /is valid until/ });
});

t.test(
  'a certificate of an unknown authority is a problem, of a known one it is not',
  async (t) => {
    const served = await makeCertificates();
    const baseUrl = `https://localhost:${await startTls(t, served)}`;
    const unknown = await look({ BASE_URL: baseUrl });
    t.match(unknown.find('certificate'), { level: 'problem', says: /is not accepted/ });
    const known = await look({ BASE_URL: baseUrl, ...trust(t, served.ca) });
    t.match(known.find('certificate'), { level: 'ok' });
  },
);

t.test('a BASE_URL that does not answer was not checked', async (t) => {
  const { find } = await look({ BASE_URL: 'https://127.0.0.1:1' });
  t.match(find('certificate'), { level: 'warning', says: /not checked: .*ECONNREFUSED/ });
});

t.test('a mail server that refuses connections is a problem', async (t) => {
  const { code, find } = await look({ SMTP_URL: 'smtp://127.0.0.1:1' });
  t.equal(code, 1);
  t.match(find('mail.server'), { level: 'problem', says: /takes no mails: .*ECONNREFUSED/ });
  const smtp = await startSmtp(t);
  const sound = await look({ SMTP_URL: smtp.url });
  t.match(sound.find('mail.server'), { level: 'ok' });
  t.strictSame(smtp.messages, [], 'no mail was sent');
});

t.test('a rail that cannot be reached is a problem, and none is asked anything', async (t) => {
  const received: Buffer[] = [];
  const port = await listen(
    t,
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => received.push(bytes));
    }),
  );
  const { code, find } = await look({
    RAIL_MIDTRANS_URL: `http://127.0.0.1:${port}`,
    RAIL_XENDIT_URL: 'http://127.0.0.1:1',
  });
  t.equal(code, 1);
  t.match(find('rails.rail_midtrans_url'), { level: 'ok' });
  t.match(find('rails.rail_xendit_url'), { level: 'problem', says: /ECONNREFUSED/ });
  t.strictSame(received, []);
});

t.test('production without a rail and without mails gets two warnings', async (t) => {
  const { find } = await look({
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'redis,postgres',
    BASE_URL: 'https://127.0.0.1:1',
  });
  t.match(find('rails'), { level: 'warning', says: /no LIVE payment/ });
  t.match(find('mail.server'), { level: 'warning', remedy: /SMTP_URL/ });
});

t.test('text has a line for each check, and a remedy behind each fault', async (t) => {
  const { code, stdout, stderr } = await runKasir(AWAY, 'doctor');
  t.equal(code, 1);
  t.match(stdout, /^ok {7}node /m);
  t.match(stdout, /^PROBLEM {2}redis\.connection .*\n +→ Check REDIS_URL/m);
  t.match(stderr, /^2 problem\(s\), 0 warning\(s\)\n$/);
});

/** A process reads what it works with. */
const UNSEEN: Readonly<Record<User, readonly string[]>> = {
  gateway: ['redis.fsync', 'payments.backlog', 'webhooks.processes'],
  payments: ['redis.fsync', 'webhooks.processes'],
  rails: ['redis.fsync', 'webhooks.processes'],
  webhooks: ['redis.fsync'],
};

t.test('with the rights of a process or of a reader, an unseen thing is a warning', async (t) => {
  const postgres = await startPostgres(t);
  const roles = await deployRoles(await postgres.createDatabase('kasir'));
  await runDeployFile(roles.kasir_migration, 'postgres-rights.sql');
  const sql = openPostgres(roles.kasir_process, 'test', 1);
  await checkInstallation(sql, { partitions: 1, idKey: Buffer.alloc(32, 7) });
  await sql.end({ timeout: 1 });
  const { urlOf } = await startRedisWithUsers(t);
  const listUnseen = async (role: Role, user: User): Promise<readonly string[]> => {
    const addresses = { DATABASE_URL: roles[role], REDIS_URL: urlOf(user) };
    const { findings } = await runDoctor(addresses);
    const unseen = findings.filter(({ says }) => says.startsWith('not checked'));
    t.ok(unseen.every(({ level, says }) => level === 'warning' && /NOPERM|permission/.test(says)));
    return unseen.map(({ check }) => check);
  };
  for (const user of USERS) t.strictSame(await listUnseen('kasir_process', user), UNSEEN[user]);
  t.strictSame(await listUnseen('kasir_reading', 'payments'), [
    ...['webhooks.backlog', 'mail.failed'],
    ...UNSEEN.payments,
  ]);
});
