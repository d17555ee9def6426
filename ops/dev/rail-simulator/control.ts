// The control API, JSON, without a credential:
//   GET  orders, orders/{id}, payouts, callbacks      the stored objects, and the callbacks that were sent
//   GET  requests                                       the number of requests of each kind
//   POST pay            {pay_by | order_id, amount?, forced?}   pays like a customer, by QR payload or account number
//   POST orders/{id}/deny, reverse, callback            the bank declines, reverses; sends the callback again ({forged?})
//   POST orders/{id}/refund, chargeback {amount?}       a refund of the rail's dashboard, a chargeback; by default of all
//                                                       that is left
//   POST orders/{id}/forget, amend {amount?, paid_at?, refunded_at?, product_id?}
//                                                       the store loses the order; changes its payment, or the time of
//                                                       its refunds, without a callback
//   POST orders/{id}/drop                               the store loses the refunds of the order
//   POST orphans {rail, method, amount, paid_at?}       a paid order that the service never created
//   POST refunds/{reference} {order_id, status}, payouts/{reference} {status, failure_code?}   sets the final status
//   POST payouts/{reference}/amend {status?, amount?, created_at?}, forget   changes or loses it without a callback
//   POST console-tests/{rail} {forged?}                 the rail's console tests the callback address
//   PUT  faults {seed?, rules}                          replaces the faults (faults.ts)
//   PUT  targets {midtrans, xendit}                     sets the callback addresses
import { randomUUID } from 'node:crypto';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseAmount, makeMinor } from '#actors/core/money.js';
import { CHARGEABLE_METHODS, type ChargeableMethod } from '#actors/core/payment-methods.js';
import { encode, type SimulatedOrder } from './orders-store.js';
import type { CallbackSender } from './callback-sender.js';
import { buildConsoleTests } from './console-tests.js';
import { FaultPlan, type Faults } from './faults.js';
import { giveBack } from './given-back.js';
import type { SimulatorRequest, Reply } from './http.js';
import { buildMidtransCallback } from './midtrans.js';
import { endOrder, openOrder, advanceOrder, payOrder } from './orders.js';
import type { RequestCounts } from './request-counts.js';
import type { SimulatorContext } from './simulator-context.js';
import { endPayout, endRefund } from './xendit-money.js';
import { buildXenditCallback } from './xendit-requests.js';

const LISTED = 10_000;
const ORPHAN_EXPIRES_IN_MS = 3_600_000;

export interface ControlDeps {
  readonly context: SimulatorContext;
  readonly faults: Faults;
  readonly callbacks: CallbackSender;
  readonly requests: RequestCounts;
}

const indexByName = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

const Target = Type.Union([Type.String({ pattern: '^https?://' }), Type.Null()]);
const Targets = Type.Object({ midtrans: Target, xendit: Target });
const PayBody = Type.Object({
  order_id: Type.Optional(Type.String()),
  pay_by: Type.Optional(Type.String()),
  amount: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
  forced: Type.Optional(Type.Boolean()),
});
const PaidAt = Type.String({ pattern: '^[0-9-]{10}T[0-9:.]+Z$' });
const OrphanBody = Type.Object({
  rail: Type.Union([Type.Literal('midtrans'), Type.Literal('xendit')]),
  method: Type.Unsafe<ChargeableMethod>(Type.Enum(indexByName(CHARGEABLE_METHODS))),
  amount: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  paid_at: Type.Optional(PaidAt),
});
const AmendBody = Type.Object({
  amount: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$' })),
  paid_at: Type.Optional(PaidAt),
  refunded_at: Type.Optional(PaidAt),
  product_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,80}$' })),
});
const GiveBackBody = Type.Object({
  amount: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$' })),
});
const PayoutStatus = Type.Union([
  Type.Literal('SUCCEEDED'),
  Type.Literal('FAILED'),
  Type.Literal('REVERSED'),
]);
const PayoutAmendBody = Type.Object({
  status: Type.Optional(PayoutStatus),
  amount: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$' })),
  created_at: Type.Optional(PaidAt),
});
const CallbackBody = Type.Object({ forged: Type.Optional(Type.Boolean()) });
const RefundEnd = Type.Object({
  order_id: Type.String(),
  status: Type.Union([Type.Literal('SUCCEEDED'), Type.Literal('FAILED')]),
});
const PayoutEnd = Type.Object({
  status: PayoutStatus,
  failure_code: Type.Optional(Type.String()),
});

