// The loop that keeps totals up to date: it works a backlog off at once, rests when nothing is new, and takes smaller batches
// while Postgres does not answer in time.
import t from 'tap';
import { createLog } from '#ops/runtime/log.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { NoteProgress } from '#actors/webhooks/followers/follower-lag.js';
import { startTotals } from '#actors/webhooks/followers/totals.js';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { createDatabase } from '#test/support/servers.js';

const EVENTS = 10_000;
const log = createLog({ logLevel: 'silent' }, 'test');
const sql = openPostgres(await createDatabase(t), 'test', 2, { plans: BY_KEY });
t.teardown(() => sql.end({ timeout: 1 }));
await sql`insert into partitions (id) values (0), (1)`;
await ensureCursors(sql);
await sql`
  insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
  select 'pay_' || n, 'mer_1', 'TEST', 'paid', 1000, 'IDR', '2026-08-01', 2, '{}'
    from generate_series(1, ${EVENTS}::integer) n`;
await sql`
  insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at,
                              event, merchant_id, environment, envelope)
  select n % 2, n, 0, 0, 'pay_' || n, 2, 'payment_paid', '2026-08-01', '{}', 'mer_1', 'TEST', '{}'
    from generate_series(1, ${EVENTS}::integer) n`;

/** Notes each wait, and ends those of less than a second only. */
function startClock(): { clock: Clock; waits: number[] } {
  const waits: number[] = [];
  const startTimer: Clock['startTimer'] = (ms, onOver) => {
    waits.push(ms);
    return ms < 1_000 ? SYSTEM_CLOCK.startTimer(ms, onOver) : () => undefined;
  };
  return { clock: { ...SYSTEM_CLOCK, startTimer }, waits };
}

const listPaymentPartitions = (): readonly number[] => [0, 1];

async function countEvents(): Promise<number> {
  const rows = await sql<{ events: number }[]>`
    select coalesce(sum(events), 0)::int as events from payment_totals`;
  return rows[0]?.events ?? 0;
}

t.test(
  'a backlog is added at once in large batches, and then the loop rests for 5 s',
  async (t) => {
    const { clock, waits } = startClock();
    const noted: unknown[] = [];
    const noteProgress: NoteProgress = (...progress) => noted.push([...progress, waits.length]);
    const share = { listPaymentPartitions };
    const loop = startTotals({ sql, share, noteProgress, clock, log });
    t.teardown(() => loop.stop());
    await waitUntil('it rests', () => waits.some((ms) => ms > 1_000));
    t.equal(await countEvents(), EVENTS);
    t.same(noted, [['totals', 0, 2]], 'the lag ends with the last batch only');
    t.same(waits.slice(0, -1), [0, 0], 'three batches without a wait between them');
    const [rest] = waits.slice(-1);
    t.ok(rest !== undefined && rest > 4_000 && rest <= 5_020, `${rest} ms`);
  },
);

t.test('a process without a share asks Postgres nothing', async (t) => {
  const { clock, waits } = startClock();
  const share = { listPaymentPartitions: () => [] };
  const noted: string[] = [];
  const noteProgress: NoteProgress = (follower) => noted.push(follower);
  const unusable = openPostgres('postgres://127.0.0.1:1/none', 'test', 1);
  t.teardown(() => unusable.end({ timeout: 1 }));
  const loop = startTotals({ sql: unusable, share, noteProgress, clock, log });
  t.teardown(() => loop.stop());
  await waitUntil('it rests', () => waits.length > 0);
  t.ok((waits[0] ?? 0) > 4_000, 'no error was retried');
  t.same(noted, ['totals'], 'it is not late');
});

t.test('a batch that fails is tried again in smaller ones', async (t) => {
  await sql`create table asked (most integer)`;
  await sql.unsafe(`
    create or replace function follow_totals(most integer, of_partitions smallint[], out events integer, out has_more boolean)
    language plpgsql as $$ begin
      if most > 300 then raise exception 'canceling statement due to statement timeout'; end if;
      insert into asked values (most);
      events := 1;
      has_more := (select count(*) < 4 from asked);
    end $$`);
  const { clock, waits } = startClock();
  const share = { listPaymentPartitions };
  const loop = startTotals({ sql, share, noteProgress: () => undefined, clock, log });
  t.teardown(() => loop.stop());
  await waitUntil('it rests', () => waits.some((ms) => ms > 1_000));
  const asked = await sql<{ most: number }[]>`select most from asked`;
  t.equal(asked.length, 4);
  t.ok(asked.every(({ most }) => most >= 64 && most <= 300));
});
