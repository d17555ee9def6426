// API logs in their stream and their table: a record that comes twice, late, from a wrong clock or from a process that
// died; other merchants' records; days.
import t from 'tap';
import { type FoundRows, type Page } from '#store/postgres/page.js';
import { type ApiLog, findLog, listLogs } from '#store/postgres/merchants/list-api-logs.js';
import { maintainDays, writeLogs } from '#store/postgres/merchants/write-api-logs.js';
import { openPostgres } from '#store/postgres/client.js';
import { RecordPage } from '#store/redis/api-log-page.js';
import { appendPage, dropPages, claimPages } from '#store/redis/api-logs.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { API_LOG_BYTES_KEY, API_LOGS_KEY } from '#store/redis/keys.js';
import type { MerchantId } from '#actors/core/ids.js';
import { makeMerchant } from '../support/accounts.js';
import { buildLateLog } from '../support/erasing/customer.js';
import { createDatabase, startRedis } from '../support/servers.js';

const redis = openRedis((await startRedis(t)).url, () => {});
const sql = openPostgres(await createDatabase(t), 'test', 2);
t.teardown(async () => {
  redis.disconnect();
  await sql.end({ timeout: 1 });
});
await waitUntilReady(redis, 10_000);
const merchantId = await makeMerchant(sql);
const otherMerchant = await makeMerchant(sql);
const PAGE: Page = { limit: 100, after: null };

const atMs = Date.now();
const rowOf = (requestId: string, change: object = {}) => ({
  ...{
    ...buildLateLog(merchantId),
    atMs,
    requestId,
    paymentId: null,
    requestBody: null,
    idempotencyKey: null,
  },
  ...change,
});
const recordOf = (requestId: string, change: object = {}) => ({
  ...rowOf(requestId),
  ...{ query: '', code: '', idempotencyKey: '', requestBody: '', responseBody: '{}' },
  ...change,
});
const listOf = (of: MerchantId, filter: object = {}, page = PAGE): Promise<FoundRows<ApiLog>> => {
  const all = {
    environment: null,
    status: null,
    method: null,
    path: null,
    requestId: null,
    subjectId: null,
  };
  return listLogs(sql, { ...all, merchantId: of, from: null, to: null, ...filter }, page);
};
const dayOf = (requestId: string) => sql<{ day: string }[]>`
  select tableoid::regclass::text as day from api_logs where request_id = ${requestId}`;

t.test('a record that comes twice is one row', async (t) => {
  await writeLogs(sql, [rowOf('req_twice')]);
  await writeLogs(sql, [rowOf('req_twice'), rowOf('req_once')]);
  t.equal((await dayOf('req_twice')).length, 1);
});

t.test('of its merchant alone', async (t) => {
  await writeLogs(sql, [rowOf('req_own', { path: '/v1/refunds' })]);
  const key = (of: MerchantId) => ({ id: 'req_own', merchantId: of });
  t.equal((await findLog(sql, key(merchantId))).length, 1);
  t.same(await findLog(sql, key(otherMerchant)), []);
  t.same((await listOf(otherMerchant)).rows, []);
  t.same((await listOf(otherMerchant, { requestId: 'req_own' })).rows, []);
  t.same((await listOf(otherMerchant, { path: '/v1/refunds' })).rows, []);
  t.equal((await listOf(merchantId, { requestId: 'req_own' })).rows.length, 1);
});

t.test('a table a day; a clock that is wrong finds the nearest', async (t) => {
  const [today] = await sql<{ name: string; yesterday: string }[]>`
    select 'api_logs_' || to_char(now() at time zone 'UTC', 'YYYYMMDD') as name,
           'api_logs_' || to_char((now() - interval '20 hours') at time zone 'UTC', 'YYYYMMDD') as yesterday`;
  const far = Date.UTC(2100, 0);
  await writeLogs(sql, [
    rowOf('req_now'),
    rowOf('req_1970', { atMs: 0 }),
    rowOf('req_2100', { atMs: far }),
  ]);
  t.same(await dayOf('req_now'), [{ day: today?.name }]);
  t.same(await dayOf('req_2100'), [{ day: today?.name }]);
  t.same(await dayOf('req_1970'), [{ day: today?.yesterday }]);
});

t.test('pages miss no row of a clock that is ahead', async (t) => {
  const ahead = await makeMerchant(sql);
  const requestIds = ['req_a', 'req_b', 'req_c'];
  const change = { merchantId: ahead, atMs: Date.UTC(2100, 0) };
  await writeLogs(
    sql,
    requestIds.map((requestId) => rowOf(requestId, change)),
  );
  const seen: string[] = [];
  let after: Page['after'] = null;
  for (let page = 0; page < requestIds.length; page += 1) {
    const { rows }: FoundRows<ApiLog> = await listOf(ahead, {}, { limit: 1, after });
    const [first] = rows;
    if (first === undefined) break;
    seen.push(first.id);
    after = first;
  }
  t.same(seen, requestIds.toReversed());
});

