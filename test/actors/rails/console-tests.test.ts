// The tests of callback addresses in the consoles of both rails, through the whole service.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startRails, startRailService } from '#test/support/rails/service.js';

const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '3600' });
const { sql, simulated, callbackUrl } = service;
const { control } = simulated;
await startRails(service);

/** The statuses with which the next `count` callbacks of the rail are answered. */
async function listAnswers(count: number, path: string, body: object): Promise<unknown[]> {
  const list = async () =>
    ((await control('GET', 'callbacks')) as { data: { status: number | null }[] }).data;
  const before = (await list()).length;
  await control('POST', path, body);
  await waitUntil('they are answered', async () => (await list()).length >= before + count);
  return (await list()).slice(before).map(({ status }) => status);
}

for (const [rail, count] of [
  ['midtrans', 1],
  ['xendit', 4],
] as const) {
  t.test(`${rail}: the test of the console gets 200 and is stored as nothing`, async (t) => {
    const path = `console-tests/${rail}`;
    const same = (status: number): number[] => new Array<number>(count).fill(status);
    t.same(await listAnswers(count, path, {}), same(200));
    t.same(await listAnswers(count, path, { forged: true }), same(401), 'with another key');
    t.equal((await sql`select from rail_callbacks`).length, 0);
  });
}

t.test('another order that does not exist still gets 404 and is stored', async (t) => {
  const body = JSON.stringify({ event: 'payment.capture', data: { reference_id: 'testing' } });
  const headers = { 'x-callback-token': 'x-token' };
  const { status } = await fetch(callbackUrl('xendit'), { method: 'POST', body, headers });
  t.equal(status, 404);
  t.equal((await sql`select from rail_callbacks where status = 'unknown_order'`).length, 1);
});
