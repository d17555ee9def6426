// A process is paused for longer than its lease (SIGSTOP; in production a paused machine or swapping) and continues in
// the middle of its work. Its partitions have moved by then, so none of its commits may be stored.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { countOwners, underLoad } from '../support/stage.js';

t.test('a payments process that is paused beyond its lease stores nothing afterwards', (t) =>
  underLoad(t, { gateways: 1, payments: 2 }, async (stage) => {
    for (const victim of [...stage.payments, ...stage.payments]) {
      await waitUntil('both own partitions', async () => (await countOwners(stage)) === 2);
      await stage.load.progress(20);
      victim.pause();
      await waitUntil('one owns all', async () => (await countOwners(stage)) === 1);
      await stage.serves();
      victim.resume();
      await stage.load.progress(50);
    }
  }),
);

t.test('the only payments process serves again after a pause beyond its lease', (t) =>
  underLoad(t, { gateways: 1, payments: 1 }, async ({ payments, sql, serves }) => {
    payments[0]?.pause();
    await waitUntil('its lease has ended', async () => {
      const [row] = await sql`
        select bool_and(lease_until < now() - interval '0.5 s') as over from payments_processes`;
      return row?.['over'] === true;
    });
    payments[0]?.resume();
    await serves();
  }),
);

t.test('a paused gateway serves again', (t) =>
  underLoad(t, { gateways: 2, payments: 1 }, async ({ gateways, load, serves }) => {
    gateways[0]?.pause();
    await load.progress(150);
    gateways[0]?.resume();
    await serves();
  }),
);
