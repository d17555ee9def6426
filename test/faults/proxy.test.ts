// A bad network between the service and Redis: replies that never arrive, connections that are cut within a reply, and
// connections that hang.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { countOwners, LEASE_MS, underLoad } from '../support/stage.js';

const HEALED_MS = 10_000;
const MANY = 50;

const STAGE = { gateways: 2, payments: 2, proxied: 'everybody' } as const;

t.test('connections that are cut within replies cost no invariant', (t) =>
  underLoad(t, STAGE, async ({ proxy, load }) => {
    for (const bytes of [3, 50, 200, 1_000, 5_000, 20_000]) {
      const before = proxy.cuts();
      proxy.cutAfter(bytes);
      await waitUntil('connections were cut', () => proxy.cuts() >= before + 3);
      proxy.heal();
      await load.progress(30);
    }
  }),
);

t.test('lost replies cost no invariant', (t) =>
  underLoad(t, STAGE, async ({ proxy, load, serves }) => {
    for (let times = 0; times < 4; times += 1) {
      const sent = load.history.length;
      proxy.swallowReplies();
      await waitUntil('requests were sent meanwhile', () => load.inFlight() > 20);
      proxy.heal();
      await serves();
      await load.progress(30);
      t.ok(load.history.length > sent);
    }
  }),
);

t.test('hanging connections are given up and replaced', (t) =>
  underLoad(t, STAGE, async ({ proxy, serves, load }) => {
    const before = proxy.connections();
    proxy.hold();
    await waitUntil('requests wait', () => load.inFlight() > 20);
    await waitUntil('connections are given up', () => proxy.connections() > before + 1);
    proxy.heal();
    await serves();
  }),
);

t.test('connections to Redis that the network swallowed are replaced within 10 s', (t) =>
  underLoad(t, STAGE, async ({ proxy, load }) => {
    const countCreated = (): number =>
      load.history.filter(
        ({ operation, result }) =>
          operation.kind === 'create' && result.kind === 'answer' && result.status === 201,
      ).length;
    for (let times = 0; times < 2; times += 1) {
      const goal = countCreated() + load.inFlight() + MANY;
      proxy.strand();
      // Requests under way wait longer for the outcome, so that new ones are counted.
      await waitUntil('many more creates are accepted', () => countCreated() >= goal, HEALED_MS);
    }
  }),
);

t.test(
  'the partitions of a process without Redis move, and return when it reaches Redis again',
  (t) =>
    underLoad(t, { gateways: 1, payments: 2, proxied: 'first payments' }, async (stage) => {
      const { proxy } = stage;
      await waitUntil('both own', async () => (await countOwners(stage)) === 2);
      proxy.hold();
      await waitUntil('one owns all', async () => (await countOwners(stage)) === 1);
      await stage.serves();
      proxy.heal();
      await waitUntil('both own again', async () => (await countOwners(stage)) === 2);
    }),
);

t.test('no partition moves when no process reaches Redis', (t) =>
  underLoad(t, STAGE, async (stage) => {
    const { proxy, sql, serves } = stage;
    const epochs = async (): Promise<unknown> =>
      (await sql`select json_agg(epoch order by id) as epochs from partitions`)[0]?.['epochs'];
    await waitUntil('both own', async () => (await countOwners(stage)) === 2);
    const before = await epochs();
    proxy.hold();
    await waitUntil('both have not reached Redis for longer than a lease', async () => {
      const [row] = await sql`
        select count(*)::int as deaf from payments_processes
         where not hears_redis and redis_since < now() - ${2 * LEASE_MS} * interval '1 ms'`;
      return row?.['deaf'] === 2;
    });
    proxy.heal();
    await serves();
    t.strictSame(await epochs(), before);
  }),
);
