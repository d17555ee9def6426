// Money that goes out at Xendit (RAILS, section 2): refunds of QRIS payments, PENDING first, and payouts, whose
// account numbers can ask for an ending. How they ended is told by webhook.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { toMinor, ZERO_MINOR } from '#actors/core/money.js';
import type { Order, Payout, SimulatedRefund } from './orders-store.js';
import type { Callback } from './callbacks.js';
import type { Ask, Operation, Reply } from './http.js';
import type { Stage } from './stage.js';
import { BUSINESS, channelOf, webhook, xenditError } from './xendit-wire.js';

const Refund = Type.Object({
  payment_request_id: Type.String(),
  reference_id: Type.String({ minLength: 1, maxLength: 255 }),
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.Literal('IDR'),
  reason: Type.String(),
});
type Refund = Static<typeof Refund>;

const NewPayout = Type.Object({
  reference_id: Type.String({ minLength: 1, maxLength: 255 }),
  channel_code: Type.String({ pattern: '^ID_[A-Z]+$' }),
  channel_properties: Type.Object({
    account_number: Type.String({ pattern: '^[0-9]+$' }),
    account_holder_name: Type.String({ minLength: 1 }),
  }),
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.Literal('IDR'),
});
type NewPayout = Static<typeof NewPayout>;

type Ending = Pick<Payout, 'status' | 'failureCode'>;
const failed = (failureCode: string): Ending => ({ status: 'FAILED', failureCode });
const SUCCEEDED: Ending = { status: 'SUCCEEDED', failureCode: null };
const REVERSED: Ending = { status: 'REVERSED', failureCode: null };
/** What becomes of payouts to these accounts, one after the other; to all others they succeed. */
const MAGIC_ACCOUNTS: Readonly<Record<string, readonly Ending[]>> = {
  '123456': [failed('TEMPORARY_TRANSFER_ERROR')],
  '999999': [failed('REJECTED_BY_CHANNEL')],
  '121212': [failed('INVALID_DESTINATION')],
  '654321': [SUCCEEDED, REVERSED],
  '131313': [],
};

export function routeRefunds(ask: Ask, stage: Stage): Operation | Reply {
  const { method, body, query } = ask;
  if (method === 'POST') {
    if (!Value.Check(Refund, body)) return xenditError(400, 'API_VALIDATION_ERROR');
    return {
      ...({ operation: 'refund', rail: 'xendit', subject: body.reference_id } as const),
      run: () => refund(body, stage),
      refuse: () => xenditError(403, 'REFUND_NOT_SUPPORTED'),
    };
  }
  const requestId = query.get('payment_request_id') ?? '';
  const order = stage.books.findOrder('xendit', requestId);
  return {
    ...({ operation: 'status', rail: 'xendit', subject: order?.orderId ?? requestId } as const),
    run: () => {
      const data = order?.refunds.map((made) => refundBody(order, made)) ?? [];
      return { status: 200, body: { data, has_more: false } };
    },
    refuse: () => xenditError(404, 'DATA_NOT_FOUND'),
  };
}

function refund(body: Refund, stage: Stage): Reply {
  const order = stage.books.findOrder('xendit', body.payment_request_id);
  if (order === undefined) return xenditError(404, 'DATA_NOT_FOUND');
  if (order.method !== 'QRIS') return xenditError(403, 'REFUND_NOT_SUPPORTED');
  if (order.payments.length === 0) return xenditError(400, 'INELIGIBLE_TRANSACTION_STATUS');
  const open = order.refunds.filter(({ status }) => status !== 'FAILED');
  const taken = open.reduce((sum, { amountMinor }) => sum + amountMinor, ZERO_MINOR as bigint);
  const amountMinor = toMinor(BigInt(body.amount));
  if (taken + amountMinor > order.amountMinor) return xenditError(400, 'REFUND_AMOUNT_EXCEEDED');
  const made: SimulatedRefund = {
    ...{ id: `rfd-${randomUUID()}`, reference: body.reference_id, amountMinor },
    ...{ status: 'PENDING', atMs: stage.nowMs() },
  };
  stage.books.put({ ...order, refunds: [...order.refunds, made] });
  stage.later(() => endRefund(order.orderId, made.reference, 'SUCCEEDED', stage));
  return { status: 200, body: refundBody(order, made) };
}

/** Says how a pending refund ended; false: there is none. */
export function endRefund(
  orderId: string,
  reference: string,
  status: 'SUCCEEDED' | 'FAILED',
  stage: Stage,
): boolean {
  const order = stage.books.findOrder('xendit', orderId);
  const isIt = (it: SimulatedRefund) => it.reference === reference && it.status === 'PENDING';
  const made = order?.refunds.find(isIt);
  if (order === undefined || made === undefined) return false;
  const ended = { ...made, status };
  stage.books.put({ ...order, refunds: order.refunds.map((it) => (it === made ? ended : it)) });
  const event = `refund.${status.toLowerCase()}`;
  stage.send(
    webhook(
      { event, subject: reference, token: stage.settings.xenditCallbackToken },
      refundBody(order, ended),
    ),
  );
  return true;
}

