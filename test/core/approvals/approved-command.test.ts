// The command that an approved correction stands for, built from its row.
import t from 'tap';
import {
  type ApprovedCorrection,
  buildApprovedCommand,
  readTransaction,
} from '#actors/core/approvals/approved-command.js';
import { APPROVAL_STATUSES } from '#actors/core/approvals/kinds.js';
import { deriveOrderId, deriveRecordedRefundId, makeId } from '#actors/core/ids.js';

const paymentId = makeId('pay', Buffer.alloc(16, 1));
const orderId = deriveOrderId(paymentId, 1);
const refundId = deriveRecordedRefundId(paymentId, 'xendit', 'tx-1');
const APPROVAL: ApprovedCorrection = {
  id: makeId('appr', Buffer.alloc(16, 2)),
  kind: 'settlement',
  status: 'approved',
  paymentId,
  refundId: null,
  amountMinor: 15_000n,
  currency: 'IDR',
  request: { rail: 'xendit', rail_transaction_id: 'tx-1', order_id: orderId },
  proposedBy: 'usr_1',
  decidedBy: 'usr_2',
};
const build = (changes: Partial<ApprovedCorrection>) =>
  buildApprovedCommand({ ...APPROVAL, ...changes });

t.test('each kind of correction is one command', (t) => {
  const transaction = { rail: 'xendit', railTransactionId: 'tx-1' } as const;
  const money = { amountMinor: 15_000n, currency: 'IDR' };
  t.strictSame(build({}), {
    ...{ type: 'settle', paymentId },
    settlement: { ...transaction, orderId, ...money, settledAtMs: null },
  });
  t.strictSame(build({ kind: 'reversal' }), { type: 'reverse', paymentId, ...transaction });
  for (const [kind, origin] of [
    ['refund', 'rail'],
    ['chargeback', 'chargeback'],
  ] as const) {
    t.strictSame(build({ kind, refundId }), {
      ...{ type: 'record_refund', paymentId, refundId, origin },
      ...{ amountMinor: 15_000n, externalReference: 'tx-1' },
    });
  }
  t.strictSame(readTransaction(APPROVAL), transaction);
  t.end();
});

t.test('only approved and applied approvals are built, and only of two persons', (t) => {
  for (const status of APPROVAL_STATUSES) {
    if (status === 'approved' || status === 'applied') t.equal(build({ status }).type, 'settle');
    else t.throws(() => build({ status }), /must be approved/, status);
  }
  t.throws(() => build({ decidedBy: null }), /one person/);
  t.throws(() => build({ decidedBy: APPROVAL.proposedBy }), /one person/);
  t.end();
});

t.test('a row that lacks something builds nothing', (t) => {
  const { rail, rail_transaction_id: transaction, order_id: order } = APPROVAL.request;
  const without = (request: Record<string, string | undefined>) => () =>
    build({ request: request as Record<string, string> });
  t.throws(() => build({ kind: 'payout_failure' }), /books nothing on a payment/);
  t.throws(() => build({ kind: 'refund' }), /names no refund/);
  t.throws(() => build({ paymentId: null }), /names no payment/);
  t.throws(without({ rail, order_id: order }), /has no rail_transaction_id/);
  t.throws(
    without({ rail: 'sandbox', rail_transaction_id: transaction, order_id: order }),
    /names no LIVE rail/,
  );
  t.throws(without({ rail, rail_transaction_id: transaction, order_id: 'x' }), /names no order/);
  t.end();
});
