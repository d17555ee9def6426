// Xendit's list of transactions (docs.xendit.co: "List Transactions"): the payments, refunds, chargebacks and payouts of a
// period, newest first, in pages. The `reference_id` of a refund is the caller's, or the dashboard's; that of a chargeback
// is the order's.
import type { SimulatedOrder, SimulatedPayout, SimulatedRefund } from './orders-store.js';
import type { SimulatorRequest, SimulatedOperation, Reply } from './http.js';
import type { SimulatorContext } from './simulator-context.js';
import { BUSINESS, findChannel, buildXenditError } from './xendit-wire.js';

const MAX_LISTED = 50;
const PRESET_LISTED = 10;

interface Entry {
  /** Without its prefix. */
  readonly id: string;
  readonly type: 'PAYMENT' | 'REFUND' | 'CHARGEBACK' | 'DISBURSEMENT';
  readonly productId: string;
  readonly reference: string;
  readonly status: string;
  readonly channel: string;
  readonly amountMinor: bigint;
  readonly atMs: number;
  readonly requestId: string | null;
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
  const types = query.getAll('types');
  const orders = store.listOrders().filter(({ rail }) => rail === 'xendit');
  const entries = [...orders.flatMap(listOrder), ...store.listPayouts().map(readPayout)]
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .sort(compare);
  const after = query.get('after_id');
  const begin = after === null ? 0 : entries.findIndex((it) => buildId(it) === after) + 1;
  const page = entries.slice(begin, begin + limit);
  const hasMore = begin + limit < entries.length;
  return { status: 200, body: { has_more: hasMore, data: page.map(describe), links: [] } };
}

const buildId = ({ id }: Entry): string => `txn_${id}`;

function compare(a: Entry, b: Entry): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  return a.id < b.id ? -1 : 1;
}

function listOrder(order: SimulatedOrder): Entry[] {
  const payments = order.payments.map(({ id, amountMinor, atMs }): Entry => ({
    ...{ id: id.slice(3), type: 'PAYMENT', productId: id, reference: order.orderId },
    status: order.status === 'reversed' ? 'REVERSED' : 'SUCCESS',
    ...{ channel: findChannel(order.method), amountMinor, atMs, requestId: order.id },
  }));
  return [...payments, ...order.refunds.map((made) => readRefund(order, made))];
}

function readRefund(order: SimulatedOrder, made: SimulatedRefund): Entry {
  const { id, kind, reference, amountMinor, atMs } = made;
  const isRefund = kind === 'refund';
  return {
    ...{ id, type: isRefund ? 'REFUND' : 'CHARGEBACK', productId: id },
    reference: isRefund ? (reference ?? '') : order.orderId,
    status: made.status === 'SUCCEEDED' ? 'SUCCESS' : made.status,
    ...{ channel: findChannel(order.method), amountMinor, atMs },
    requestId: isRefund ? null : order.id,
  };
}

function readPayout(payout: SimulatedPayout): Entry {
  const { id, reference, channelCode, amountMinor, status, createdAtMs: atMs } = payout;
  const names = {
    ACCEPTED: 'PENDING',
    SUCCEEDED: 'SUCCESS',
    FAILED: 'FAILED',
    REVERSED: 'REVERSED',
  };
  return {
    ...{ id, type: 'DISBURSEMENT', productId: id, reference, status: names[status] },
    ...{ channel: channelCode.slice(3), amountMinor, atMs, requestId: null },
  };
}

const CATEGORIES = { PAYMENT: null, REFUND: null, CHARGEBACK: null, DISBURSEMENT: 'BANK' } as const;

function describe(entry: Entry): object {
  const { type, productId, reference, status, channel, amountMinor, atMs, requestId } = entry;
  const at = new Date(atMs).toISOString();
  const amount = Number(amountMinor);
  return {
    ...{ id: buildId(entry), product_id: productId, type, status },
    channel_category: CATEGORIES[type] ?? (channel === 'QRIS' ? 'QR_CODE' : 'VIRTUAL_ACCOUNT'),
    channel_code: channel,
    ...{ reference_id: reference, account_identifier: null },
    ...{ currency: 'IDR', amount, net_amount: amount },
    cashflow: type === 'PAYMENT' ? 'MONEY_IN' : 'MONEY_OUT',
    ...{ settlement_status: 'SETTLED', business_id: BUSINESS, created: at, updated: at },
    ...(requestId === null ? {} : { product_data: { payment_request_id: requestId } }),
  };
}