export function answerControl(ask: SimulatorRequest, parts: ControlDeps): Reply {
  const { context, faults, callbacks, requests } = parts;
  const [what, id = '', act] = ask.path;
  switch (`${ask.method} ${what}`) {
    case 'GET orders':
      return id === ''
        ? replyWithList(listOrdersOf(context))
        : runWithOrder(context, id, replyWithRecord);
    case 'GET payouts':
      return replyWithList(context.store.listPayouts());
    case 'GET callbacks':
      return replyWithList(callbacks.records);
    case 'GET requests':
      return replyWithList(requests.list());
    case 'POST pay':
      return runWithBody(PayBody, ask, (body) => pay(body, context));
    case 'POST orders':
      return runWithOrder(context, id, (order) => runAction(order, act ?? '', ask, parts));
    case 'POST orphans':
      return runWithBody(OrphanBody, ask, (body) => makeOrphan(body, context));
    case 'POST refunds':
      return runWithBody(RefundEnd, ask, ({ order_id, status }) =>
        endRefund(order_id, id, status, context)
          ? done
          : buildFailure(404, 'no such pending refund'),
      );
    case 'POST payouts':
      if (act === 'forget') {
        context.store.forgetPayout(id);
        return done;
      }
      if (act === 'amend') {
        return runWithBody(PayoutAmendBody, ask, (body) => amendPayout(id, body, context));
      }
      return runWithBody(PayoutEnd, ask, ({ status, failure_code: failureCode = null }) => {
        const ended = endPayout(id, { status, failureCode }, context);
        return ended === undefined ? buildFailure(404, 'no such payout') : replyWithRecord(ended);
      });
    case 'POST console-tests':
      if (id !== 'midtrans' && id !== 'xendit') return buildFailure(404, 'no such rail');
      return runWithBody(CallbackBody, ask, ({ forged = false }) => {
        for (const test of buildConsoleTests(id, context)) callbacks.attempt(test, forged);
        return done;
      });
    case 'PUT faults':
      return runWithBody(FaultPlan, ask, (plan) => {
        faults.plan(plan);
        return done;
      });
    case 'PUT targets':
      return runWithBody(Targets, ask, (targets) => {
        callbacks.targets = targets;
        return done;
      });
    default:
      return buildFailure(404, 'no such call');
  }
}

const done: Reply = { status: 200, body: { done: true } };
const buildFailure = (status: number, error: string): Reply => ({ status, body: { error } });
const replyWithRecord = (record: object): Reply => ({
  status: 200,
  body: encode(record),
  type: JSON_TYPE,
});
const JSON_TYPE = 'application/json';

const replyWithList = (records: readonly object[]): Reply =>
  replyWithRecord({ data: records.slice(-LISTED) });

const listOrdersOf = (stage: SimulatorContext): SimulatedOrder[] =>
  stage.store.listOrders().map((order) => advanceOrder(order, stage.nowMs()));

function runWithBody<Schema extends TSchema>(
  schema: Schema,
  { body = {} }: SimulatorRequest,
  act: (body: Static<Schema>) => Reply,
): Reply {
  if (Value.Check(schema, body)) return act(body);
  const first = Value.Errors(schema, body).First();
  return buildFailure(400, `${first?.path ?? ''}: ${first?.message ?? 'wrong'}`);
}

function runWithOrder(
  stage: SimulatorContext,
  key: string,
  act: (order: SimulatedOrder) => Reply,
): Reply {
  const { store } = stage;
  const order = store.findOrder('midtrans', key) ?? store.findOrder('xendit', key);
  return order === undefined
    ? buildFailure(404, 'no such order')
    : act(advanceOrder(order, stage.nowMs()));
}

