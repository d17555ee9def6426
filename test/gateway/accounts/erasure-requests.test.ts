// Rejected requests for erasures.
import t from 'tap';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { ERASURES } from '#test/support/erasing/stage.js';
import { makePaid } from '#test/support/rails/payouts.js';
import { useService } from '#test/support/standing/service.js';
import { openPostgres } from '#store/postgres/client.js';

const { api, baseUrl, databaseUrl, merchant } = await useService();
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const person = await makePerson(sql, 'owner', merchant.merchantId);
const owner = openApi(baseUrl, await beginSession(sql, person));

t.test('an invalid erasure request returns an error', async (t) => {
  const request = (body: object): Promise<ApiAnswer> =>
    owner.call(ERASURES, { method: 'POST', body: { environment: 'TEST', ...body } });
  t.equal((await request({})).code, 'field_invalid');
  const two = { customer_email: 'a@b.example', reference_id: 'x' };
  t.equal((await request(two)).code, 'field_invalid');
  t.equal((await request({ customer_phone: 'none' })).code, 'field_invalid');
  const unknownId = 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
  t.equal((await request({ payment_id: unknownId })).code, 'payment_not_found');
  const live = { environment: 'LIVE', payment_id: await makePaid(api, '15000') };
  t.equal((await request(live)).code, 'payment_not_found');
});
