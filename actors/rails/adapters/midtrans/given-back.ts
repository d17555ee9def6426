// Money that Midtrans gave back of a transaction, from its status: refunds of ours, refunds of its dashboard, chargebacks.
//
// The documentation shows the fields of an entry of `refunds`, and not which of them a chargeback lacks. Midtrans gives
// every refund a refund_key (ours, or one of its own), and a chargeback answers no request. So while the status names a
// chargeback, an entry without a key is one; if all have a key, the last one is whose key is not ours. Without such an
// entry the list lags behind the status.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseRefundId } from '#actors/core/ids.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { GivenBack } from '#actors/core/rails/answers.js';
import { readRailAmount } from '../wire.js';
import { readStatus, type Transaction } from './wire.js';

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
    readEntry(entry, disputed.includes(entry) ? 'chargeback' : 'refund'),
  );
  return entries.every((entry) => entry !== null) ? entries : null;
}

function findChargebacks(refunds: readonly Entry[]): readonly Entry[] {
  const withoutKey = refunds.filter(({ refund_key: key }) => (key ?? null) === null);
  return withoutKey.length > 0 ? withoutKey : refunds.filter((entry) => !isOurs(entry)).slice(-1);
}

function readEntry(entry: Entry, kind: GivenBack['kind']): GivenBack | null {
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
