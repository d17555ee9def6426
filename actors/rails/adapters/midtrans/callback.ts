// Callbacks of Midtrans are signed with SHA512(order_id + status_code + gross_amount + server key). The signature covers
// neither status nor transaction id, so the status is only a hint and the transaction id is not passed on.
import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseRefundId } from '#actors/core/ids.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { CallbackReading, RawCallback } from '../rail.js';
import { buildDedupeKey, isSameSecret, parseJson } from '../wire.js';
import { readPaidAmount } from './wire.js';

const MAX_FIELD = 200;
const Field = Type.String({ maxLength: MAX_FIELD });

const Signed = TypeCompiler.Compile(
  Type.Object({
    order_id: Field,
    status_code: Field,
    gross_amount: Field,
    signature_key: Type.String({ maxLength: 128 }),
  }),
);
const Reported = TypeCompiler.Compile(
  Type.Object({
    transaction_id: maybe(Field),
    transaction_status: Field,
    currency: maybe(Field),
    payment_amounts: Type.Optional(Type.Unknown()),
    refunds: maybe(Type.Array(Type.Object({ refund_key: maybe(Field) }))),
  }),
);

/** The test of Midtrans' dashboard names its merchant in an order that does not exist. */
const TEST_ORDER = /^payment_notif_test_[A-Za-z0-9]{1,32}_[0-9a-f-]{36}$/;

export interface SignedFields {
  readonly order_id: string;
  readonly status_code: string;
  readonly gross_amount: string;
}

export function computeSignature(fields: SignedFields, serverKey: string): string {
  const { order_id, status_code, gross_amount } = fields;
  return createHash('sha512')
    .update(order_id + status_code + gross_amount + serverKey)
    .digest('hex');
}

export function readMidtransCallback(
  { body: raw }: RawCallback,
  serverKey: string,
): CallbackReading {
  const body = parseJson(raw);
  if (!Signed.Check(body)) return { result: 'forged' };
  if (!isSameSecret(body.signature_key, computeSignature(body, serverKey)))
    return { result: 'forged' };
  if (TEST_ORDER.test(body.order_id)) return { result: 'test' };
  if (!Reported.Check(body)) return { result: 'malformed' };
  const { order_id: orderId, transaction_id: id, transaction_status: status } = body;
  const refunds = body.refunds ?? [];
  const refundId = /refund/i.test(status) ? findRefundId(refunds.at(-1)?.refund_key) : undefined;
  const amountMinor = readPaidAmount(body);
  const paid = JSON.stringify(body.payment_amounts ?? []);
  const parts = [orderId, id ?? '', status, body.status_code, body.gross_amount, paid];
  return {
    result: 'genuine',
    dedupeKey: buildDedupeKey([...parts, ...refunds.map(({ refund_key: key }) => key ?? '')]),
    subject:
      refundId === undefined
        ? { kind: 'order', orderId, railReference: null }
        : { kind: 'refund', refundId, railReference: null },
    reports: refundId === undefined ? readReportedState(status) : 'ended',
    money: amountMinor === null ? null : { amountMinor, currency: body.currency ?? 'IDR' },
  };
}

/** A refund of the dashboard has a key of Midtrans; the inquiry of its order finds it. */
function findRefundId(key: string | null | undefined): string | undefined {
  return parseRefundId(key ?? '');
}

const REPORTS: Readonly<Record<string, ReportedState>> = {
  pending: 'open',
  authorize: 'open',
  deny: 'reversed',
  failure: 'ended',
  expire: 'ended',
  cancel: 'ended',
};

function readReportedState(status: string): ReportedState {
  if (/refund|chargeback/i.test(status)) return 'given_back';
  return REPORTS[status.toLowerCase()] ?? 'settled';
}
