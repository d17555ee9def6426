// The switch board on a real Postgres: what is turned counts, and who cannot know takes nothing.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startKillSwitches, type KillSwitches } from '#store/postgres/operations/kill-switches.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { createDatabase } from '../support/servers.js';

/** A second, three times. */
const WITHIN_MS = 3_000;

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

async function open(of: Postgres, monotonicMs = () => performance.now()) {
  const errors: unknown[] = [];
  const board = await startKillSwitches({
    sql: of,
    monotonicMs,
    onError: (error) => void errors.push(error),
  });
  t.teardown(board.stop);
  return { board, errors };
}

t.test('a turned switch counts on every board', async (t) => {
  const { board: one } = await open(sql);
  t.ok(one.isOn('live_creates'), 'what has no row is on');
  const turn = (isOn: boolean): Promise<unknown> =>
    sql`insert into switches (name, is_on) values ('rail:midtrans', ${isOn})
        on conflict (name) do update set is_on = excluded.is_on`;
  const counts = (board: KillSwitches, isOn: boolean): Promise<boolean> =>
    waitUntil('the switch counts', WITHIN_MS, () => board.isOn('rail:midtrans') === isOn);
  await turn(false);
  const { board: other } = await open(sql);
  t.notOk(other.isOn('rail:midtrans'), 'a new board begins with a look');
  await counts(one, false);
  t.ok(one.isOn('rail:xendit'), 'the others stay on');
  await turn(true);
  await Promise.all([counts(one, true), counts(other, true)]);
});

t.test('who cannot know what is switched off takes nothing', async (t) => {
  const nowhere = openPostgres('postgres://127.0.0.1:1/nowhere', 'test', 1);
  t.teardown(() => nowhere.end({ timeout: 0 }));
  const never = await open(nowhere);
  t.notOk(never.board.isOn('payouts'), 'never heard of the database');
  t.ok(never.errors.length > 0);

  let nowMs = 1_000;
  const lost = openPostgres(databaseUrl, 'test', 1);
  const { board } = await open(lost, () => nowMs);
  await lost.end({ timeout: 0 });
  nowMs += 4_999;
  t.ok(board.isOn('payouts'), 'what was known last goes on for a while');
  nowMs += 1;
  t.notOk(board.isOn('payouts'), 'then it does not');
});
