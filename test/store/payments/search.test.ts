// Payments become searchable once their commit has moved the position of their partition, whatever the order of commits.
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { buildSearch, listTerms } from '#actors/core/payment/search-words.js';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { followSearch } from '#store/postgres/payments/follow-search.js';
import { listPayments } from '#store/postgres/payments/list-payments.js';
import { startSearch } from '#actors/webhooks/followers/search-indexing.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeMerchant } from '#test/support/accounts.js';
import { generatePaymentId } from '#test/support/actors/batches.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { GivenClock } from '#test/support/waits/given-clock.js';
import { createDatabase } from '#test/support/servers.js';

const MOST = 100;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1, { plans: BY_KEY });
t.teardown(() => sql.end({ timeout: 1 }));
await sql`insert into partitions (id) values (0), (1)`;
await ensureCursors(sql);

const filter = {
  environment: 'TEST',
  ...{ status: null, referenceId: null, paymentMethod: null, amountFrom: null, amountTo: null },
  ...{ customer: null, createdFromMs: null, createdToMs: null },
} as const;

/** A time of its own for each test, so that no test looks at the payments of another. */
let nowMs = Date.UTC(2026, 7, 1);
const passTime = (): number => (nowMs += 60_000);

interface Stored {
  readonly of: MerchantId;
  readonly atMs: number;
  readonly reference: string;
  readonly internal?: object;
}