function refundBody(order: Order, made: SimulatedRefund): object {
  const at = new Date(made.atMs).toISOString();
  return {
    id: made.id,
    payment_request_id: order.id,
    payment_id: order.payments.at(-1)?.id ?? null,
    reference_id: made.reference,
    channel_code: channelOf(order.method),
    currency: 'IDR',
    amount: Number(made.amountMinor),
    status: made.status,
    reason: 'REQUESTED_BY_CUSTOMER',
    failure_code: made.status === 'FAILED' ? 'ISSUER_UNAVAILABLE' : null,
    created: at,
    updated: at,
  };
}

export function routePayouts(ask: Ask, stage: Stage): Operation | Reply {
  const { method, path, query, body } = ask;
  if (method === 'POST') {
    if (!Value.Check(NewPayout, body)) return xenditError(400, 'API_VALIDATION_ERROR');
    const key = ask.headers['idempotency-key'];
    if (typeof key !== 'string') return xenditError(400, 'API_VALIDATION_ERROR');
    return {
      ...({ operation: 'payout', rail: 'xendit', subject: body.reference_id } as const),
      run: () => payOut(body, key, stage),
      refuse: () => xenditError(400, 'INSUFFICIENT_BALANCE'),
    };
  }
  const id = path[2];
  const named = id ?? query.get('reference_id') ?? '';
  const payout = stage.books.findPayout(named);
  return {
    ...({ operation: 'status', rail: 'xendit', subject: payout?.reference ?? named } as const),
    run: () => {
      if (id === undefined) {
        return { status: 200, body: { data: payout === undefined ? [] : [payoutBody(payout)] } };
      }
      return payout === undefined
        ? xenditError(404, 'DATA_NOT_FOUND')
        : { status: 200, body: payoutBody(payout) };
    },
    refuse: () => xenditError(404, 'DATA_NOT_FOUND'),
  };
}

/** The same key and reference again is the same payout. */
function payOut(body: NewPayout, idempotencyKey: string, stage: Stage): Reply {
  const earlier = stage.books.findPayout(body.reference_id);
  if (earlier !== undefined) {
    return earlier.idempotencyKey === idempotencyKey
      ? { status: 200, body: payoutBody(earlier) }
      : xenditError(409, 'DUPLICATE_ERROR');
  }
  const payout: Payout = {
    ...{ kind: 'payout', rail: 'xendit', id: `disb-${randomBytes(12).toString('hex')}` },
    ...{ reference: body.reference_id, idempotencyKey, channelCode: body.channel_code },
    accountNumber: body.channel_properties.account_number,
    amountMinor: toMinor(BigInt(body.amount)),
    ...{ status: 'ACCEPTED', failureCode: null, createdAtMs: stage.nowMs() },
  };
  stage.books.put(payout);
  goOn(payout, endingsOf(payout), stage);
  return { status: 200, body: payoutBody(payout) };
}

/** What banks had not finished when the simulator was killed, they finish now. */
export function resumeBanks(stage: Stage): void {
  for (const payout of stage.books.listPayouts()) {
    if (payout.status === 'ACCEPTED') goOn(payout, endingsOf(payout), stage);
  }
  for (const { rail, orderId, refunds } of stage.books.listOrders()) {
    if (rail !== 'xendit') continue;
    for (const { reference, status } of refunds) {
      if (status !== 'PENDING') continue;
      stage.later(() => endRefund(orderId, reference, 'SUCCEEDED', stage));
    }
  }
}

const endingsOf = ({ accountNumber }: Payout): readonly Ending[] =>
  MAGIC_ACCOUNTS[accountNumber] ?? [SUCCEEDED];

function goOn({ reference }: Payout, [ending, ...rest]: readonly Ending[], stage: Stage): void {
  if (ending === undefined) return;
  stage.later(() => {
    const ended = endPayout(reference, ending, stage);
    if (ended !== undefined) goOn(ended, rest, stage);
  });
}

/** Says how a payout ended; undefined: there is none. */
export function endPayout(reference: string, ending: Ending, stage: Stage): Payout | undefined {
  const payout = stage.books.findPayout(reference);
  if (payout === undefined) return undefined;
  const ended = { ...payout, ...ending };
  stage.books.put(ended);
  stage.send(payoutCallback(ended, stage.settings.xenditCallbackToken));
  return ended;
}

function payoutCallback(payout: Payout, token: string): Callback {
  const event = `payout.${payout.status.toLowerCase()}`;
  return webhook({ event, subject: payout.reference, token }, payoutBody(payout));
}

function payoutBody(payout: Payout): object {
  const created = new Date(payout.createdAtMs).toISOString();
  return {
    id: payout.id,
    business_id: BUSINESS,
    reference_id: payout.reference,
    channel_code: payout.channelCode,
    amount: Number(payout.amountMinor),
    currency: 'IDR',
    status: payout.status,
    ...(payout.failureCode === null ? {} : { failure_code: payout.failureCode }),
    estimated_arrival_time: created,
    created,
    updated: created,
  };
}
