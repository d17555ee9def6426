// `kasir quarantine`: a retry sends a command again once its cause is gone, and never one that nobody may have sent.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  appendEntry,
  encodeCreate,
  encodeSettle,
  encodeSimulate,
  generatePaymentIdIn,
  openRawSender,
} from '#test/support/actors/commands.js';
import { startTestLoop } from '#test/support/actors/loop.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(async () => {
  redis.disconnect();
  await sql.end({ timeout: 1 });
});
await waitUntil('Redis is connected', () => isReady(redis));
await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
const { merchantId } = await createTestMerchant(databaseUrl);
const { loop, claim } = await startTestLoop(t, {
  ...{ databaseUrl, redisUrl: server.url },
});
const sender = await openRawSender(t, redis);
for (const partition of [0, 1]) await claim(partition);

const addresses = { DATABASE_URL: databaseUrl, REDIS_URL: server.url };
const run = (...words: string[]) =>
  runKasir({ ...addresses, ...TEST_KEYS }, 'quarantine', ...words, '--json');

interface Row {
  readonly id: string;
  readonly type: string | null;
  readonly paymentId: string | null;
  readonly error: string;
}

async function list(): Promise<readonly Row[]> {
  const { code, stdout } = await run('list');
  if (code !== 0) throw new Error(`quarantine list ended with ${code}`);
  return JSON.parse(stdout) as Row[];
}

async function retry(id: string, ...options: string[]): Promise<{ code: number; outcome: string }> {
  const { code, stdout, stderr } = await run('retry', id, ...options);
  if (stdout === '') throw new Error(stderr);
  const { outcome } = JSON.parse(stdout) as { outcome: string };
  return { code, outcome };
}

async function create() {
  const id = generatePaymentIdIn(0, PARTITIONS);
  const text = encodeCreate(id, merchantId, id);
  t.strictSame(await sender.send(0, [text]), ['created']);
  return id;
}

/** The process remembers this of a payment. */
function remember(id: string, snapshot: string): void {
  loop.owned.get(0)?.snapshots.set(id, snapshot, { size: snapshot.length });
}

const damage = (id: string): void => {
  remember(id, '{');
};

async function repair(id: string): Promise<void> {
  const [row] = await sql<{ snapshot: string }[]>`select snapshot from payments where id = ${id}`;
  remember(id, row?.snapshot ?? '');
}

async function readStatus(id: string): Promise<string | undefined> {
  const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
  return row?.status;
}

t.test('a command is applied by a retry once its cause is gone', async (t) => {
  const id = await create();
  damage(id);
  await sender.send(0, [encodeSimulate(id, 'paid')]);
  const [first, ...others] = await list();
  t.match(first, { type: 'simulate', paymentId: id, error: /cannot be decoded/ });
  t.strictSame(others, []);
  const again = await retry(first?.id ?? '');
  t.match(again, { code: 1, outcome: /^quarantined again: .*cannot be decoded/ });
  const [second] = await list();
  t.not(second?.id, first?.id, 'it is quarantined at its new place only');
  await repair(id);
  t.strictSame(await retry(second?.id ?? '', '--dry-run'), { code: 0, outcome: 'would be sent' });
  t.equal(await readStatus(id), 'pending', 'a dry run changes nothing');
  t.strictSame(await retry(second?.id ?? ''), { code: 0, outcome: 'applied' });
  t.equal(await readStatus(id), 'paid');
  t.strictSame(await list(), []);
  t.strictSame(await retry(second?.id ?? ''), { code: 1, outcome: 'not quarantined' });
  const audit = await sql`
    select chain, actor, after::json ->> 'type' as type, after::json ->> 'formerly' as formerly
      from audit_log where action = 'commands.retry' and target = ${id} order by id`;
  t.match(
    [...audit],
    [first, second].map((row) => ({
      ...{ chain: merchantId, actor: /^operator /, type: 'simulate', formerly: row?.id },
    })),
  );
});

t.test('a command that its payment refuses now has no effect', async (t) => {
  const id = await create();
  damage(id);
  await sender.send(0, [encodeSimulate(id, 'failed')]);
  await repair(id);
  t.strictSame(await sender.send(0, [encodeSimulate(id, 'paid')]), ['done']);
  const [row] = await list();
  t.strictSame(await retry(row?.id ?? ''), { code: 0, outcome: 'without effect' });
  t.equal(await readStatus(id), 'paid');
});

t.test('a command that no process may have sent is never sent again', async (t) => {
  const id = await create();
  await appendEntry(redis, 0, [
    'f',
    ['', 'rails-1', 'rails', '', encodeSettle(id, 'tx-1')].join('\u001f'),
  ]);
  await sender.send(0, [encodeSettle(id, 'tx-1')], 'gateway');
  await sender.send(0, ['garbage']);
  const rows = await list();
  t.equal(rows.length, 3);
  const outcomes = await Promise.all(rows.map((row) => retry(row.id)));
  t.strictSame(outcomes.map(({ outcome }) => outcome).sort(), [
    'refused: the command cannot be read',
    'refused: the frame is not signed with a key of COMMAND_KEY_…',
    'refused: the process gateway may not send a command "settle"',
  ]);
  t.equal(await readStatus(id), 'pending');
  t.equal((await list()).length, 3, 'they stay in quarantine');
});

t.test('without the key of its process a command is not sent', async (t) => {
  const id = await create();
  damage(id);
  await sender.send(0, [encodeSimulate(id, 'paid')]);
  const row = (await list()).find(({ paymentId }) => paymentId === id);
  const words = ['quarantine', 'retry', row?.id ?? ''];
  const keyless = await runKasir(addresses, ...words);
  t.match(keyless, {
    code: 1,
    stdout: /not sent: COMMAND_KEY_GATEWAY is missing; run the command/,
  });
  const away = { ...TEST_KEYS, ...addresses, REDIS_URL: 'redis://127.0.0.1:1' };
  t.match(await runKasir(away, ...words), { code: 1, stderr: /cannot connect to Redis/ });
  t.ok(
    (await list()).some(({ id: kept }) => kept === row?.id),
    'it stays in quarantine',
  );
});

t.test('a command whose partition has no owner waits, and is applied later', async (t) => {
  const id = await create();
  damage(id);
  await sender.send(0, [encodeSimulate(id, 'paid')]);
  loop.drop([0]);
  const row = (await list()).find(({ paymentId }) => paymentId === id);
  t.strictSame(await retry(row?.id ?? '', '--wait', '0'), { code: 1, outcome: 'waits' });
  await claim(0);
  await waitUntil('it is applied', async () => (await readStatus(id)) === 'paid');
});

t.test('the audit log is sound after retries, and an id that is none is refused', async (t) => {
  t.match(await runKasir(addresses, 'audit', 'verify'), { code: 0 });
  const { code, stderr } = await run('retry', makeId('pay', Buffer.alloc(16)));
  t.equal(code, 2);
  t.match(stderr, /It must be an id of kasir quarantine list/);
});