async function store({ of, atMs, reference, internal = {} }: Stored): Promise<string> {
  const id = generatePaymentId();
  const snapshot = JSON.stringify({
    ...{ id, environment: 'TEST', amount: '1000', reference_id: reference },
    internal: { merchantId: of, ...internal },
  });
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, reference_id, created_at, version,
                          snapshot)
    values (${id}, ${of}, 'TEST', 'pending', 1000, 'IDR', ${reference}, ${new Date(atMs)}, 1, ${snapshot})`;
  return id;
}

async function move(partition: number, ms: number, seq = 0): Promise<void> {
  await sql`update partitions set position_ms = ${ms}, position_seq = ${seq} where id = ${partition}`;
}

async function find(of: MerchantId, text: string): Promise<string[]> {
  const search = buildSearch({ merchantId: of, environment: 'TEST' }, text);
  if (typeof search === 'string') throw new Error(search);
  const page = { limit: 20, after: null };
  const { rows } = await listPayments(
    sql,
    { ...filter, merchantId: of, search: search.query },
    page,
  );
  return rows.map(
    ({ snapshot }) => (JSON.parse(snapshot) as { reference_id: string }).reference_id,
  );
}

t.test('a payment is found after its partition has moved over it, and stored once', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  await store({ of, atMs, reference: 'first' });
  await move(0, atMs - 1);
  t.equal((await followSearch(sql, MOST)).payments, 0);
  t.same(await find(of, 'first'), []);
  await move(0, atMs);
  t.same(await followSearch(sql, MOST), { payments: 1, hasMore: false, unreadable: [] });
  t.same(await find(of, 'first'), ['first']);
  await store({ of, atMs, reference: 'same-millisecond' });
  await move(0, atMs, 1);
  t.equal((await followSearch(sql, MOST)).payments, 1);
  t.same(await find(of, 'same'), ['same-millisecond']);
  t.same(await find(await makeMerchant(sql), 'first'), [], 'of another merchant');
});

t.test('a partition that is behind adds its older payments later', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  await store({ of, atMs: atMs + 5_000, reference: 'newer' });
  await move(0, atMs + 6_000);
  await followSearch(sql, MOST);
  await store({ of, atMs, reference: 'older' });
  await move(1, atMs + 1);
  t.equal((await followSearch(sql, MOST)).payments, 1);
  t.same((await find(of, 'older')).concat(await find(of, 'newer')), ['older', 'newer']);
  nowMs += 60_000;
});

t.test('a create that is deferred holds the cursor of its partition up', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  await sql`
    insert into deferred_commands (partition, position_ms, position_seq, index, payment_id, source, sender, correlation,
                                   command, deferred_at)
    values (0, ${atMs}, 0, 0, 'pay_x', 'gateway', 'gw', '', '{"type":"create"}', now())`;
  await move(0, atMs + 10);
  await followSearch(sql, MOST);
  await store({ of, atMs, reference: 'deferred' });
  await sql`delete from deferred_commands`;
  t.equal((await followSearch(sql, MOST)).payments, 1);
  t.same(await find(of, 'deferred'), ['deferred']);
});

t.test('a backlog is worked off in parts, oldest first', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  for (let n = 0; n < 5; n += 1) await store({ of, atMs: atMs + n, reference: `part ${n}` });
  for (let n = 0; n < 9; n += 1) await store({ of, atMs: atMs + 9, reference: `part at once` });
  await move(0, atMs + 10);
  const rounds: number[] = [];
  for (let hasMore = true; hasMore;) {
    const followed = await followSearch(sql, 3);
    rounds.push(followed.payments);
    ({ hasMore } = followed);
    if (rounds.length === 1) t.same(await find(of, 'part'), ['part 1', 'part 0']);
  }
  t.same(rounds, [2, 2, 1, 9], 'also many of one millisecond');
  t.equal((await find(of, 'part')).length, 14);
});

t.test('a look without new positions writes nothing', async (t) => {
  await sql`begin`;
  t.equal((await followSearch(sql, MOST)).payments, 0);
  const written = await sql`select pg_current_xact_id_if_assigned()::text as xid`;
  await sql`commit`;
  t.same(written, [{ xid: null }], 'the transaction got no id');
});

t.test('a snapshot that cannot be read holds up no other payment', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  const id = await store({ of, atMs, reference: 'broken' });
  await sql`update payments set snapshot = '{}' where id = ${id}`;
  await store({ of, atMs, reference: 'whole' });
  await move(0, atMs + 1);
  t.same(await followSearch(sql, MOST), { payments: 2, hasMore: false, unreadable: [id] });
  t.same(await find(of, 'whole'), ['whole']);
});

/** The words of an erased payment. */
const listLeft = (id: string, merchantId: MerchantId): string[] =>
  listTerms(JSON.stringify({ id, amount: '1', environment: 'TEST', internal: { merchantId } }));

t.test('an erasure replaces the words, also those that were not stored yet', async (t) => {
  const of = await makeMerchant(sql);
  const atMs = passTime();
  const early = await store({ of, atMs, reference: 'secret' });
  const late = await store({ of, atMs, reference: 'secret' });
  await store({ of, atMs, reference: 'secret' });
  await sql`
    insert into payment_search select merchant_id, environment, created_at, id, to_tsvector('simple', 'secret')
      from payments where id = ${early}`;
  const terms = listLeft(early, of);
  for (const id of [early, late]) await sql`select replace_search_terms(${id}, ${terms}::text[])`;
  await move(0, atMs);
  await followSearch(sql, MOST);
  t.same(await find(of, 'secret'), ['secret'], 'only the one that is not erased');
  t.equal((await find(of, early)).length, 2, 'the words that are left');
});

t.test('words that were read before an erasure do not come back', async (t) => {
  const other = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => other.end({ timeout: 1 }));
  const of = await makeMerchant(sql);
  const atMs = passTime();
  const id = await store({ of, atMs, reference: 'secret' });
  await move(0, atMs);
  const left = listLeft(id, of);
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  let following: Promise<unknown> | undefined;
  await other.begin(async (tx) => {
    await tx`lock table payment_search in share mode`;
    following = followSearch(sql, MOST);
    await waitUntil('the words are read, and wait to be stored', async () => {
      const waiting = await tx`
        select from pg_locks where not granted and pid = ${session?.pid ?? 0}
           and relation = 'payment_search'::regclass`;
      return waiting.length > 0;
    });
    await tx`select replace_search_terms(${id}, ${left}::text[])`;
  });
  await following;
  t.same(await find(of, 'secret'), []);
  t.equal((await find(of, id)).length, 1);
});

t.test('a payment is searchable within a second of its commit', async (t) => {
  const clock = new GivenClock(1_000);
  const share = { listPaymentPartitions: () => [0] };
  const loop = startSearch({ sql, share, noteProgress: () => undefined, clock, log: SILENT_LOG });
  t.teardown(() => loop.stop());
  const waitUntilItRests = () =>
    waitUntil('it rests', () => clock.nextInMs !== undefined && clock.nextInMs > 0);
  // A loop that finds nothing rests longer and longer.
  for (let rounds = 0; rounds < 4; rounds += 1) {
    await waitUntilItRests();
    clock.advance(clock.nextInMs ?? 0);
  }
  await waitUntilItRests();
  const of = await makeMerchant(sql);
  await store({ of, atMs: passTime(), reference: 'ORDER-SOON' });
  await move(0, nowMs);
  const committedAtMs = clock.monotonicMs();
  clock.advance(clock.nextInMs ?? 0);
  await waitUntil('it is found', async () => (await find(of, 'order-soon')).length > 0);
  t.ok(clock.monotonicMs() - committedAtMs <= 1_000, `${clock.monotonicMs() - committedAtMs} ms`);
});
