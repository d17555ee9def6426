// Dead letters in Postgres: lists, counts, replays by id, drops, retention, and their audit log.
import t from 'tap';
import {
  deleteOldDeliveries,
  deleteUnreferenced,
} from '#store/postgres/webhooks/dead-letters/delete-deliveries.js';
import {
  countDead,
  countDeadLetters,
  listDeadLetters,
} from '#store/postgres/webhooks/dead-letters/list-dead-letters.js';
import {
  dropDeadLetters,
  replayDeadLetters,
} from '#store/postgres/webhooks/dead-letters/replay-dead-letters.js';
import { openDeadLetters } from '#test/support/webhooks/dead-letters.js';
import { countDeliveries } from '#test/support/webhooks/outbox.js';

const BY = { actor: 'operator test', address: null };
const HOUR_MS = 3_600_000;
const { sql, getOwner, createDeliveries, createDead, createWaiting, scope } =
  await openDeadLetters(t);

const PAGE = { limit: 100, after: null };

t.test('dead letters are listed by filter, latest first, page by page', async (t) => {
  const { endpointId } = getOwner();
  await createDead(2, 'payment.failed', 'http_401');
  const ids = await createDead(5);
  await createDeliveries(3);
  t.equal((await listDeadLetters(sql, scope(), PAGE)).length, 7);
  const paid = await listDeadLetters(sql, scope({ type: 'payment.paid' }), {
    limit: 3,
    after: null,
  });
  t.equal(paid.length, 4, 'one more row means that a page follows');
  t.match(paid[0], { status: 'dead', reason: 'http_405', type: 'payment.paid', attempts: 3 });
  const rest = await listDeadLetters(sql, scope({ type: 'payment.paid' }), {
    limit: 3,
    after: paid[2] ?? null,
  });
  t.strictSame(new Set([...paid.slice(0, 3), ...rest].map(({ id }) => id)), new Set(ids));
  t.equal(await countDead(sql, scope({ reason: 'http_401' })), 2);
  t.equal(await countDead(sql, scope({ environment: 'LIVE' })), 0);
  t.equal(await countDead(sql, scope({ endpointId: 'we_other' })), 0);
  t.equal(await countDead(sql, scope({ merchantId: 'mer_other' })), 0);
  t.equal(await countDead(sql, scope({ from: new Date(Date.now() + HOUR_MS) })), 0);
  t.equal(await countDead(sql, scope({ to: new Date(Date.now() - HOUR_MS) })), 0);
  const counts = await countDeadLetters(sql, scope(), 10);
  t.match(counts[0], { endpointId, type: 'payment.paid', reason: 'http_405', count: 5 });
  t.match(counts[1], { type: 'payment.failed', reason: 'http_401', count: 2 });
});

t.test(
  'replays by id take dead letters once, and none of other merchants or inactive endpoints',
  async (t) => {
    const { merchantId, endpointId } = getOwner();
    const [first = '', second = ''] = await createDead(2);
    const [pending = ''] = await createDeliveries(1);
    const ids = [first, pending, 'del_none'];
    t.strictSame([...(await replayDeadLetters(sql, { ids, merchantId: 'mer_other' }, BY))], []);
    const replayed = await replayDeadLetters(sql, { ids, merchantId }, BY);
    t.strictSame([...replayed], [{ id: first, outcome: 'replayed' }]);
    t.equal((await replayDeadLetters(sql, { ids, merchantId }, BY)).length, 0);
    await sql`update webhook_endpoints set active = false where id = ${endpointId}`;
    t.strictSame(
      [...(await replayDeadLetters(sql, { ids: [second], merchantId }, BY))],
      [{ id: second, outcome: 'inactive' }],
    );
    t.strictSame(await countDeliveries(sql), { dead: 1, pending: 2 });
    const [row] = await sql`select * from audit_log where after like ${`%${first}%`}`;
    t.match(row, { chain: merchantId, actor: BY.actor, action: 'webhooks.replay' });
    t.equal(row?.['after'], `{"replayed" : ["${first}"]}`);
  },
);

t.test('drops by id delete dead letters and write the audit log', async (t) => {
  const { merchantId } = getOwner();
  const [first = '', second = ''] = await createDead(2);
  t.strictSame(await dropDeadLetters(sql, { ids: [first], merchantId: 'mer_other' }, BY), []);
  t.strictSame(await dropDeadLetters(sql, { ids: [first, 'del_none'], merchantId }, BY), [first]);
  t.strictSame(await countDeliveries(sql), { dead: 1 });
  const rows = await sql`select * from audit_log where before like ${`%${first}%`}`;
  t.match(rows, [{ chain: merchantId, action: 'webhooks.drop', before: /"reason":"http_405"/ }]);
  t.ok(second);
});

t.test('deliveries older than 30 days are deleted in batches', async (t) => {
  const old = await createDead(5);
  const fresh = await createDead(2);
  const pending = await createWaiting(1);
  const listAttempted = async (): Promise<string[]> => {
    const rows = await sql<
      { id: string }[]
    >`select distinct delivery_id as id from webhook_attempts`;
    return rows.map(({ id }) => id).sort();
  };
  await sql`insert into webhook_attempts (delivery_id, attempt, at, duration_ms, failure)
            select id, n, now(), 5, 'http_405' from unnest(${[...old, ...fresh]}::text[]) id,
                   generate_series(1, 3) n`;
  await sql`update webhook_deliveries set created_at = now() - interval '31 days',
                   settled_at = settled_at - interval '31 days'
             where id = any(${[...old, ...pending]}::text[])`;
  await sql`update webhook_deliveries set created_at = now() - interval '31 days'
             where id = ${fresh[0] ?? ''}`;
  t.equal(await deleteOldDeliveries(sql, 3), 3);
  t.equal(await deleteOldDeliveries(sql, 3), 2);
  t.equal(await deleteOldDeliveries(sql, 3), 0);
  t.strictSame(await countDeliveries(sql), { dead: 2, pending: 1 });
  t.strictSame(
    await listAttempted(),
    [...fresh, ...pending].sort(),
    'attempts are deleted with their delivery',
  );
  await sql`update webhook_endpoints set active = false, deleted_at = now() - interval '31 days'`;
  await deleteUnreferenced(sql);
  t.equal(
    (await sql`select from webhook_endpoints`).length,
    1,
    'an endpoint with deliveries is kept',
  );
  await sql`delete from webhook_deliveries`;
  t.strictSame(await listAttempted(), []);
  await deleteUnreferenced(sql);
  t.equal((await sql`select from webhook_endpoints`).length, 0);
});
