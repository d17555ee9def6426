// The wire format of Midtrans' replies (Core API). The body's `status_code` counts; HTTP says 200 for most of them. The
// schemas require only the fields that every reader needs; the others are checked by their readers.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { AmountMinor } from '#actors/core/money.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { RailReply, RailResponse } from '../rail-client.js';
import type { RailOrder } from '../rail.js';
import { parseJson, readRailAmount, sumRailAmounts } from '../wire.js';

const Reply = TypeCompiler.Compile(
  Type.Object({ status_code: Type.String({ pattern: '^[0-9]{3}$' }) }),
);

const TransactionSchema = Type.Object({
  transaction_id: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
  order_id: Type.String({ maxLength: 64 }),
  gross_amount: Type.String({ maxLength: 32 }),
  currency: maybe(Type.String({ maxLength: 8 })),
  transaction_status: Type.String({ maxLength: 32 }),
  fraud_status: Type.Optional(Type.Unknown()),
  settlement_time: Type.Optional(Type.Unknown()),
  payment_amounts: Type.Optional(Type.Unknown()),
  refund_amount: Type.Optional(Type.Unknown()),
  refunds: Type.Optional(Type.Unknown()),
});
const Transaction = TypeCompiler.Compile(TransactionSchema);
export type Transaction = Static<typeof TransactionSchema>;

export interface Reply {
  readonly code: number;
  readonly body: object;
}

/** The body tells, beside a status of HTTP that says 200 for most replies. */
export function isThrottled({ body }: RailReply): boolean {
  const parsed = parseJson(body);
  return Reply.Check(parsed) && parsed.status_code === '429';
}

/** null: not a reply of Midtrans itself: silence, a redirect, an HTML page, an error of its servers. */
export function readReply(response: RailResponse): Reply | null {
  if (response.kind !== 'answer') return null;
  const { status } = response;
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) return null;
  const body = parseJson(response.body);
  if (!Reply.Check(body)) return null;
  const code = Number(body.status_code);
  return code >= 500 ? null : { code, body };
}

/**
 * Reads the transaction if it is the order's. Banks behind BI-SNAP are found by transaction id only, and their replies
 * hold that id in `order_id` too.
 */
export function readTransaction(
  { body }: Reply,
  order: Pick<RailOrder, 'orderId' | 'railReference'>,
): Transaction | null {
  if (!Transaction.Check(body)) return null;
  const { order_id: named, transaction_id: id } = body;
  const { orderId, railReference } = order;
  if (railReference === null) return named === orderId ? body : null;
  return id === railReference && (named === orderId || named === railReference) ? body : null;
}

const PaymentAmounts = TypeCompiler.Compile(
  Type.Array(Type.Object({ amount: Type.Unknown() }), { maxItems: 100 }),
);

/**
 * Reads the amount paid: the sum of `payment_amounts` where a bank lists them, else the gross amount. null: not
 * understood.
 */
export function readPaidAmount(body: {
  readonly gross_amount: string;
  readonly payment_amounts?: unknown;
}): AmountMinor | null {
  const { gross_amount, payment_amounts } = body;
  const amounts = payment_amounts ?? [];
  if (!PaymentAmounts.Check(amounts)) return null;
  return amounts.length === 0
    ? readRailAmount(gross_amount)
    : sumRailAmounts(amounts.map(({ amount }) => amount));
}

/** In lower case: some channels write `PENDING`. */
export function readStatus({ transaction_status }: Transaction): string {
  return transaction_status.toLowerCase();
}

/** Midtrans deals in rupiah and leaves the currency out of shorter replies. */
export function readCurrency({ currency }: Transaction): string {
  return currency ?? 'IDR';
}

const WRITTEN_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
const JAKARTA = '+07:00';
const JAKARTA_MS = 7 * 3_600_000;

/** `2021-06-23 14:06:48` is the time in Jakarta. */
export function readJakartaTime(written: unknown): number | null {
  const match = typeof written === 'string' ? WRITTEN_TIME.exec(written) : null;
  if (match === null) return null;
  const ms = Date.parse(`${match[1]}T${match[2]}${JAKARTA}`);
  return ms > 0 ? ms : null;
}

export function writeJakartaTime(ms: number): string {
  const written = new Date(ms + JAKARTA_MS).toISOString();
  return `${written.slice(0, 10)} ${written.slice(11, 19)}`;
}
