import { inspect } from 'node:util';
import t from 'tap';
import { encodeEvent, type StoredEvent } from '#actors/core/payment/wire/event.js';
import { tell } from '#test/support/given-when-then.js';
import { SITUATIONS } from '../matrix/situations.js';
import {
  ACCEPTED,
  cancel,
  chargeAnswered,
  choose,
  closeAnswered,
  create,
  disown,
  endRefund,
  erase,
  ORDER_1,
  refund,
  recordRefund,
  REFUND_1,
  REFUND_3,
  refundAnswered,
  REFUSED,
  RELEASE,
  reverse,
  settle,
  UNKNOWN,
} from '../samples.js';

const open = [create('LIVE'), choose('QRIS'), chargeAnswered(ACCEPTED)];
const paid = [...open, settle()];
const manual = [...paid, refund(), refundAnswered({ result: 'manual_required' })];
const disputed = [
  ...[...paid, refund(), refundAnswered({ result: 'failed' })],
  refundAnswered({ result: 'succeeded', railReference: null }),
];
const DAYS_3 = 3 * 86_400_000;

/** Stories with all types of events. */
const STORIES = [
  ...Object.values(SITUATIONS),
  tell(create('LIVE', { paymentMethod: 'QRIS' }), chargeAnswered(UNKNOWN), chargeAnswered(REFUSED)),
  tell(...open, cancel(), closeAnswered(UNKNOWN), closeAnswered(REFUSED)),
  tell(...open, choose('VA_BNI'), closeAnswered(REFUSED, 'switch')),
  tell(...paid, settle('tx-2'), reverse('tx-2'), reverse('tx-9')),
  tell(...paid, disown('tx-8')),
  tell(...paid, { afterMs: DAYS_3, command: RELEASE }),
  tell(...paid, refund(), refundAnswered(UNKNOWN), refundAnswered({ result: 'failed' }), {
    ...refundAnswered({ result: 'succeeded', railReference: null }),
  }),
  tell(...disputed, endRefund('complete_refund', 'bank-78')),
  tell(...disputed, endRefund('fail_refund', 'bank-78')),
  tell(create('LIVE'), choose('VA_BNI'), chargeAnswered(ACCEPTED), settle()),
  tell(...manual, endRefund('complete_refund')),
  tell(...manual, endRefund('fail_refund')),
  tell(...paid, recordRefund(40_000n)),
  tell(...paid, erase(true)),
];
const happened = STORIES.flat();
const events = happened.flatMap((event) => (event.type === 'payment_created' ? [] : event));

t.test('a stored event holds no text of a person, though the event does', (t) => {
  const written =
    /Siti|siti@|812 3456|shirts|ord_1|shop\.example|cart|wrong size|"1:|8127850025302/;
  for (const event of events) t.notMatch(encodeEvent(event), written, event.type);
  const whole = happened.map((event) => inspect(event, { depth: 5 })).join();
  t.match(whole, written);
  t.end();
});

/** In the order of the text; each transaction has its own id. */
const SETTLEMENT = {
  rail: 'midtrans',
  railTransactionId: '',
  orderId: ORDER_1,
  amountMinor: '150000',
  currency: 'IDR',
  settledAtMs: null,
};

const EXPECTED: Readonly<Record<StoredEvent['type'], object>> = {
  payment_failed: { failureCode: 'declined', orderId: ORDER_1 },
  payment_cancelled: {},
  attempt_started: { orderId: ORDER_1, rail: 'midtrans', method: 'VA_BCA' },
  attempt_accepted: { orderId: ORDER_1, railReference: 'rail-ref-1' },
  attempt_refused: { orderId: ORDER_1, isLast: true },
  attempt_unconfirmed: { orderId: ORDER_1 },
  attempt_closed: { orderId: ORDER_1 },
  cancel_requested: {},
  cancel_refused: {},
  expiry_requested: {},
  method_change_requested: { method: 'VA_BNI', rail: 'midtrans' },
  method_change_refused: {},
  close_unconfirmed: { purpose: 'cancel' },
  payment_paid: {
    settlement: { ...SETTLEMENT, railTransactionId: 'tx-1' },
    isLate: false,
  },
  payment_reversed: {},
  payment_erased: { withReference: true },
  hold_released: {},
  settlement_suspended: {
    settlement: { ...SETTLEMENT, railTransactionId: 'tx-2' },
    reason: 'already_paid',
  },
  settlement_unapplied: {
    settlement: { ...SETTLEMENT, railTransactionId: 'tx-8' },
  },
  suspense_reversed: { rail: 'midtrans', railTransactionId: 'tx-2' },
  reversal_unapplied: {
    rail: 'midtrans',
    railTransactionId: 'tx-9',
    reason: 'transaction_unknown',
  },
  refund_requested: { refundId: REFUND_1, amount: '150000' },
  refund_submitted: { refundId: REFUND_1 },
  refund_left_pending: { refundId: REFUND_1 },
  refund_made_manual: { refundId: REFUND_1 },
  refund_succeeded: { refundId: REFUND_1, externalReference: 'bank-77' },
  refund_failed: { refundId: REFUND_1, externalReference: 'bank-77' },
  refund_contradicted: { refundId: REFUND_1 },
  refund_corrected: { refundId: REFUND_1, externalReference: 'bank-78' },
  refund_recorded: {
    ...{ refundId: REFUND_3, origin: 'rail', amount: '40000', externalReference: 'dash-1' },
  },
  refund_failure_confirmed: { refundId: REFUND_1, externalReference: 'bank-78' },
};

t.test('an event of each type is stored with its own fields', (t) => {
  for (const [type, expected] of Object.entries(EXPECTED)) {
    const texts = events.filter((event) => event.type === type).map(encodeEvent);
    t.ok(texts.includes(JSON.stringify(expected)), `${type}: ${texts.join(' | ')}`);
  }
  t.end();
});
