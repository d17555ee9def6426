// Rejected requests for erasures.
import t from 'tap';
import type { ApiAnswer } from '#test/support/api.js';
import { ERASURES, startErasing } from '#test/support/erasing/stage.js';

const { owner, makePaidPayment } = await startErasing(t);

t.test('an invalid erasure request returns an error', async (t) => {
  const request = (body: object): Promise<ApiAnswer> =>
    owner.call(ERASURES, { method: 'POST', body: { environment: 'TEST', ...body } });
  t.equal((await request({})).code, 'field_invalid');
  const two = { customer_email: 'a@b.example', reference_id: 'x' };
  t.equal((await request(two)).code, 'field_invalid');
  t.equal((await request({ customer_phone: 'none' })).code, 'field_invalid');
  const unknownId = 'pay_5jz8q4m1n7v2c9k3x6w0t4h8rb';
  t.equal((await request({ payment_id: unknownId })).code, 'payment_not_found');
  const live = { environment: 'LIVE', payment_id: await makePaidPayment({ amount: '15000' }) };
  t.equal((await request(live)).code, 'payment_not_found');
});
