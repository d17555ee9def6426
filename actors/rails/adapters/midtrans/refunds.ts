// Refunds at Midtrans. Midtrans knows a refund by our id (`refund_key`), so its request may be repeated.
//
// A refusal may follow from an earlier request of the same refund: "duplicate" (406) always does, and after a successful
// one nothing is left to refund (412, 414). After those codes the transaction's refunds are read, and the refusal counts
// only when ours is not among them.
//
// Money that Midtrans gave back of a transaction is read from its status: refunds of ours, refunds of its dashboard,
// chargebacks. The documentation shows the fields of an entry of `refunds`, and not which of them a chargeback lacks. Midtrans
// gives every refund a refund_key (ours, or one of its own), and a chargeback answers no request. So while the status names a
// chargeback, an entry without a key is one; if all have a key, the last one is whose key is not ours. Without such an
// entry the list lags behind the status.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseRefundId } from '#actors/core/ids.js';
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { GivenBack, RefundAnswer } from '#actors/core/rails/answers.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import { type Reply, readStatus, type Transaction } from './wire.js';

const SUCCESS_CODE = 200;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 408, 410, 411, 413]);

const RefundFields = {
  refund_key: Type.String(),
  refund_amount: Type.Union([Type.String(), Type.Number()]),
  refund_chargeback_id: maybe(Type.Union([Type.String(), Type.Number()])),
};
const Refunded = TypeCompiler.Compile(Type.Object(RefundFields));
const Refunds = TypeCompiler.Compile(Type.Object({ refunds: Type.Array(Type.Unknown()) }));

/** Virtual accounts cannot be refunded: an administrator pays those refunds by hand. */
export function canRefund(method: ChargeableMethod | null): boolean {
  return method !== null && PAYMENT_METHODS[method].kind === 'qr';
}

export function buildRefundBody({ refundId, amountMinor }: RefundCall): object {
  return { refund_key: refundId, amount: writeRailAmount(amountMinor) };
}

/** `inquire`: the refusal counts only when the transaction does not list the refund. */
export type RefundReading =
  RefundAnswer | { readonly result: 'inquire'; readonly otherwise: RefundAnswer };

const UNKNOWN = { result: 'unknown' } as const;

export function readRefund({ code, body }: Reply, call: RefundCall): RefundReading {
  if (REFUSALS.has(code)) return { result: 'failed' };
  switch (code) {
    case SUCCESS_CODE:
      return readEntry(body, call) ?? UNKNOWN;
    case 402:
      return { result: 'manual_required' };
    case 406:
      return { result: 'inquire', otherwise: UNKNOWN };
    case 412:
      return { result: 'inquire', otherwise: { result: 'manual_required' } };
    case 414:
      return { result: 'inquire', otherwise: { result: 'failed' } };
    default:
      return UNKNOWN;
  }
}

/** Finds the refund in the status of its transaction; null: it is not listed. */
export function findRefund({ body }: Reply, call: RefundCall): RefundAnswer | null {
  if (!Refunds.Check(body)) return null;
  return body.refunds.map((entry) => readEntry(entry, call)).find((it) => it !== null) ?? null;
}

/** null: another refund. Our key with another amount is unknown. */
function readEntry(entry: unknown, call: RefundCall): RefundAnswer | null {
  if (!Refunded.Check(entry) || entry.refund_key !== call.refundId) return null;
  if (readRailAmount(entry.refund_amount) !== call.amountMinor) return UNKNOWN;
  const reference = entry.refund_chargeback_id ?? null;
  return { result: 'succeeded', railReference: reference === null ? null : String(reference) };
}

const RefundId = Type.Union([Type.String({ minLength: 1, maxLength: 80 }), Type.Integer()]);
const EntrySchema = Type.Object({
  refund_chargeback_id: maybe(RefundId),
  refund_key: maybe(Type.String({ maxLength: 80 })),
  refund_amount: Type.Unknown(),
});
const Entries = TypeCompiler.Compile(Type.Array(EntrySchema, { maxItems: 1000 }));
type Entry = Static<typeof EntrySchema>;

const isOurs = ({ refund_key: key }: Entry): boolean => parseRefundId(key ?? '') !== undefined;

/** null: the status tells of money that was given back, and not how much. */
export function readGivenBack(transaction: Transaction): readonly GivenBack[] | null {
  const refunds = transaction.refunds ?? [];
  if (!Entries.Check(refunds)) return null;
  if (refunds.length === 0) return readStatusAlone(transaction);
  const isDisputed = /chargeback/.test(readStatus(transaction));
  const disputed = isDisputed ? findChargebacks(refunds) : [];
  if (isDisputed && disputed.length === 0) return null;
  const entries = refunds.map((entry) =>
    readGivenBackEntry(entry, disputed.includes(entry) ? 'chargeback' : 'refund'),
  );
  return entries.every((entry) => entry !== null) ? entries : null;
}

function findChargebacks(refunds: readonly Entry[]): readonly Entry[] {
  const withoutKey = refunds.filter(({ refund_key: key }) => (key ?? null) === null);
  return withoutKey.length > 0 ? withoutKey : refunds.filter((entry) => !isOurs(entry)).slice(-1);
}

function readGivenBackEntry(entry: Entry, kind: GivenBack['kind']): GivenBack | null {
  const { refund_chargeback_id: id, refund_key: key, refund_amount: amount } = entry;
  const amountMinor = readRailAmount(amount);
  const railRefundId = id ?? key ?? null;
  if (amountMinor === null || railRefundId === null) return null;
  return { railRefundId: String(railRefundId), refundKey: key ?? null, kind, amountMinor };
}

/** Without a list, the transaction's id stands for the one refund or chargeback. */
function readStatusAlone(transaction: Transaction): readonly GivenBack[] | null {
  const status = readStatus(transaction);
  if (status === 'settlement' || status === 'capture') return [];
  const { transaction_id: railRefundId, refund_amount: refunded, gross_amount } = transaction;
  const isWhole = status === 'refund' || status === 'chargeback';
  const amountMinor = readRailAmount(refunded ?? (isWhole ? gross_amount : null));
  if (amountMinor === null) return null;
  const kind = /chargeback/.test(status) ? 'chargeback' : 'refund';
  return [{ railRefundId, refundKey: null, kind, amountMinor }];
}
