// Outgoing money at Xendit: refunds of QRIS payments (PENDING first) and payouts. Certain account numbers select the
// final status of a payout. The final status is sent by webhook.
import { randomBytes, randomUUID } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { makeMinor, ZERO_MINOR } from '#actors/core/money.js';
import type { SimulatedOrder, SimulatedPayout, SimulatedRefund } from './orders-store.js';
import type { Callback } from './callback-sender.js';
import type { SimulatorRequest, SimulatedOperation, Reply } from './http.js';
import type { SimulatorContext } from './simulator-context.js';
import { BUSINESS, findChannel, buildWebhook, buildXenditError } from './xendit-wire.js';

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

type PayoutEnd = Pick<SimulatedPayout, 'status' | 'failureCode'>;
const buildFailed = (failureCode: string): PayoutEnd => ({ status: 'FAILED', failureCode });
const SUCCEEDED: PayoutEnd = { status: 'SUCCEEDED', failureCode: null };
const REVERSED: PayoutEnd = { status: 'REVERSED', failureCode: null };
/** The statuses of payouts to these accounts, in sequence; payouts to all others succeed. */
const MAGIC_ACCOUNTS: Readonly<Record<string, readonly PayoutEnd[]>> = {
  '123456': [buildFailed('TEMPORARY_TRANSFER_ERROR')],
  '999999': [buildFailed('REJECTED_BY_CHANNEL')],
  '121212': [buildFailed('INVALID_DESTINATION')],
  '654321': [SUCCEEDED, REVERSED],
  '131313': [],
};

export function routeRefunds(
  ask: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  const { method, body, query } = ask;
  if (method === 'POST') {
    if (!Value.Check(Refund, body)) return buildXenditError(400, 'API_VALIDATION_ERROR');
    return {
      ...({ operation: 'refund', rail: 'xendit', subject: body.reference_id } as const),
      run: ({ isStuck }) => refund(body, isStuck, stage),
      reject: () => buildXenditError(403, 'REFUND_NOT_SUPPORTED'),
    };
  }
  const [, id] = ask.path;
  if (id !== undefined) return showRefund(id, stage);
  const requestId = query.get('payment_request_id') ?? '';
  const order = stage.store.findOrder('xendit', requestId);
  return {
    ...({ operation: 'status', rail: 'xendit', subject: order?.orderId ?? requestId } as const),
    run: () => {
      const refunds = order?.refunds.filter(({ kind }) => kind === 'refund') ?? [];
      const data = order === undefined ? [] : refunds.map((made) => buildRefundBody(order, made));
      return { status: 200, body: { data, has_more: false } };
    },
    reject: () => buildXenditError(404, 'DATA_NOT_FOUND'),
  };
}

function showRefund(id: string, { store }: SimulatorContext): SimulatedOperation {
  const found = store
    .listOrders()
    .flatMap((order) => order.refunds.map((made) => ({ order, made })))
    .find(({ made }) => made.id === id && made.kind === 'refund');
  return {
    ...({ operation: 'status', rail: 'xendit', subject: id } as const),
    run: () =>
      found === undefined
        ? buildXenditError(404, 'DATA_NOT_FOUND')
        : { status: 200, body: buildRefundBody(found.order, found.made) },
    reject: () => buildXenditError(404, 'DATA_NOT_FOUND'),
  };
}

function refund(body: Refund, isStuck: boolean, stage: SimulatorContext): Reply {
  const order = stage.store.findOrder('xendit', body.payment_request_id);
  if (order === undefined) return buildXenditError(404, 'DATA_NOT_FOUND');
  if (order.method !== 'QRIS') return buildXenditError(403, 'REFUND_NOT_SUPPORTED');
  if (order.payments.length === 0) return buildXenditError(400, 'INELIGIBLE_TRANSACTION_STATUS');
  const open = order.refunds.filter(({ status }) => status !== 'FAILED');
  const taken = open.reduce((sum, { amountMinor }) => sum + amountMinor, ZERO_MINOR as bigint);
  const amountMinor = makeMinor(BigInt(body.amount));
  if (taken + amountMinor > order.amountMinor)
    return buildXenditError(400, 'REFUND_AMOUNT_EXCEEDED');
  const made: SimulatedRefund = {
    ...{ id: `rfd-${randomUUID()}`, kind: 'refund', reference: body.reference_id, amountMinor },
    ...{ status: 'PENDING', atMs: stage.nowMs(), isStuck },
  };
  stage.store.put({ ...order, refunds: [...order.refunds, made] });
  if (!isStuck) stage.later(() => endRefund(order.orderId, made.reference, 'SUCCEEDED', stage));
  return { status: 200, body: buildRefundBody(order, made) };
}

/** Sets the final status of a pending refund; false: there is none. */
export function endRefund(
  orderId: string,
  reference: SimulatedRefund['reference'],
  status: 'SUCCEEDED' | 'FAILED',
  stage: SimulatorContext,
): boolean {
  const order = stage.store.findOrder('xendit', orderId);
  const isIt = (it: SimulatedRefund) => it.reference === reference && it.status === 'PENDING';
  const made = order?.refunds.find(isIt);
  if (order === undefined || made === undefined) return false;
  const ended = { ...made, status };
  stage.store.put({ ...order, refunds: order.refunds.map((it) => (it === made ? ended : it)) });
  const event = `refund.${status.toLowerCase()}`;
  stage.send(
    buildWebhook(
      { event, subject: reference ?? orderId, token: stage.settings.xenditCallbackToken },
      buildRefundBody(order, ended),
    ),
  );
  return true;
}

