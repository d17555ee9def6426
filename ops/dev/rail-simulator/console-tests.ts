// The tests of callback addresses in the consoles of both rails, with orders that do not exist.
import { randomUUID } from 'node:crypto';
import type { Callback } from './callback-sender.js';
import { MERCHANT, signNotification } from './midtrans-wire.js';
import type { SimulatedRail } from './orders-store.js';
import type { SimulatorContext } from './simulator-context.js';
import { buildWebhook } from './xendit-wire.js';

/** Builds the tests that the console of a rail sends. A forged one is signed with another key. */
export function buildConsoleTests(
  rail: SimulatedRail,
  { settings }: SimulatorContext,
): readonly Callback[] {
  return rail === 'midtrans'
    ? [buildNotification(settings.midtransServerKey)]
    : SAMPLES.map(([event, data]) =>
        buildWebhook(
          { event, subject: data.reference_id, token: settings.xenditCallbackToken },
          data,
        ),
      );
}

function buildNotification(serverKey: string): Callback {
  const notification = {
    ...{ transaction_time: '2023-11-15 18:45:13', settlement_time: '2023-11-15 22:45:13' },
    ...{ transaction_status: 'settlement', transaction_id: randomUUID(), status_code: '200' },
    ...{ payment_type: 'gopay', fraud_status: 'accept', currency: 'IDR' },
    ...{ merchant_id: MERCHANT, gross_amount: '105000.00' },
    order_id: `payment_notif_test_${MERCHANT}_${randomUUID()}`,
  };
  const headers = { 'user-agent': 'Veritrans' };
  const genuine = { headers, body: signNotification(notification, serverKey) };
  return {
    ...{ rail: 'midtrans', subject: notification.order_id, event: 'test' },
    ...{ genuine, wrong: genuine },
    forged: { headers, body: signNotification(notification, 'not the key') },
  };
}

const PAYMENT = {
  reference_id: '90392f42-d98a-49ef-a7f3-90392f42d98a',
  payment_request_id: 'pr-ced7965b-d588-49f1-ba41-d499277e5395',
  ...{ type: 'PAY', country: 'ID', currency: 'IDR', request_amount: 10_000 },
  ...{ channel_code: 'CARDS', capture_method: 'AUTOMATIC' },
};
const SAMPLES = [
  [
    'payment.capture',
    {
      ...PAYMENT,
      payment_id: 'py-97716cc2-2840-4ead-949b-db60e9aeb55e',
      status: 'SUCCEEDED',
      captures: [{ capture_id: 'cptr-1', capture_amount: 10_000 }],
    },
  ],
  ['payment_request.expiry', { ...PAYMENT, status: 'EXPIRED' }],
  [
    'refund.succeeded',
    {
      ...{ id: 'rfd-6f4a377d-a201-437f-9119-f8b00cbbe857', amount: 10_000, currency: 'PHP' },
      payment_id: 'ddpy-3cd658ae-25b9-4659-aa36-596ae41a809f',
      ...{ invoice_id: null, reference_id: 'b2756a1e-e6cd-4352-9a68-0483aa2b6a2' },
      status: 'SUCCEEDED',
    },
  ],
  [
    'payout.succeeded',
    {
      ...{ id: 'disb-571f3644d2b4edf0745e9703', reference_id: 'myref-1482928194' },
      ...{ amount: 10_000, currency: 'IDR', channel_code: 'ID_BCA', status: 'SUCCEEDED' },
    },
  ],
] as const;
