// The result of a command depends neither on the clock of the process that applies it, nor on when or how often it is
// applied: commits that Postgres has lost are made again.
import t, { type Test } from 'tap';
import { LeaseKeeper } from '#actors/payments/lease-keeper.js';
import { openCommandStreams } from '#actors/payments/ports.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import * as leases from '#store/postgres/payments/partition-leases.js';
import { NEWEST_VERSION } from '#store/redis/frames.js';
import { encodeSimulate } from '#test/support/actors/commands.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { type LoopScene, openLoopScene, openSceneRedis } from '#test/support/actors/loop-scene.js';

const HOUR_MS = 3_600_000;
const LEASE_MS = 5_000;
/** Every table that a create and a paid simulation write. */
const WRITTEN = ['payments', 'payment_events', 'postings', 'balance_rows', 'rail_transactions'];
const server = await openSceneRedis(t);

t.test(
  'a payment has the time of its append, whatever the clock of its process says',
  async (t) => {
    for (const nowMs of [() => Date.now() + HOUR_MS, () => Date.now() - HOUR_MS]) {
      const scene = await openLoopScene(t, server, undefined, { nowMs });
      const { create, sender, readStatus, sql, stop } = scene;
      const beganMs = Date.now();
      const id = await create(0);
      const [row] = await sql<{ at: Date }[]>`
      select created_at as at from payments where id = ${id}`;
      const atMs = row?.at.getTime() ?? 0;
      t.ok(atMs >= beganMs - 1 && atMs <= Date.now() + 1);
      t.strictSame(await sender.send(0, [encodeSimulate(id, 'paid')]), ['done']);
      t.equal(await readStatus(id), 'paid');
      await stop();
    }
  },
);

t.test('commands whose commits Postgres has lost make the same rows again', async (t) => {
  const { create, sender, sql, claim, stop } = await openLoopScene(t, server);
  const [before] = await leases.readClaims(sql, [0]);
  const id = await create(0);
  await sender.send(0, [encodeSimulate(id, 'paid')]);
  const read = async () => [
    ...(await sql`select * from payments where id = ${id}`),
    ...(await sql`
      select partition, position_ms, position_seq, payment_id, version, type, at, event, envelope
        from payment_events where payment_id = ${id} order by version`),
  ];
  const first = await read();
  t.equal(first.length, 2, 'the payment and its event');
  await loseCommits(sql, before);
  await claim(0);
  await waitUntil('both are applied again', async () => (await read()).length === 2);
  t.strictSame(await read(), first);
  await stop();
});

/** The real keeper of the scene's loop: after `start` it has claimed both partitions under a name of its own. */
function openKeeper(t: Test, { sql, loop }: LoopScene) {
  const name = 'keeper';
  const contact = { isReachable: true, forMs: 0 };
  let renewals = 0;
  const keeper = new LeaseKeeper({
    ...{ name, leaseMs: LEASE_MS, clock: SYSTEM_CLOCK },
    readsVersion: NEWEST_VERSION,
    ...{ streams: openCommandStreams(server.redis, COMMAND_KEYS), holder: loop, log: SILENT_LOG },
    store: {
      renewLease: async (readsVersion) => {
        const claims = await leases.renewLease(sql, name, LEASE_MS, { contact, readsVersion });
        renewals += 1;
        return claims;
      },
      readAssignment: () => leases.readAssignment(sql, name, LEASE_MS),
      claim: (count) => leases.claimPartitions(sql, name, count),
      release: (ids) => leases.releasePartitions(sql, name, ids),
      giveUp: (stopped) => leases.giveUpPartitions(sql, name, stopped),
      leave: () => leases.leaveAssignment(sql, name),
    },
    onTakeOver: () => {},
    onStopped: () => {},
  });
  t.teardown(() => keeper.leave());
  return { keeper, countRenewals: () => renewals };
}

async function loseCommits(sql: LoopScene['sql'], to: leases.Claim | undefined): Promise<void> {
  if (to === undefined) throw new Error('there is no position to go back to');
  await sql.begin(async (tx) => {
    for (const table of WRITTEN) await tx`delete from ${tx(table)}`;
    const { ms, seq } = to.position;
    await tx`
      update partitions set position_ms = ${String(ms)}, position_seq = ${String(seq)}
       where id = ${to.partition}`;
  });
}

t.test(
  'a partition whose commits Postgres has lost is claimed anew without a command',
  async (t) => {
    const scene = await openLoopScene(t, server);
    const { create, readStatus, sql, loop } = scene;
    const { keeper, countRenewals } = openKeeper(t, scene);
    await keeper.start();
    const [before] = await leases.readClaims(sql, [0]);
    const id = await create(0);
    const owned = loop.owned.get(0);
    await loseCommits(sql, before);
    // The renewal under way may have read the positions before that.
    const seen = countRenewals();
    await waitUntil('the lease is renewed twice', () => countRenewals() > seen + 1);
    t.not(loop.owned.get(0), owned, 'the partition is dropped, or owned under another epoch');
    await waitUntil(
      'the create is applied again',
      async () => (await readStatus(id)) !== undefined,
    );
  },
);
