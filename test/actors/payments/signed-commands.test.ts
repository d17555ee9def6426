// The process that may send each command: facts of a rail that a gateway, or a stranger with access to Redis, writes into a stream
// are not applied.
import t, { type Test } from 'tap';
import { makeId, type PaymentId } from '#actors/core/ids.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { encodeFrame } from '#store/redis/frames.js';
import {
  appendEntry,
  encodeCreate,
  encodeSettle,
  encodeSimulate,
  generatePaymentIdIn,
  openRawSender,
  type RawSender,
} from '#test/support/actors/commands.js';
import { startTestLoop } from '#test/support/actors/loop.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
await waitUntil('Redis is connected', () => isReady(redis));
t.teardown(() => {
  redis.disconnect();
});

interface Scene {
  readonly sender: RawSender;
  readonly sql: Postgres;
  readonly create: () => Promise<PaymentId>;
  readonly readStatus: (id: PaymentId) => Promise<string | undefined>;
  readonly listReasons: () => Promise<string[]>;
}

async function openScene(t: Test): Promise<Scene> {
  await redis.flushall();
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  const loop = await startTestLoop(t, {
    ...{ databaseUrl, redisUrl: server.url },
  });
  const sender = await openRawSender(t, redis);
  await loop.claim(0);
  await loop.claim(1);
  return {
    sender,
    sql,
    create: async () => {
      const id = generatePaymentIdIn(0, PARTITIONS);
      t.strictSame(await sender.send(0, [encodeCreate(id, MERCHANT, id)]), ['created']);
      return id;
    },
    readStatus: async (id) => {
      const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
      return row?.status;
    },
    listReasons: async () => {
      const rows = await sql<{ error: string }[]>`
        select error from quarantined_commands order by position_ms, position_seq, index`;
      return rows.map(({ error }) => error);
    },
  };
}

t.test('a settlement that no process of ours signed is quarantined', async (t) => {
  const { sender, create, readStatus, listReasons } = await openScene(t);
  const id = await create();
  const settle = encodeSettle(id, 'tx-1');
  const mac = Buffer.alloc(32).toString('base64url');
  const signed = encodeFrame({ name: 'rails-1', source: 'rails', keys: COMMAND_KEYS.rails }, 1, [
    { correlation: '', text: settle },
  ]);
  for (const fields of [
    ['f', ['rails-1', 'rails', '', settle].join('\u001f')],
    ['f', [mac, 'rails-1', 'rails', '', settle].join('\u001f')],
    ['f', ['', 'rails-1', 'rails', '', settle].join('\u001f')],
    signed,
  ]) {
    await appendEntry(redis, 0, fields);
  }
  t.strictSame(await sender.send(0, [settle], 'gateway'), ['internal_error']);
  t.equal(await readStatus(id), 'pending');
  t.strictSame(await listReasons(), [
    ...Array.from({ length: 4 }, () => 'the frame is not signed with a key of COMMAND_KEY_…'),
    'the process gateway may not send a command "settle"',
  ]);
  t.strictSame(await sender.send(0, [settle], 'rails'), ['done']);
  t.equal(await readStatus(id), 'paid', 'the rails process may');
});

t.test('rails and webhooks processes may not send what gateways ask for', async (t) => {
  const { sender, create, readStatus, listReasons } = await openScene(t);
  const id = await create();
  for (const source of ['rails', 'webhooks'] as const) {
    t.strictSame(await sender.send(0, [encodeSimulate(id, 'paid')], source), ['internal_error']);
  }
  t.equal(await readStatus(id), 'pending');
  t.match(await listReasons(), [/rails may not send .*simulate/, /webhooks may not send/]);
});

t.test('a correction is booked from its approval in Postgres, by nothing else', async (t) => {
  const { sender, create, readStatus, sql, listReasons } = await openScene(t);
  const [id, other] = [await create(), await create()];
  const orderId = JSON.parse(encodeSettle(id, '')) as { settlement: { orderId: string } };
  const request = JSON.stringify({
    ...{ rail: 'midtrans', rail_transaction_id: 'tx-9', order_id: orderId.settlement.orderId },
  });
  const [first, second] = ['usr_1', 'usr_2'];
  const insert = async (status: string, decidedBy: string | null) => {
    const approvalId = makeId('appr', Buffer.from(crypto.getRandomValues(new Uint8Array(16))));
    await sql`
      insert into approvals (id, kind, environment, status, payment_id, amount, currency, reference, request,
                             reason, proposed_by, decided_by, decided_at)
      values (${approvalId}, 'settlement', 'LIVE', ${status}, ${id}, 15000, 'IDR', ${approvalId}, ${request},
              'test', ${first ?? ''}, ${decidedBy}, ${decidedBy === null ? null : new Date()})`;
    return approvalId;
  };
  const send = (approvalId: typeof proposed, paymentId = id) =>
    sender.send(0, [encodeCommand({ type: 'book_approval', paymentId, approvalId })]);
  const proposed = await insert('proposed', null);
  const approved = await insert('approved', second ?? '');
  t.strictSame(await send(proposed), ['internal_error'], 'not approved');
  t.strictSame(await send(approved, other), ['internal_error'], 'of another payment');
  const missing = makeId('appr', Buffer.alloc(16, 1));
  t.strictSame(await send(missing), ['internal_error'], 'no such approval');
  t.equal(await readStatus(id), 'pending');
  t.match(await listReasons(), [/must be approved/, /has no approval/, /has no approval/]);
  t.strictSame(await send(approved), ['done']);
  t.strictSame(await send(approved), ['unchanged'], 'twice');
});
