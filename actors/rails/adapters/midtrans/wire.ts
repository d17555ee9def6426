// Midtrans' replies as they are written (RAILS: Midtrans Core API). The code that counts is the body's
// `status_code`; HTTP says 200 for most of them. Only what is read is described, and what may be missing or odd
// without harm is left open here and looked at where it is used.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { AmountMinor } from '#actors/core/money.js';
import type { RailResponse } from '../rail-client.js';
import type { RailOrder } from '../rail.js';
import { parseJson, readRailAmount, sumRailAmounts } from '../wire.js';

const Reply = TypeCompiler.Compile(
  Type.Object({ status_code: Type.String({ pattern: '^[0-9]{3}$' }) }),
);

const TransactionSchema = Type.Object({
  transaction_id: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }),
  order_id: Type.String({ maxLength: 64 }),
  gross_amount: Type.String({ maxLength: 32 }),
  currency: Type.Optional(Type.String({ maxLength: 8 })),
  transaction_status: Type.String({ maxLength: 32 }),
  fraud_status: Type.Optional(Type.Unknown()),
  settlement_time: Type.Optional(Type.Unknown()),
  payment_amounts: Type.Optional(Type.Unknown()),
});
const Transaction = TypeCompiler.Compile(TransactionSchema);
export type Transaction = Static<typeof TransactionSchema>;

export interface Reply {
  readonly code: number;
  readonly body: object;
}

/** null: nothing that Midtrans itself says: silence, a redirect, a page of HTML, an error of its servers. */
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
 * The transaction that a reply tells of, when it is the order's. Banks behind BI-SNAP are found by transaction id
 * only, and their replies have that id in `order_id` too.
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
 * What was paid: banks that tell each payment (`payment_amounts`) took that, whatever was asked for; elsewhere it is the
 * gross amount. null: not understood.
 */
export function readPaidAmount(told: {
  readonly gross_amount: string;
  readonly payment_amounts?: unknown;
}): AmountMinor | null {
  const { gross_amount, payment_amounts: parts = [] } = told;
  if (!PaymentAmounts.Check(parts)) return null;
  return parts.length === 0
    ? readRailAmount(gross_amount)
    : sumRailAmounts(parts.map(({ amount }) => amount));
}

/** Lower case, since some channels write `PENDING`. */
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

/** `2021-06-23 14:06:48`: the time in Jakarta, without saying so. */
export function readJakartaTime(written: unknown): number | null {
  const match = typeof written === 'string' ? WRITTEN_TIME.exec(written) : null;
  if (match === null) return null;
  const ms = Date.parse(`${match[1]}T${match[2]}${JAKARTA}`);
  return Number.isNaN(ms) ? null : ms;
}

export function writeJakartaTime(ms: number): string {
  const written = new Date(ms + JAKARTA_MS).toISOString();
  return `${written.slice(0, 10)} ${written.slice(11, 19)}`;
}