/** Sends the webhook of a refund that the dashboard made. Webhooks of chargebacks are not simulated. */
export function reportGivenBack(
  order: SimulatedOrder,
  made: SimulatedRefund,
  stage: SimulatorContext,
): void {
  if (made.kind === 'chargeback') return;
  const token = stage.settings.xenditCallbackToken;
  const about = { event: 'refund.succeeded', subject: order.orderId, token };
  stage.send(buildWebhook(about, buildRefundBody(order, made)));
}

function buildRefundBody(order: SimulatedOrder, made: SimulatedRefund): object {
  const at = new Date(made.atMs).toISOString();
  return {
    id: made.id,
    payment_request_id: order.id,
    payment_id: order.payments.at(-1)?.id ?? null,
    invoice_id: null,
    reference_id: made.reference,
    channel_code: findChannel(order.method),
    currency: 'IDR',
    amount: Number(made.amountMinor),
    status: made.status,
    reason: 'REQUESTED_BY_CUSTOMER',
    failure_code: made.status === 'FAILED' ? 'ISSUER_UNAVAILABLE' : null,
    refund_fee_amount: null,
    metadata: null,
    created: at,
    updated: at,
  };
}

export function routePayouts(
  ask: SimulatorRequest,
  stage: SimulatorContext,
): SimulatedOperation | Reply {
  const { method, path, query, body } = ask;
  if (method === 'POST') {
    if (!Value.Check(NewPayout, body)) return buildXenditError(400, 'API_VALIDATION_ERROR');
    const key = ask.headers['idempotency-key'];
    if (typeof key !== 'string') return buildXenditError(400, 'API_VALIDATION_ERROR');
    return {
      ...({ operation: 'payout', rail: 'xendit', subject: body.reference_id } as const),
      run: ({ isStuck }) => payOut(body, { key, isStuck }, stage),
      reject: () => buildXenditError(400, 'INSUFFICIENT_BALANCE'),
    };
  }
  const id = path[2];
  const named = id ?? query.get('reference_id') ?? '';
  const payout = stage.store.findPayout(named);
  return {
    ...({ operation: 'status', rail: 'xendit', subject: payout?.reference ?? named } as const),
    run: () => {
      if (id === undefined) {
        return {
          status: 200,
          body: { data: payout === undefined ? [] : [buildPayoutBody(payout)] },
        };
      }
      return payout === undefined
        ? buildXenditError(404, 'DATA_NOT_FOUND')
        : { status: 200, body: buildPayoutBody(payout) };
    },
    reject: () => buildXenditError(404, 'DATA_NOT_FOUND'),
  };
}

/** The same key and reference is the same payout. */
function payOut(
  body: NewPayout,
  { key, isStuck }: { readonly key: string; readonly isStuck: boolean },
  stage: SimulatorContext,
): Reply {
  const earlier = stage.store.findPayout(body.reference_id);
  if (earlier !== undefined) {
    return earlier.idempotencyKey === key
      ? { status: 200, body: buildPayoutBody(earlier) }
      : buildXenditError(409, 'DUPLICATE_ERROR');
  }
  const payout: SimulatedPayout = {
    ...{ kind: 'payout', rail: 'xendit', id: `disb-${randomBytes(12).toString('hex')}` },
    ...{ reference: body.reference_id, idempotencyKey: key, channelCode: body.channel_code },
    accountNumber: body.channel_properties.account_number,
    amountMinor: makeMinor(BigInt(body.amount)),
    ...{ status: 'ACCEPTED', failureCode: null, createdAtMs: stage.nowMs(), isStuck },
  };
  stage.store.put(payout);
  runEndings(payout, listEndings(payout), stage);
  return { status: 200, body: buildPayoutBody(payout) };
}

/** Finishes the work that banks had under way when the simulator was killed. */
export function resumePayouts(stage: SimulatorContext): void {
  for (const payout of stage.store.listPayouts()) {
    if (payout.status === 'ACCEPTED') runEndings(payout, listEndings(payout), stage);
  }
  for (const { rail, orderId, refunds } of stage.store.listOrders()) {
    if (rail !== 'xendit') continue;
    for (const { reference, status, isStuck } of refunds) {
      if (status !== 'PENDING' || isStuck) continue;
      stage.later(() => endRefund(orderId, reference, 'SUCCEEDED', stage));
    }
  }
}

const listEndings = ({ accountNumber, isStuck }: SimulatedPayout): readonly PayoutEnd[] =>
  isStuck ? [] : (MAGIC_ACCOUNTS[accountNumber] ?? [SUCCEEDED]);

function runEndings(
  { reference }: SimulatedPayout,
  [ending, ...rest]: readonly PayoutEnd[],
  stage: SimulatorContext,
): void {
  if (ending === undefined) return;
  stage.later(() => {
    const ended = endPayout(reference, ending, stage);
    if (ended !== undefined) runEndings(ended, rest, stage);
  });
}

/** Sets the final status of a payout; undefined: there is none. */
export function endPayout(
  reference: string,
  ending: PayoutEnd,
  stage: SimulatorContext,
): SimulatedPayout | undefined {
  const payout = stage.store.findPayout(reference);
  if (payout === undefined) return undefined;
  const ended = { ...payout, ...ending };
  stage.store.put(ended);
  stage.send(buildPayoutCallback(ended, stage.settings.xenditCallbackToken));
  return ended;
}

function buildPayoutCallback(payout: SimulatedPayout, token: string): Callback {
  const event = `payout.${payout.status.toLowerCase()}`;
  return buildWebhook({ event, subject: payout.reference, token }, buildPayoutBody(payout));
}

function buildPayoutBody(payout: SimulatedPayout): object {
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
