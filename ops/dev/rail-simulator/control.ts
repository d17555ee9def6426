// The control API, JSON, no credential:
//   GET  orders, orders/{id}, payouts, callbacks      the books, and what was sent
//   GET  requests                                       how often each thing was asked for
//   POST pay            {pay_by | order_id, amount?, forced?}   as a customer would, by code or number
//   POST orders/{id}/deny, reverse, callback            the bank refuses, takes back; tells again ({forged?})
//   POST orders/{id}/forget, amend {amount?, paid_at?}  the books lose it; it was paid otherwise, nobody is told
//   POST orphans {rail, method, amount, paid_at?}       paid, and nobody had asked for it
//   POST refunds/{reference} {order_id, status}, payouts/{reference} {status, failure_code?}   how they ended
//   PUT  faults {seed?, rules}                          replaces the faults (faults.ts)
//   PUT  targets {midtrans, xendit}                     where callbacks go
import { randomUUID } from 'node:crypto';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseAmount, toMinor } from '#actors/core/money.js';
import { CHARGEABLE_METHODS, type ChargeableMethod } from '#actors/core/payment-methods.js';
import { encode, type Order } from './orders-store.js';
import type { CallbackSender } from './callbacks.js';
import { FaultPlan, type Faults } from './faults.js';
import type { Ask, Reply } from './http.js';
import { midtransCallback } from './midtrans.js';
import { endOrder, openOrder, orderAt, payOrder } from './orders.js';
import type { RequestCounts } from './request-counts.js';
import type { Stage } from './stage.js';
import { endPayout, endRefund } from './xendit-money.js';
import { xenditCallback } from './xendit-requests.js';

const LISTED = 10_000;
const ORPHAN_EXPIRES_IN_MS = 3_600_000;

export interface Controlled {
  readonly stage: Stage;
  readonly faults: Faults;
  readonly callbacks: CallbackSender;
  readonly requests: RequestCounts;
}

const byName = (names: readonly string[]): Record<string, string> =>
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
  method: Type.Unsafe<ChargeableMethod>(Type.Enum(byName(CHARGEABLE_METHODS))),
  amount: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  paid_at: Type.Optional(PaidAt),
});
const AmendBody = Type.Object({
  amount: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$' })),
  paid_at: Type.Optional(PaidAt),
});
const CallbackBody = Type.Object({ forged: Type.Optional(Type.Boolean()) });
const RefundEnd = Type.Object({
  order_id: Type.String(),
  status: Type.Union([Type.Literal('SUCCEEDED'), Type.Literal('FAILED')]),
});
const PayoutEnd = Type.Object({
  status: Type.Union([Type.Literal('SUCCEEDED'), Type.Literal('FAILED'), Type.Literal('REVERSED')]),
  failure_code: Type.Optional(Type.String()),
});

export function answerControl(ask: Ask, parts: Controlled): Reply {
  const { stage, faults, callbacks, requests } = parts;
  const [what, id = '', act] = ask.path;
  switch (`${ask.method} ${what}`) {
    case 'GET orders':
      return id === '' ? list(ordersOf(stage)) : withOrder(stage, id, show);
    case 'GET payouts':
      return list(stage.books.listPayouts());
    case 'GET callbacks':
      return list(callbacks.records);
    case 'GET requests':
      return list(requests.list());
    case 'POST pay':
      return withBody(PayBody, ask, (body) => pay(body, stage));
    case 'POST orders':
      return withOrder(stage, id, (order) => actOn(order, act ?? '', ask, parts));
    case 'POST orphans':
      return withBody(OrphanBody, ask, (body) => makeOrphan(body, stage));
    case 'POST refunds':
      return withBody(RefundEnd, ask, ({ order_id, status }) =>
        endRefund(order_id, id, status, stage) ? done : failure(404, 'no such pending refund'),
      );
    case 'POST payouts':
      return withBody(PayoutEnd, ask, ({ status, failure_code: failureCode = null }) => {
        const ended = endPayout(id, { status, failureCode }, stage);
        return ended === undefined ? failure(404, 'no such payout') : show(ended);
      });
    case 'PUT faults':
      return withBody(FaultPlan, ask, (plan) => {
        faults.plan(plan);
        return done;
      });
    case 'PUT targets':
      return withBody(Targets, ask, (targets) => {
        callbacks.targets = targets;
        return done;
      });
    default:
      return failure(404, 'no such call');
  }
}

