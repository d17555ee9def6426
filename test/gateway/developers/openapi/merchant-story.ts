// A merchant's server uses each operation of the merchants' document, and each event is sent.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import type { MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { type Api, openApi } from '#test/support/api.js';
import { at, type Tree } from './documents.js';
import { tellMoneyStory } from './money-story.js';
import type { Recorder } from './recorder.js';

export interface Cast {
  readonly recorder: Recorder;
  readonly baseUrl: string;
  readonly sql: Postgres;
  readonly merchantId: MerchantId;
  /** The server of the merchant, with a key for TEST. */
  readonly test: Api;
  /** With a key for LIVE. */
  readonly live: Api;
  readonly admin: Api;
  /** Starts the process that pays out and plays the rail of the sandbox. */
  readonly startRails: () => Promise<unknown>;
}

const waitForStatus = (api: Api, path: string, status: string): Promise<unknown> =>
  waitUntil(`${path} is ${status}`, async () => {
    return (await api.call(path)).body['status'] === status;
  });

export async function tellMerchantStory(cast: Cast): Promise<void> {
  const paymentId = await tellPayments(cast);
  await tellMoneyStory(cast);
  await tellPayouts(cast);
  await tellRefunds(cast, paymentId);
  await tellReading(cast, paymentId);
  await tellEvents(cast);
}

const ORDER = {
  amount: '150000',
  reference_id: 'order-1',
  payment_method: 'QRIS',
  description: 'Kelas memasak',
  customer_name: 'Budi Santoso',
  customer_email: 'budi@example.com',
  success_url: 'https://toko.example/terima-kasih',
  metadata: { cart: '17' },
};

async function tellPayments({ recorder, test, baseUrl }: Cast): Promise<unknown> {
  const { call } = recorder;
  const create = { body: ORDER, key: 'order-1' };
  const { id } = await call(test, 'createPayment', create);
  await call(test, 'createPayment', create);
  const params = { payment_id: id };
  const anonymous = openApi(baseUrl);
  await call(anonymous, 'getSandboxPayment', { params });
  await call(anonymous, 'simulatePayment', { params, body: { outcome: 'paid' } });
  await call(test, 'getPayment', { params });
  const second = await test.create({
    amount: '75000',
    reference_id: 'order-2',
    payment_method: 'QRIS',
  });
  await call(test, 'cancelPayment', { params: { payment_id: second.body['id'] } });
  return id;
}

async function tellRefunds({ recorder, test, admin }: Cast, paymentId: unknown): Promise<void> {
  const { call } = recorder;
  const body = {
    payment_id: paymentId,
    amount: '50000',
    reason: 'Satu kursi batal',
    reference_id: 'refund-1',
  };
  const refund = { body, key: 'refund-1' };
  const { id } = await call(test, 'createRefund', refund);
  await call(test, 'createRefund', refund);
  await call(test, 'getRefund', { params: { refund_id: id } });
  await call(test, 'listRefunds', { query: `?payment_id=${String(paymentId)}` });
  await call(test, 'listPayments');
  await call(test, 'listPaymentEvents', { params: { payment_id: paymentId } });

  const expired = await test.create({
    amount: '10093',
    reference_id: 'order-3',
    payment_method: 'QRIS',
  });
  await waitForStatus(test, `/v1/payments/${String(expired.body['id'])}`, 'failed');
  const byHand = await test.create({
    amount: '10094',
    reference_id: 'order-4',
    payment_method: 'QRIS',
  });
  await waitForStatus(test, `/v1/payments/${String(byHand.body['id'])}`, 'paid');
  const open = await test.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: byHand.body['id'] },
  });
  const params = { refund_id: open.body['id'] };
  await call(admin, 'failRefund', { params, body: { external_reference: 'TRF-1' } });
}

const ACCOUNT = { bank_code: 'BCA', account_number: '1234567890', account_holder: 'Budi Santoso' };

async function tellPayouts({ recorder, test, admin, startRails }: Cast): Promise<void> {
  const { call } = recorder;
  const cancelled = await test.call('/v1/payouts', {
    method: 'POST',
    body: { ...ACCOUNT, amount: '20000' },
  });
  await call(test, 'cancelPayout', { params: { payout_id: cancelled.body['id'] } });
  const held = await test.call('/v1/payouts', {
    method: 'POST',
    body: { ...ACCOUNT, amount: '20000' },
  });
  await call(admin, 'cancelPayoutByHand', {
    params: { payout_id: held.body['id'] },
    body: { external_reference: 'TRF-0', reason: 'Diminta oleh merchant' },
  });
  const body = { amount: '50000', ...ACCOUNT, reference_id: 'payout-1' };
  const payout = { body, key: 'payout-1' };
  const { id } = await call(test, 'createPayout', payout);
  await startRails();
  await waitForStatus(test, `/v1/payouts/${String(id)}`, 'COMPLETED');
  await call(test, 'createPayout', payout);
  await call(test, 'getPayout', { params: { payout_id: id } });
  await call(test, 'listPayouts');
}

async function tellReading({ recorder, test }: Cast, paymentId: unknown): Promise<void> {
  const { call } = recorder;
  await call(test, 'listPaymentMethods');
  await call(test, 'listPayoutBanks');
  await call(test, 'getBalance');
  const { data } = await call(test, 'listEvents', { query: '?type=payment.paid' });
  const event = (data as Tree[]).find((each) => at(each, 'data', 'id') === paymentId);
  await call(test, 'getEvent', { params: { event_id: event?.['id'] } });
}

/** A LIVE payout without a rail is paid by hand, and its money comes back. */
async function tellEvents({ recorder, test, live, admin, sql, merchantId }: Cast): Promise<void> {
  await sql`insert into balance_rows (account, currency, amount)
            values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', 100000)`;
  const payout = {
    method: 'POST',
    body: { ...ACCOUNT, amount: '50000', reference_id: 'payout-2' },
    headers: { 'idempotency-key': 'payout-2' },
  } as const;
  const { body } = await live.call('/v1/payouts', payout);
  await waitForStatus(live, `/v1/payouts/${String(body['id'])}`, 'MANUAL_REQUIRED');
  const params = { payout_id: body['id'] };
  const { call } = recorder;
  await call(admin, 'completePayout', { params, body: { external_reference: 'TRF-20' } });
  await call(admin, 'reversePayout', { params, body: { external_reference: 'TRF-21' } });
  const headers = { 'idempotency-key': 'payout-3' };
  const another = await live.call('/v1/payouts', { ...payout, headers });
  await waitForStatus(live, `/v1/payouts/${String(another.body['id'])}`, 'MANUAL_REQUIRED');
  await call(admin, 'failPayout', {
    params: { payout_id: another.body['id'] },
    body: { external_reference: 'TRF-22', reason: 'Rekening nasabah tidak aktif' },
  });
  for (const type of WEBHOOK_TYPES) {
    const event = await waitUntil(`${type} is listed`, async () => {
      const pages = await Promise.all(
        [test, live].map((api) => api.call(`/v1/events?type=${type}`)),
      );
      return pages.flatMap((page) => page.body['data'] as Tree[]).at(-1);
    });
    recorder.recordWebhook(event);
  }
}