function pay(body: Static<typeof PayBody>, stage: SimulatorContext): Reply {
  const amountMinor = body.amount === undefined ? undefined : parseAmount(body.amount);
  if (typeof amountMinor === 'string') return buildFailure(400, amountMinor);
  return runWithOrder(stage, body.pay_by ?? body.order_id ?? '', (order) => {
    const payment = { nowMs: stage.nowMs(), isForced: body.forced === true };
    const paid = payOrder(order, amountMinor === undefined ? payment : { ...payment, amountMinor });
    return buildChangeReply(paid, order, stage);
  });
}

function makeOrphan(body: Static<typeof OrphanBody>, stage: SimulatorContext): Reply {
  const { rail, method, amount } = body;
  const nowMs = body.paid_at === undefined ? stage.nowMs() : Date.parse(body.paid_at);
  const amountMinor = makeMinor(BigInt(amount));
  const order = openOrder({
    ...{ rail, method, amountMinor, nowMs },
    orderId: randomUUID(),
    expiresAtMs: nowMs + ORPHAN_EXPIRES_IN_MS,
  });
  const paid = payOrder(order, { nowMs, isForced: false }) ?? order;
  stage.store.put(paid);
  return replyWithRecord(paid);
}

function amend(
  order: SimulatedOrder,
  { amount, paid_at, refunded_at, product_id }: Static<typeof AmendBody>,
  stage: SimulatorContext,
): Reply {
  const payments = order.payments.map((paid) => ({
    ...paid,
    id: product_id ?? paid.id,
    amountMinor: amount === undefined ? paid.amountMinor : makeMinor(BigInt(amount)),
    atMs: paid_at === undefined ? paid.atMs : Date.parse(paid_at),
  }));
  const refunds = order.refunds.map((made) => ({
    ...made,
    atMs: refunded_at === undefined ? made.atMs : Date.parse(refunded_at),
  }));
  stage.store.put({ ...order, payments, refunds });
  return done;
}

function amendPayout(
  reference: string,
  { status, amount, created_at }: Static<typeof PayoutAmendBody>,
  { store }: SimulatorContext,
): Reply {
  const payout = store.findPayout(reference);
  if (payout === undefined) return buildFailure(404, 'no such payout');
  store.put({
    ...payout,
    status: status ?? payout.status,
    amountMinor: amount === undefined ? payout.amountMinor : makeMinor(BigInt(amount)),
    createdAtMs: created_at === undefined ? payout.createdAtMs : Date.parse(created_at),
  });
  return done;
}

function buildChangeReply(
  next: SimulatedOrder | undefined,
  order: SimulatedOrder,
  stage: SimulatorContext,
): Reply {
  if (next === undefined) return buildFailure(409, `the order is ${order.status}`);
  stage.change(next);
  return replyWithRecord(next);
}

function runAction(
  order: SimulatedOrder,
  act: string,
  ask: SimulatorRequest,
  { context, callbacks }: ControlDeps,
): Reply {
  switch (act) {
    case 'deny':
      return buildChangeReply(endOrder(order, 'denied', context.nowMs()), order, context);
    case 'reverse':
      return buildChangeReply(endOrder(order, 'reversed', context.nowMs()), order, context);
    case 'forget':
      context.store.forget(order);
      return done;
    case 'drop':
      context.store.put({ ...order, refunds: [] });
      return done;
    case 'refund':
    case 'chargeback':
      return runWithBody(GiveBackBody, ask, ({ amount }) => {
        const amountMinor = amount === undefined ? undefined : makeMinor(BigInt(amount));
        const next = giveBack(order, { kind: act, amountMinor }, context);
        return next === undefined ? buildFailure(409, 'nothing is left') : replyWithRecord(next);
      });
    case 'amend':
      return runWithBody(AmendBody, ask, (body) => amend(order, body, context));
    case 'callback':
      return runWithBody(CallbackBody, ask, ({ forged = false }) => {
        const { midtransServerKey, xenditCallbackToken } = context.settings;
        const callback =
          order.rail === 'midtrans'
            ? buildMidtransCallback(order, midtransServerKey)
            : buildXenditCallback(order, xenditCallbackToken);
        if (callback === null) return buildFailure(409, 'the rail sends no callback about it');
        callbacks.attempt(callback, forged);
        return done;
      });
    default:
      return buildFailure(404, 'no such act');
  }
}