t.test('30 days are kept, not one more', async (t) => {
  const days = await sql<{ name: string; from: string; to: string }[]>`
    select 'api_logs_' || to_char(day, 'YYYYMMDD') as name, day || ' 00:00+00' as from,
           (day + 1) || ' 00:00+00' as to
      from unnest(array[31, 30]) as ago, lateral (
        select (now() at time zone 'UTC')::date - ago as day) d`;
  for (const { name, from, to } of days) {
    await sql.unsafe(
      `create table ${name} partition of api_logs for values from ('${from}') to ('${to}')`,
    );
  }
  await maintainDays(sql);
  const left = await sql<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'api_logs'::regclass and relname = any(${days.map(({ name }) => name)}::text[])`;
  t.same(
    left.map(({ name }) => name),
    [days[1]?.name],
  );
});

t.test('pages of a dead process are taken by another one', async (t) => {
  const page = new RecordPage();
  for (const requestId of ['req_left', 'req_2']) t.ok(page.add(recordOf(requestId)));
  t.ok(await appendPage(redis, page.bytes));
  const taken = await claimPages(redis, 'a', { entries: 2, staleMs: 60_000 });
  t.same(
    taken.map(({ records }) => records.map(({ requestId }) => requestId)),
    [['req_left', 'req_2']],
  );
  const others = await claimPages(redis, 'b', { entries: 2, staleMs: 60_000 });
  t.same(others, [], 'it may still be at work');
  const again = await claimPages(redis, 'b', { entries: 2, staleMs: 0 });
  t.same(again, taken);
  t.equal(await dropPages(redis, again), 0);
  t.same(await claimPages(redis, 'c', { entries: 2, staleMs: 0 }), []);
});

t.test('a page holds what was noted, and no record that could break it', async (t) => {
  const page = new RecordPage();
  const body = JSON.stringify({ name: 'Siti Nurhaliza 🌺', of: 'é' });
  page.add(recordOf('req_1', { responseBody: body, path: '/v1/\u001e\u001fx' }));
  t.notOk(page.add(recordOf('req_long', { query: 'x'.repeat(10_000) })));
  for (let number = 2; !page.isFull; number += 1) {
    page.add(recordOf(`req_${number}`, { requestBody: 'é'.repeat(16_000) }));
  }
  t.notOk(page.add(recordOf('req_late')), 'it is full');
  await appendPage(redis, page.bytes);
  const pages = await claimPages(redis, 'a', { entries: 1, staleMs: 60_000 });
  const records = pages.flatMap((taken) => taken.records);
  t.equal(pages[0]?.bytes, page.bytes.length);
  t.equal(records.length, page.count);
  t.match(records[0], { requestId: 'req_1', responseBody: body, path: '/v1/  x' });
  t.equal(records.at(-1)?.requestBody, 'é'.repeat(16_000));
  await dropPages(redis, pages);
  page.clear();
  t.match(page, { count: 0, isFull: false, bytes: { length: 0 } });
});

t.test('a page that does not fit is refused and no waiting page is lost', async (t) => {
  const page = new RecordPage();
  page.add(recordOf('req_1'));
  const { length } = page.bytes;
  const append = () => appendPage(redis, page.bytes, 3 * length);
  t.same([await append(), await append(), await append()], [true, true, true]);
  t.notOk(await append());
  const pages = await claimPages(redis, 'a', { entries: 10, staleMs: 60_000 });
  t.equal(pages.length, 3);
  const [first, ...others] = pages;
  if (first === undefined) throw new Error('nothing was taken');
  t.equal(await dropPages(redis, [first]), 2 * length);
  t.equal(await dropPages(redis, [first]), 2 * length, 'a page counts once');
  t.ok(await append(), 'there is room again');
  t.notOk(await append());
  const last = await claimPages(redis, 'a', { entries: 10, staleMs: 60_000 });
  t.equal(await dropPages(redis, [...others, ...last]), 0);
});

t.test('the count of what waits heals by itself', async (t) => {
  const page = new RecordPage();
  page.add(recordOf('req_1'));
  const mostBytes = 2 * page.bytes.length;
  await appendPage(redis, page.bytes, mostBytes);
  await redis.del(API_LOGS_KEY);
  t.ok(await appendPage(redis, page.bytes, mostBytes), 'the stream was lost');
  t.ok(await appendPage(redis, page.bytes, mostBytes));
  t.notOk(await appendPage(redis, page.bytes, mostBytes));
  await redis.del(API_LOG_BYTES_KEY);
  t.ok(await appendPage(redis, page.bytes, mostBytes), 'the count was lost');
  const pages = await claimPages(redis, 'a', { entries: 10, staleMs: 60_000 });
  t.ok((await dropPages(redis, pages)) < 0);
  t.ok(await appendPage(redis, page.bytes, mostBytes));
  t.ok(await appendPage(redis, page.bytes, mostBytes));
  t.notOk(await appendPage(redis, page.bytes, mostBytes), 'all was stored: it is right again');
});
