// Kill switches over HTTP: the list keeps its order, and says who turned a switch, since when and why. Merchants by their ids.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startService } from '#test/support/processes.js';

const SWITCHES = '/v1/admin/switches';
const service = await startService(t);
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const [first, second] = [
  await makePerson(sql, 'admin', null),
  await makePerson(sql, 'admin', null),
];
const office = openApi(service.baseUrl, await beginSession(sql, first));
const other = openApi(service.baseUrl, await beginSession(sql, second));

const turn = (name: string, enabled: boolean, reason?: string, by = office): Promise<ApiAnswer> =>
  by.call(SWITCHES, { method: 'PUT', body: { name, enabled, ...(reason && { reason }) } });
const list = async (): Promise<{ readonly name: string }[]> =>
  (await office.call(SWITCHES)).body['data'] as { name: string }[];

t.test('a switch keeps its place, and says who turned it, since when and why', async (t) => {
  const never = { enabled: true, changed_at: null, changed_by: null, reason: null };
  t.strictSame(await list(), [
    { name: 'live_creates', ...never },
    { name: 'payouts', ...never },
  ]);
  await turn('method:QRIS', false);
  const stopped = await turn('live_creates', false, 'Rail tidak menjawab');
  const turned = { enabled: false, changed_by: first.email, reason: 'Rail tidak menjawab' };
  t.match(stopped.body, { name: 'live_creates', changed_at: String, ...turned });
  const names = ['live_creates', 'payouts', 'method:QRIS'];
  t.strictSame(
    (await list()).map(({ name }) => name),
    names,
  );
  await turn('payouts', false);
  await turn('payouts', true, 'Selesai', other);
  t.match(await list(), [
    turned,
    { name: 'payouts', enabled: true, changed_by: second.email, reason: 'Selesai' },
    { name: 'method:QRIS', enabled: false, changed_by: first.email, reason: null },
  ]);
  await turn('live_creates', false, 'Sekali lagi', other);
  t.match((await list())[0], turned, 'it was off already');
});

t.test('a reason with the number of a card is refused', async (t) => {
  const { status, body } = await turn('payouts', false, 'Kartu 4111 1111 1111 1111');
  t.equal(status, 400);
  t.match(body['error'], { param: 'reason' });
  t.match((await list())[1], { enabled: true });
});

t.test('the audit log is filtered by action and time', async (t) => {
  const read = async (query: string): Promise<unknown> =>
    (await office.call(`/v1/admin/audit-log?${query}`)).body['data'];
  t.match(await read('action=switches.reason'), [
    { target: 'live_creates', after: { reason: 'Sekali lagi' }, email: second.email },
    { target: 'payouts', after: { reason: 'Selesai' }, email: second.email },
    { target: 'live_creates', after: { reason: 'Rail tidak menjawab' }, email: first.email },
  ]);
  const soon = new Date(Date.now() + 60_000).toISOString();
  t.same(await read(`from=${soon}`), []);
  t.match(await read(`action=switches.insert&to=${soon}&actor=${first.userId}`), [
    { target: 'payouts' },
    { target: 'live_creates' },
    { target: 'method:QRIS' },
  ]);
  t.equal((await office.call('/v1/admin/audit-log?from=yesterday')).status, 400);
});

t.test('merchants are listed by their ids', async (t) => {
  const names = ['Toko Satu', 'Toko Dua', 'Toko Tiga'];
  const ids = [];
  for (const name of names) ids.push(await makeMerchant(sql, name));
  const read = (query: string): Promise<ApiAnswer> => office.call(`/v1/admin/merchants?${query}`);
  t.match((await read(`ids=${ids[2]},${ids[0]}`)).body['data'], [
    { business_name: 'Toko Tiga' },
    { business_name: 'Toko Satu' },
  ]);
  const unknown = `mer_${'0'.repeat(26)}`;
  t.same((await read(`ids=${unknown}`)).body['data'], []);
  for (const wrong of ['mer_x', `${unknown},`, Array(101).fill(unknown).join(',')]) {
    t.equal((await read(`ids=${wrong}`)).status, 400, wrong.slice(0, 40));
  }
});
