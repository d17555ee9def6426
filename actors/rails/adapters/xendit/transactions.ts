// Xendit's list of transactions (docs.xendit.co: "List Transactions"): the payments of a period, 50 a page. An entry names
// our reference and, in `product_id`, the payment or its payment request.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ListedTransaction, ListQuery, TransactionList } from '../rail.js';
import { readRailAmount } from '../wire.js';
import { Amount, Id, type Reply } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;
/** The longest page. */
const LISTED = 50;
const REQUEST_ID = 'pr-';
const PAYMENT_ID = 'py-';

const STATES: Readonly<Record<string, ListedTransaction['state']>> = {
  SUCCESS: 'settled',
  REVERSED: 'reversed',
};

const Listed = TypeCompiler.Compile(
  Type.Object({
    id: Id,
    product_id: Id,
    type: Type.Literal('PAYMENT'),
    status: Type.String({ maxLength: 40 }),
    reference_id: Type.String({ minLength: 1, maxLength: 255 }),
    amount: Amount,
    currency: Type.String({ minLength: 1, maxLength: 8 }),
  }),
);
const Page = TypeCompiler.Compile(
  Type.Object({
    has_more: Type.Boolean(),
    data: Type.Array(Type.Unknown(), { maxItems: LISTED }),
  }),
);

export function isPaymentId(reference: string): boolean {
  return reference.startsWith(PAYMENT_ID);
}

export function buildTransactionsPath({ fromMs, toMs, after }: ListQuery): string {
  const query = new URLSearchParams({
    types: 'PAYMENT',
    limit: String(LISTED),
    'created[gte]': new Date(fromMs).toISOString(),
    'created[lte]': new Date(toMs - 1).toISOString(),
    ...(after === null ? {} : { after_id: after }),
  });
  return `/transactions?${query.toString()}`;
}

/** A page with an entry that is not understood is unknown as a whole: no entry may be skipped silently. */
export function readTransactionList(reply: Reply): TransactionList {
  if (reply.kind !== 'done' || !Page.Check(reply.body)) return UNKNOWN;
  const { data, has_more: hasMore } = reply.body;
  const transactions: ListedTransaction[] = [];
  let next: string | null = null;
  for (const entry of data) {
    if (!Listed.Check(entry)) return UNKNOWN;
    const { id, product_id: product, status, reference_id: orderId, currency } = entry;
    next = id;
    const state = STATES[status];
    // Pending, failed, voided: no money.
    if (state === undefined) continue;
    const amountMinor = readRailAmount(entry.amount);
    if (amountMinor === null) return UNKNOWN;
    transactions.push({
      state,
      orderId,
      railTransactionId: isPaymentId(product) ? product : null,
      railReference: isPaymentId(product) || product.startsWith(REQUEST_ID) ? product : null,
      amountMinor,
      currency,
    });
  }
  if (hasMore && next === null) return UNKNOWN;
  return { result: 'page', transactions, next: hasMore ? next : null };
}
