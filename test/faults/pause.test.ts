// A process stands still for longer than its lease (SIGSTOP: a pause of the machine, a swap storm) and
// goes on in the middle of whatever it did. Its partitions have moved by then: nothing of it may land.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { countOwners, underLoad } from '../support/stage.js';

t.test('payments processes are stopped in turn, beyond their lease, and continued', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async (stage) => {
    for (const victim of [...stage.payments, ...stage.payments]) {
      await waitUntil('both own partitions', 10_000, async () => (await countOwners(stage)) === 2);
      await stage.load.progress(20);
      victim.pause();
      await waitUntil('one owns all', 15_000, async () => (await countOwners(stage)) === 1);
      await stage.serves();
      victim.resume();
      await stage.load.progress(50);
    }
  }),
);

t.test('the only payments process is stopped beyond its lease, and continued', (t) =>
  underLoad(t, { gateways: 1, payments: 1 }, async ({ payments, sql, serves }) => {
    payments[0]?.pause();
    await waitUntil('its lease runs out', 10_000, async () => {
      const [row] = await sql`
        select bool_and(lease_until < now() - interval '0.5 s') as over from payments_processes`;
      return row?.['over'] === true;
    });
    payments[0]?.resume();
    await serves();
  }),
);

t.test('a gateway is stopped for a while', (t) =>
  underLoad(t, { gateways: 2, payments: 1 }, async ({ gateways, load, serves }) => {
    gateways[0]?.pause();
    await load.progress(150);
    gateways[0]?.resume();
    await serves();
  }),
);