const done: Reply = { status: 200, body: { done: true } };
const failure = (status: number, error: string): Reply => ({ status, body: { error } });
const show = (record: object): Reply => ({ status: 200, body: encode(record), type: JSON_TYPE });
const JSON_TYPE = 'application/json';

const list = (records: readonly object[]): Reply => show({ data: records.slice(-LISTED) });

const ordersOf = (stage: Stage): Order[] =>
  stage.books.listOrders().map((order) => orderAt(order, stage.nowMs()));

function withBody<Schema extends TSchema>(
  schema: Schema,
  { body = {} }: Ask,
  act: (body: Static<Schema>) => Reply,
): Reply {
  if (Value.Check(schema, body)) return act(body);
  const first = Value.Errors(schema, body).First();
  return failure(400, `${first?.path ?? ''}: ${first?.message ?? 'wrong'}`);
}

function withOrder(stage: Stage, key: string, act: (order: Order) => Reply): Reply {
  const { books } = stage;
  const order = books.findOrder('midtrans', key) ?? books.findOrder('xendit', key);
  return order === undefined ? failure(404, 'no such order') : act(orderAt(order, stage.nowMs()));
}

function pay(body: Static<typeof PayBody>, stage: Stage): Reply {
  const amountMinor = body.amount === undefined ? undefined : parseAmount(body.amount);
  if (typeof amountMinor === 'string') return failure(400, amountMinor);
  return withOrder(stage, body.pay_by ?? body.order_id ?? '', (order) => {
    const payment = { nowMs: stage.nowMs(), isForced: body.forced === true };
    const paid = payOrder(order, amountMinor === undefined ? payment : { ...payment, amountMinor });
    return changed(paid, order, stage);
  });
}

function makeOrphan(body: Static<typeof OrphanBody>, stage: Stage): Reply {
  const { rail, method, amount } = body;
  const nowMs = body.paid_at === undefined ? stage.nowMs() : Date.parse(body.paid_at);
  const amountMinor = toMinor(BigInt(amount));
  const order = openOrder({
    ...{ rail, method, amountMinor, nowMs },
    orderId: randomUUID(),
    expiresAtMs: nowMs + ORPHAN_EXPIRES_IN_MS,
  });
  const paid = payOrder(order, { nowMs, isForced: false }) ?? order;
  stage.books.put(paid);
  return show(paid);
}

function amend(order: Order, { amount, paid_at }: Static<typeof AmendBody>, stage: Stage): Reply {
  const payments = order.payments.map((paid) => ({
    ...paid,
    amountMinor: amount === undefined ? paid.amountMinor : toMinor(BigInt(amount)),
    atMs: paid_at === undefined ? paid.atMs : Date.parse(paid_at),
  }));
  stage.books.put({ ...order, payments });
  return done;
}

function changed(next: Order | undefined, order: Order, stage: Stage): Reply {
  if (next === undefined) return failure(409, `the order is ${order.status}`);
  stage.change(next);
  return show(next);
}

function actOn(order: Order, act: string, ask: Ask, { stage, callbacks }: Controlled): Reply {
  switch (act) {
    case 'deny':
      return changed(endOrder(order, 'denied', stage.nowMs()), order, stage);
    case 'reverse':
      return changed(endOrder(order, 'reversed', stage.nowMs()), order, stage);
    case 'forget':
      stage.books.forget(order);
      return done;
    case 'amend':
      return withBody(AmendBody, ask, (body) => amend(order, body, stage));
    case 'callback':
      return withBody(CallbackBody, ask, ({ forged = false }) => {
        const { midtransServerKey, xenditCallbackToken } = stage.settings;
        const callback =
          order.rail === 'midtrans'
            ? midtransCallback(order, midtransServerKey)
            : xenditCallback(order, xenditCallbackToken);
        if (callback === null) return failure(409, 'nothing is told of it');
        callbacks.attempt(callback, forged);
        return done;
      });
    default:
      return failure(404, 'no such act');
  }
}
