// The version in which a process writes frames, on a real Postgres: the newest that all payments processes read.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type FrameVersion, startFrameVersion } from '#store/postgres/payments/frame-version.js';
import {
  leaveAssignment,
  renewLease,
  WRITERS_LEARN_MS,
} from '#store/postgres/payments/partition-leases.js';
import { createDatabase } from '#test/support/servers.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
t.beforeEach(() => sql`delete from payments_processes`);

async function open(of: Postgres, newest: number, clock: Clock = SYSTEM_CLOCK) {
  const log = createLog({ logLevel: 'silent' }, 'gateway');
  const version = await startFrameVersion({ sql: of, newest, clock, log });
  t.teardown(version.stop);
  return version;
}

const announce = (name: string, readsVersion: number) =>
  renewLease(sql, name, 60_000, { contact: { isReachable: true, forMs: 0 }, readsVersion });

async function waitForNext(version: FrameVersion, clock: GivenClock, expected: number) {
  clock.advance(clock.nextInMs ?? 0);
  await waitUntil(`version ${expected} is written`, () => version.read() === expected);
}

t.test(
  'the newest version that all payments processes read is written, within half a second',
  async (t) => {
    const clock = new GivenClock(1_000);
    const version = await open(sql, 3, clock);
    t.equal(version.read(), 1, 'no payments process lives');
    await announce('a', 3);
    await waitForNext(version, clock, 3);
    await announce('b', 2);
    await waitForNext(version, clock, 2);
    await announce('b', 4);
    await waitForNext(version, clock, 3);
    await sql`insert into payments_processes (name, lease_until) values ('before', now())`;
    await waitForNext(version, clock, 1);
    await sql`update payments_processes set lease_until = now() - interval '61 s' where name = 'before'`;
    await waitForNext(version, clock, 3);
    await leaveAssignment(sql, 'a');
    await leaveAssignment(sql, 'b');
    await waitForNext(version, clock, 1);
  },
);

t.test(
  'a version that was not read for 1.5 s is not written, and writers learn it in time',
  async (t) => {
    await announce('a', 2);
    let nowMs = 1_000;
    const lost = openPostgres(databaseUrl, 'test', 1);
    const version = await open(lost, 2, { ...SYSTEM_CLOCK, monotonicMs: () => nowMs });
    t.equal(version.read(), 2);
    await lost.end({ timeout: 0 });
    nowMs += 1_499;
    t.equal(version.read(), 2, 'the last state counts for 1.5 s');
    nowMs += 1;
    t.equal(version.read(), 1, 'then every payments process reads version 1');
    t.ok(nowMs - 1_000 < WRITERS_LEARN_MS, 'a payments process waits for longer');
  },
);

t.test('a build that writes one version asks nothing', async (t) => {
  const nowhere = openPostgres('postgres://127.0.0.1:1/nowhere', 'test', 1);
  t.teardown(() => nowhere.end({ timeout: 0 }));
  t.equal((await open(nowhere, 1)).read(), 1);
});
