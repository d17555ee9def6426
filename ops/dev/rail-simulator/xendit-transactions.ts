// Xendit's list of transactions (docs.xendit.co: "List Transactions"): the payments of a period, newest first, in pages.
import type { SimulatedOrder, SimulatedPayment } from './orders-store.js';
import type { SimulatorRequest, SimulatedOperation, Reply } from './http.js';
import type { SimulatorContext } from './simulator-context.js';
import { BUSINESS, findChannel, buildXenditError } from './xendit-wire.js';

const MAX_LISTED = 50;
const PRESET_LISTED = 10;

interface Entry {
  readonly order: SimulatedOrder;
  readonly paid: SimulatedPayment;
}

export function routeTransactions(
  ask: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  const { method, query } = ask;
  if (method !== 'GET') return buildXenditError(404, 'DATA_NOT_FOUND');
  return {
    ...({ operation: 'list', rail: 'xendit', subject: query.get('after_id') ?? '' } as const),
    run: () => list(query, stage),
    reject: () => buildXenditError(403, 'REQUEST_FORBIDDEN_ERROR'),
  };
}

function list(query: URLSearchParams, { store }: SimulatorContext): Reply {
  const limit = Number(query.get('limit') ?? PRESET_LISTED);
  const fromMs = Date.parse(query.get('created[gte]') ?? '1970-01-01');
  const toMs = Date.parse(query.get('created[lte]') ?? '9999-12-31');
  if (!(limit >= 1 && limit <= MAX_LISTED && fromMs <= toMs)) {
    return buildXenditError(400, 'API_VALIDATION_ERROR');
  }
  const entries = store
    .listOrders()
    .filter(({ rail }) => rail === 'xendit')
    .flatMap((order) => order.payments.map((paid): Entry => ({ order, paid })))
    .filter(({ paid }) => paid.atMs >= fromMs && paid.atMs <= toMs)
    .sort((a, b) => compare(a.paid, b.paid));
  const after = query.get('after_id');
  const begin =
    after === null ? 0 : entries.findIndex(({ paid }) => buildTransactionId(paid) === after) + 1;
  const page = entries.slice(begin, begin + limit);
  const hasMore = begin + limit < entries.length;
  return { status: 200, body: { has_more: hasMore, data: page.map(describe), links: [] } };
}

function compare(a: SimulatedPayment, b: SimulatedPayment): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  return a.id < b.id ? -1 : 1;
}

const buildTransactionId = ({ id }: SimulatedPayment): string => `txn_${id.slice(3)}`;

function describe({ order, paid }: Entry): object {
  const at = new Date(paid.atMs).toISOString();
  return {
    id: buildTransactionId(paid),
    product_id: paid.id,
    type: 'PAYMENT',
    status: order.status === 'reversed' ? 'REVERSED' : 'SUCCESS',
    channel_category: order.method === 'QRIS' ? 'QR_CODE' : 'VIRTUAL_ACCOUNT',
    channel_code: findChannel(order.method),
    reference_id: order.orderId,
    account_identifier: order.method === 'QRIS' ? null : order.payBy,
    ...{ currency: 'IDR', amount: Number(paid.amountMinor), net_amount: Number(paid.amountMinor) },
    ...{ cashflow: 'MONEY_IN', settlement_status: 'SETTLED', business_id: BUSINESS },
    ...{ created: at, updated: at },
  };
}
