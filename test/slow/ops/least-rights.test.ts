// The main path of an installation whose processes have the rights of ops/deploy and no others: every operation of the API in
// TEST, a LIVE payment with callbacks of its rail, operators' commands. Neither server may have refused anything in the end.
import t from 'tap';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import { waitForService } from '#ops/dev/launch/readiness.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { tellAdminStory } from '#test/gateway/developers/openapi/admin-story.js';
import { tellDashboardStory } from '#test/gateway/developers/openapi/dashboard-story.js';
import { tellMerchantStory } from '#test/gateway/developers/openapi/merchant-story.js';
import { createRecorder } from '#test/gateway/developers/openapi/recorder.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import {
  deployRoles,
  runDeployFile,
  startRedisWithUsers,
  type User,
} from '#test/support/deployed.js';
import { runKasir } from '#test/support/kasir.js';
import {
  createTestMerchant,
  type RunningProcess,
  startProcess,
  TEST_KEYS,
  uniqueWord,
  type Variables,
} from '#test/support/processes.js';
import { openKey } from '#test/support/rails/payouts.js';
import { SIMULATED, simulateRails } from '#test/support/rails/simulator.js';
import { startPostgres } from '#test/support/servers.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const PARTITIONS = 16;
const STARTS_MS = 60_000;
/** High enough for the story, so that each request counts in Redis. */
const LIMITS = {
  RATE_LIMIT_KEY: '1000',
  RATE_LIMIT_SESSION: '1000',
  RATE_LIMIT_SANDBOX: '1000',
  RATE_LIMIT_CHECKOUT: '1000',
  RATE_LIMIT_LOGIN: '1000',
  RATE_LIMIT_PUBLIC: '1000',
  RAIL_BUDGETS: 'charge=6000;inquiry=6000',
};

const postgres = await startPostgres(t);
const databaseUrl = await postgres.createDatabase('kasir');
const urls = await deployRoles(databaseUrl);
await runDeployFile(urls.kasir_migration, 'postgres-rights.sql');
const { redis, urlOf } = await startRedisWithUsers(t);
const sql = openPostgres(databaseUrl, 'test', 2);
const operator = openRedis(redis.url, () => {});
t.teardown(async () => {
  operator.disconnect();
  await sql.end({ timeout: 1 });
});
const receiver = await startReceiver(t);
const bank = await simulateRails(t);
const common = {
  ...{ BASE_URL: 'https://pay.example', NODE_ENV: 'development', WEBHOOK_RETRY_SCHEDULE: '1' },
  ...{ PARTITIONS: String(PARTITIONS), ...LIMITS, ...(await receiverVariables(t)) },
};
const started: RunningProcess[] = [];
const start = async (user: User, variables: Variables = {}): Promise<RunningProcess> => {
  const addresses = { REDIS_URL: urlOf(user), DATABASE_URL: urls.kasir_process };
  const process = await startProcess(t, user, { ...common, ...addresses, ...variables });
  started.push(process);
  return process;
};
const kasir = (role: 'kasir_process' | 'kasir_reading', ...words: string[]) =>
  runKasir({ DATABASE_URL: urls[role], REDIS_URL: redis.url, ...TEST_KEYS }, ...words);

/** Seeds with the process role, as `npm start` does. */
const merchant = await createTestMerchant(urls.kasir_process, { isLiveEnabled: true });
await start('payments');
const gateway = await start('gateway');
await waitForService(
  { port: gateway.port, partitions: PARTITIONS, redisUrl: redis.url },
  STARTS_MS,
);
const { baseUrl } = gateway;

async function openOffice(name: string): Promise<Api> {
  const person = await makePerson(sql, 'admin', null);
  await sql`update users set email = ${`${name}@kasir.example`} where id = ${person.userId}`;
  return openApi(baseUrl, await beginSession(sql, person));
}

