// Kill switches on a real Postgres: a turned switch takes effect, and a process that cannot read them accepts nothing.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startKillSwitches, type KillSwitches } from '#store/postgres/operations/kill-switches.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { GivenClock } from '../support/waits/given-clock.js';
import { createDatabase } from '../support/servers.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));

async function open(of: Postgres, clock: Clock = SYSTEM_CLOCK) {
  const log = createLog({ logLevel: 'silent' }, 'rails');
  const switches = await startKillSwitches({ sql: of, clock, log });
  t.teardown(switches.stop);
  return switches;
}

const turn = (name: string, isOn: boolean): Promise<unknown> =>
  sql`insert into switches (name, is_on) values (${name}, ${isOn})
      on conflict (name) do update set is_on = excluded.is_on`;

t.test('a turned switch takes effect in every process within a second', async (t) => {
  const clock = new GivenClock(1_000);
  const one = await open(sql, clock);
  t.ok(one.isOn('live_creates'), 'what has no row is on');
  /** The switch is turned right after a read, which is the worst moment. */
  const turnAndWait = async (isOn: boolean, ...processes: readonly KillSwitches[]) => {
    const turnedAtMs = clock.monotonicMs();
    await turn('rail:midtrans', isOn);
    clock.advance(clock.nextInMs ?? 0);
    await waitUntil('the next read takes effect', () =>
      processes.every((switches) => switches.isOn('rail:midtrans') === isOn),
    );
    t.ok(clock.monotonicMs() - turnedAtMs <= 1_000, `${clock.monotonicMs() - turnedAtMs} ms`);
  };
  await turnAndWait(false, one);
  const other = await open(sql, clock);
  t.notOk(other.isOn('rail:midtrans'), 'a new process begins with a read');
  t.ok(one.isOn('rail:xendit'), 'the others stay on');
  await turnAndWait(true, one, other);
});

t.test('switches that cannot be read for 5 s count as off', async (t) => {
  const nowhere = openPostgres('postgres://127.0.0.1:1/nowhere', 'test', 1);
  t.teardown(() => nowhere.end({ timeout: 0 }));
  const never = await open(nowhere);
  t.notOk(never.isOn('payouts'), 'never read');

  let nowMs = 1_000;
  const lost = openPostgres(databaseUrl, 'test', 1);
  const switches = await open(lost, { ...SYSTEM_CLOCK, monotonicMs: () => nowMs });
  await lost.end({ timeout: 0 });
  nowMs += 4_999;
  t.ok(switches.isOn('payouts'), 'the last state counts for 5 s');
  nowMs += 1;
  t.notOk(switches.isOn('payouts'), 'then every switch counts as off');
});
