// A failover by Redis Sentinel: the master is killed, then the new master steps down. Without a restart, creates are
// accepted and webhooks arrive again within seconds, and the log stays readable.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, type RunningProcess, startProcess } from '#test/support/processes.js';
import { startWatchedRedis } from '#test/support/engines/watched-redis.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

/** 2 s until Sentinels agree that the master is down, and three times the 5 s of the contract. */
const HEALS_MS = 17_000;
const PROBES = 32;
/** Per process and failover: a line when a loop fails, and one when it recovers. */
const MAX_LINES = 40;

const redis = await startWatchedRedis(t);
const databaseUrl = await createDatabase(t);
const merchant = await createTestMerchant(databaseUrl);
const receiver = await startReceiver(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
await addEndpoint(sql, merchant.merchantId, receiver.url);
const variables = {
  ...{ REDIS_URL: redis.url, DATABASE_URL: databaseUrl },
  ...(await receiverVariables(t)),
};
const [gateway, ...others]: [RunningProcess, ...RunningProcess[]] = [
  await startProcess(t, 'gateway', variables),
  await startProcess(t, 'payments', variables),
  await startProcess(t, 'webhooks', variables),
];
const processes = [gateway, ...others];
const api = openApi(gateway.baseUrl, merchant.testKey);
const answered: string[] = [];

/** Creates are accepted on all partitions, and the webhook of one payment arrives. */
async function serves(): Promise<void> {
  await waitUntil(
    'creates are accepted',
    async () => {
      const made = await Promise.all(
        Array.from({ length: PROBES }, () => api.create({ amount: '15000' })),
      );
      const taken = made.filter(({ status }) => status === 201);
      answered.push(...taken.map(({ body }) => String(body['id'])));
      return taken.length === PROBES;
    },
    HEALS_MS,
  );
  const id = answered.at(-1) ?? '';
  // A command that is sent while the roles change may be lost; its sender has got 503 or 504, and repeats it.
  await waitUntil(
    'it is paid',
    async () => {
      const { status } = await api.simulate(id, 'paid');
      return status < 500;
    },
    HEALS_MS,
  );
  await waitUntil('the webhook arrives', () =>
    receiver.received.some(({ body }) => body.toString().includes(id)),
  );
}

const countLines = (): number[] => processes.map((process) => process.lines().length);

t.test(
  'the service recovers when the master dies, and when the new master steps down',
  async (t) => {
    await serves();
    const first = await redis.findMaster();
    const before = countLines();
    await redis.servers.get(first)?.kill();
    const second = await redis.waitForOther(first);
    await serves();
    t.ok(receiver.received.length >= 2);
    countLines().forEach((lines, index) => {
      const written = lines - (before[index] ?? 0);
      t.ok(written <= MAX_LINES, `${processes[index]?.name ?? ''} wrote ${written} lines`);
    });

    // The first server returns as a replica, then they change roles: all processes are connected to a replica.
    await redis.servers.get(first)?.start();
    await redis.stepDown(second);
    await serves();
    for (const process of processes) t.ok(process.isRunning(), `${process.name} was not restarted`);
    const stored =
      await sql`select 1 from payments where id = any(split(${answered.join('\u001f')}))`;
    t.equal(stored.length, answered.length, 'every answered payment is stored');
  },
);
