// The truth at a rail: its orders, the money in them, and their refunds. It also counts what must not happen, such as a
// second charge of an order.
//
//   OPEN ──the customer pays──▶ PAID ──the bank takes it back──▶ REVERSED
//     ├──the time is over──▶ EXPIRED
//     └──cancelled──▶ CLOSED
import type { OrderId, PaymentId, RefundId } from '#actors/core/ids.js';
import { makeMinor, type AmountMinor } from '#actors/core/money.js';
import type { ChargeCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { World } from '../world/world.js';

const CURRENCY = 'IDR';
const REFUND_TAKES_MS = [500, 8_000] as const;

export interface RailTraits {
  readonly name: Extract<RailName, 'midtrans' | 'xendit'>;
  /** Else an order stays open until it is closed. */
  readonly takesExpiry: boolean;
  /** A repeated refund is recognised by its id; else it is made again. */
  readonly knowsRefundKeys: boolean;
}

export interface RailRefund {
  readonly orderId: OrderId;
  readonly refundId: RefundId;
  readonly amountMinor: AmountMinor;
  status: 'pending' | 'succeeded' | 'failed' | 'manual_required';
}

export interface Order {
  readonly orderId: OrderId;
  readonly paymentId: PaymentId;
  readonly amountMinor: AmountMinor;
  status: 'open' | 'paid' | 'reversed' | 'expired' | 'closed';
  /** The customer may have paid another amount. */
  paidMinor: AmountMinor;
}

/** The rail sends it in a callback. */
export interface Report {
  readonly kind: 'order' | 'refund';
  readonly id: string;
  readonly reports: ReportedState;
  readonly amount: string;
}

export class RailOrders {
  readonly traits: RailTraits;
  readonly orders = new Map<OrderId, Order>();
  readonly refunds: RailRefund[] = [];
  /** Requests that should not have been sent. */
  readonly faults: string[] = [];
  onReport: (report: Report) => void = () => {};
  onOpen: (order: Order) => void = () => {};
  readonly #world: World;
  readonly #charged = new Set<OrderId>();

  constructor(world: World, traits: RailTraits) {
    this.#world = world;
    this.traits = traits;
  }

  /** Call it for each charge that leaves a process, also when it is lost on its way. */
  noteChargeSent({ orderId, paymentId }: ChargeCall): void {
    if (this.#charged.has(orderId)) {
      this.faults.push(`the order ${orderId} of ${paymentId} was charged twice`);
    }
    this.#charged.add(orderId);
  }

  open({ orderId, paymentId, amountMinor, expiresAtMs }: ChargeCall, nowMs: number): void {
    const order: Order = {
      orderId,
      paymentId,
      amountMinor,
      status: 'open',
      paidMinor: amountMinor,
    };
    this.orders.set(orderId, order);
    this.#world.trace(`${this.traits.name} order ${orderId} is open`);
    this.onOpen(order);
    if (!this.traits.takesExpiry) return;
    this.#world.schedule(Math.max(0, expiresAtMs - nowMs), () => {
      if (order.status === 'open') this.#change(order, 'expired');
    });
  }

  listOpen(paymentId: PaymentId): Order[] {
    return [...this.orders.values()].filter(
      (order) => order.paymentId === paymentId && order.status === 'open',
    );
  }

  pay(order: Order, paidMinor: AmountMinor): void {
    order.paidMinor = paidMinor;
    this.#change(order, 'paid');
  }

  /** Does nothing once a refund was requested: two ways back for one amount are a matter for people. */
  reverse(order: Order): void {
    const isRefunded = this.refunds.some(({ orderId }) => orderId === order.orderId);
    if (order.status === 'paid' && !isRefunded) this.#change(order, 'reversed');
  }

  close(order: Order): void {
    if (order.status === 'open') this.#change(order, 'closed');
  }

  describeSettlement({ orderId, paidMinor: amountMinor }: Order): Settlement {
    const { name: rail } = this.traits;
    const railTransactionId = nameTransaction(orderId);
    return { rail, railTransactionId, orderId, amountMinor, currency: CURRENCY, settledAtMs: null };
  }

  findRefund(refundId: RefundId): RailRefund | undefined {
    return this.refunds.find((refund) => refund.refundId === refundId);
  }

  refund(call: RefundCall): RailRefund {
    const known = this.findRefund(call.refundId);
    if (known !== undefined && this.traits.knowsRefundKeys) return known;
    const { orderId, refundId, amountMinor } = call;
    if (known !== undefined) this.faults.push(`the refund ${refundId} was made twice`);
    const refund: RailRefund = { orderId, refundId, amountMinor, status: this.#decide(call) };
    this.refunds.push(refund);
    if (refund.status === 'pending') this.#finishLater(refund);
    return refund;
  }

  /** The money that the rail holds for us. */
  sumHeld(): bigint {
    const paid = [...this.orders.values()].filter(({ status }) => status === 'paid');
    const refunded = this.refunds.filter(({ status }) => status === 'succeeded');
    const inMinor = paid.reduce((sum, { paidMinor }) => sum + paidMinor, 0n);
    return refunded.reduce((sum, { amountMinor }) => sum - amountMinor, inMinor);
  }

  #decide({ orderId, amountMinor }: RefundCall): RailRefund['status'] {
    const { chance } = this.#world;
    const order = this.orders.get(orderId);
    const made = this.refunds.filter((one) => one.orderId === orderId && one.status !== 'failed');
    const used = made.reduce((sum, one) => sum + one.amountMinor, amountMinor as bigint);
    if (order?.status !== 'paid' || used > order.paidMinor) return 'failed';
    if (chance.happens(0.1)) return 'failed';
    if (chance.happens(0.05)) return 'manual_required';
    return chance.happens(0.5) ? 'pending' : 'succeeded';
  }

  #finishLater(refund: RailRefund): void {
    const { chance } = this.#world;
    this.#world.schedule(chance.between(...REFUND_TAKES_MS), () => {
      refund.status = chance.happens(0.8) ? 'succeeded' : 'failed';
      const amount = String(refund.amountMinor);
      this.onReport({ kind: 'refund', id: refund.refundId, reports: 'ended', amount });
    });
  }

  #change(order: Order, status: Order['status']): void {
    order.status = status;
    this.#world.trace(`${this.traits.name} order ${order.orderId} is ${status}`);
    const amount = String(order.paidMinor);
    this.onReport({ kind: 'order', id: order.orderId, reports: REPORTS[status], amount });
  }
}

const REPORTS = {
  open: 'open',
  paid: 'settled',
  reversed: 'reversed',
  expired: 'ended',
  closed: 'ended',
} as const satisfies Record<Order['status'], ReportedState>;

export const nameTransaction = (orderId: OrderId): string => `tx-${orderId}`;

export const otherAmount = (amountMinor: AmountMinor): AmountMinor => makeMinor(amountMinor + 1n);