t.test('every operation of the API is carried out', async () => {
  const { merchantId } = merchant;
  let rails: RunningProcess | undefined;
  const recorder = createRecorder();
  const cast = {
    ...{ recorder, baseUrl, sql, merchantId },
    test: openApi(baseUrl, merchant.testKey),
    live: await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']),
    admin: await openOffice('sari'),
    second: await openOffice('dewi'),
    startRails: async () => {
      rails = await start('rails');
    },
  };
  await tellMerchantStory(cast);
  await start('webhooks');
  await tellDashboardStory({ recorder, baseUrl, sql, receiver });
  await tellAdminStory(cast);
  await rails?.stop();
});

t.test('a LIVE payment is charged, settled by a callback and refunded', async (t) => {
  const { midtransUrl } = bank.simulator;
  await start('rails', {
    RAIL_MIDTRANS_URL: midtransUrl,
    RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
    RAIL_SYNC_SCHEDULE: '60',
  });
  const idKey = Buffer.from(TEST_KEYS.ID_KEY, 'base64');
  const target = baseUrl + buildCallbackPath(idKey, 'midtrans');
  await bank.control('PUT', 'targets', { midtrans: target, xendit: null });
  const live = openApi(baseUrl, merchant.liveKey);
  const created = await waitUntil('a LIVE payment is made', async () => {
    const answer = await live.create({ amount: '25000', payment_method: 'QRIS' }, uniqueWord());
    return answer.status === 201 ? answer.body : undefined;
  });
  await bank.control('POST', 'pay', { order_id: created['order_id'] });
  await waitUntil('the callback settles it', async () => {
    return (await live.get(created['id'])).body['status'] === 'paid';
  });
  const body = { payment_id: created['id'], amount: '5000' };
  const headers = { 'idempotency-key': uniqueWord() };
  const refund = await live.call('/v1/refunds', { method: 'POST', body, headers });
  t.equal(refund.status, 201, refund.text);
  await waitUntil('the refund is made', async () => {
    const { body: found } = await live.call(`/v1/refunds/${String(refund.body['id'])}`);
    return found['status'] === 'SUCCEEDED';
  });
});

t.test('requests are in the API logs', async () => {
  await waitUntil('they are stored', async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int from api_logs`;
    return (row?.count ?? 0) > 20;
  });
});

t.test('operators work with the process role, and prove with the reading role', async (t) => {
  const proof = await kasir('kasir_reading', 'ledger', 'verify');
  // The story gives accounts money past the ledger, which the proof finds.
  t.match(proof.stdout, /the ledger has 4 fault\(s\): \d+ accounts/, proof.stderr);
  const [paid] = await sql<{ id: string }[]>`select id from payments where status = 'paid' limit 1`;
  for (const words of [
    ['ledger', 'statement', '--account', 'rail_clearing:midtrans:LIVE:IDR', '--from', '2026-01-01'],
    ['audit', 'verify'],
    ['payment', 'show', paid?.id ?? ''],
    ['partitions', 'list'],
  ]) {
    const { code, stdout, stderr } = await kasir('kasir_reading', ...words);
    t.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
  }
  for (const words of [
    ['admin', 'create', 'operator@kasir.example'],
    ['admin', 'list'],
    ['dlq', 'stats'],
    ['dlq', 'replay', '--all'],
    ['mail', 'list'],
    ['quarantine', 'list'],
    ['secrets', 'status'],
    ['secrets', 'reseal'],
    ['reconcile', '--date', '2026-01-02', '--rail', 'midtrans'],
    ['partitions', 'split', '64'],
  ]) {
    const { code, stdout, stderr } = await kasir('kasir_process', ...words);
    t.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
  }
});

t.test('neither Postgres nor Redis has refused anything', async (t) => {
  await waitUntilReady(operator, STARTS_MS);
  t.strictSame(await operator.call('ACL', 'LOG'), []);
  const refused = started.flatMap((process) =>
    process.lines().filter((line) => /permission denied|must be owner|NOPERM/.test(line)),
  );
  t.strictSame(refused, []);
});
