// The owner of a merchant refunds, cancels and pays out in the dashboard, before a process pays out.
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import type { Recorder } from './recorder.js';

const ACCOUNT = { bank_code: 'BCA', account_number: '1234567890', account_holder: 'Budi Santoso' };

interface MoneyCast {
  readonly recorder: Recorder;
  readonly baseUrl: string;
  readonly sql: Postgres;
  readonly merchantId: MerchantId;
  /** The server of the merchant, with a key for TEST. */
  readonly test: Api;
}

export async function tellMoneyStory({
  recorder,
  baseUrl,
  sql,
  merchantId,
  test,
}: MoneyCast): Promise<void> {
  const { call } = recorder;
  const owner = openApi(
    baseUrl,
    await beginSession(sql, await makePerson(sql, 'owner', merchantId)),
  );
  const order = { amount: '60000', reference_id: 'order-6', payment_method: 'QRIS' };
  const paid = await test.create({ ...order, customer_name: 'Budi Santoso' });
  const open = await test.create({ ...order, reference_id: 'order-7' });
  await test.simulate(paid.body['id'], 'paid');
  const query = '?environment=TEST';
  const paymentId = paid.body['id'];
  await call(owner, 'cancelMerchantPayment', { query, params: { payment_id: open.body['id'] } });
  await call(owner, 'getMerchantPayment', { query, params: { payment_id: paymentId } });

  const body = { payment_id: paymentId, amount: '15000', reason: 'Satu barang habis' };
  const refund = { query, body, key: 'refund-6' };
  const { id } = await call(owner, 'createMerchantRefund', refund);
  await call(owner, 'createMerchantRefund', refund);
  await call(owner, 'getMerchantRefund', { query, params: { refund_id: id } });
  await call(owner, 'listMerchantPaymentEvents', { query, params: { payment_id: paymentId } });

  await call(owner, 'listMerchantPayoutBanks');
  const payout = { query, body: { ...ACCOUNT, amount: '25000' }, key: 'payout-6' };
  const made = await call(owner, 'createMerchantPayout', payout);
  await call(owner, 'createMerchantPayout', payout);
  const params = { payout_id: made['id'] };
  await call(owner, 'getMerchantPayout', { query, params });
  await call(owner, 'cancelMerchantPayout', { query, params });
}
