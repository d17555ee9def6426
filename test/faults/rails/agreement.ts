// Compares payments with the simulated rails' own orders, and returns each disagreement as a sentence.
import { isOpen, type PaymentState, sumRefundedMinor } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { RequestCount } from '#ops/dev/rail-simulator/request-counts.js';
import type { Postgres } from '#store/postgres/client.js';
import type { SimulatedRails } from '#test/support/rails/simulator.js';

/** An order as the control API lists it: amounts are digits. */
export interface ListedOrder {
  readonly rail: string;
  readonly orderId: string;
  readonly amountMinor: string;
  readonly status: string;
  readonly payments: readonly { readonly id: string; readonly amountMinor: string }[];
  readonly refunds: readonly {
    readonly reference: string;
    readonly amountMinor: string;
    readonly status: string;
  }[];
}

export interface LiveEvidence {
  readonly states: readonly PaymentState[];
  readonly orders: readonly ListedOrder[];
  readonly requests: readonly RequestCount[];
}

export async function loadLiveEvidence(
  sql: Postgres,
  control: SimulatedRails['control'],
): Promise<LiveEvidence> {
  const rows = await sql<{ snapshot: string }[]>`select snapshot from payments`;
  const orders = (await control('GET', 'orders')) as { data: ListedOrder[] };
  const requests = (await control('GET', 'requests')) as { data: RequestCount[] };
  return {
    states: rows.map(({ snapshot }) => decodeSnapshot(snapshot)),
    orders: orders.data,
    requests: requests.data,
  };
}

export function findDisagreements({ states, orders, requests }: LiveEvidence): string[] {
  const byOrder = new Map(
    states.flatMap((state) => state.attempts.map(({ orderId }) => [String(orderId), state])),
  );
  const settled = new Set(
    orders.filter(({ payments }) => payments.length > 0).map(({ orderId }) => orderId),
  );
  return [
    ...requests
      .filter(({ operation, count }) => operation === 'charge' && count > 1)
      .map(({ subject, count }) => `${subject} was charged ${count} times`),
    ...orders.flatMap((order) => {
      const state = byOrder.get(order.orderId);
      return state === undefined ? [`${order.orderId} has no payment`] : compare(order, state);
    }),
    ...states.flatMap((state) => {
      const isCaptured = state.capture !== null && !settled.has(state.capture.orderId);
      return isCaptured ? [`${state.id} is paid, but no rail holds its money`] : [];
    }),
  ];
}

function compare(order: ListedOrder, state: PaymentState): string[] {
  return [...compareMoney(order, state), ...compareStatus(order, state)].map(
    (fault) => `${order.orderId} (${order.status} at its rail, ${state.status} here): ${fault}`,
  );
}

/** Each payment at the rail is booked once: as the payment's settlement, or in suspense. */
function compareMoney(order: ListedOrder, state: PaymentState): string[] {
  const faults: string[] = [];
  for (const { id, amountMinor } of order.payments) {
    const booked = state.railTransactions.find((one) => one.rail === order.rail && one.id === id);
    const isRight = amountMinor === order.amountMinor;
    if (booked === undefined) faults.push(`${id} is not booked`);
    else if (!isRight && booked.state !== 'suspended') faults.push(`${id} is ${booked.state}`);
    else if (booked.amountMinor.toString() !== amountMinor) faults.push(`${id} has another amount`);
  }
  const refunded = order.refunds
    .filter(({ status }) => status === 'SUCCEEDED')
    .reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
  if (state.capture?.orderId === order.orderId && refunded !== sumRefundedMinor(state)) {
    faults.push(`${refunded} was refunded there, ${sumRefundedMinor(state)} here`);
  }
  return faults;
}

function compareStatus(order: ListedOrder, state: PaymentState): string[] {
  const isRight = order.payments[0]?.amountMinor === order.amountMinor;
  switch (order.status) {
    case 'settled':
      if (!isRight) return [];
      return state.status === 'paid' || state.status === 'refunded' ? [] : ['it should be paid'];
    case 'reversed':
      return state.failureCode === 'reversed' ? [] : ['it should be reversed'];
    case 'pending': {
      // An order without a waiting payment must be closed at its rail, unless the rail never told its own id of it.
      if (isUnresolved(order, state)) return [];
      const isWanted = isOpen(state) && state.attempts.at(-1)?.orderId === order.orderId;
      return isWanted ? [] : ['a customer could still pay it'];
    }
    default:
      return isOpen(state) && state.attempts.at(-1)?.orderId === order.orderId
        ? ['it should be over']
        : [];
  }
}

/** The charge's answer was lost, and this rail finds orders by its own id only: a task waits for it (attempt_unresolved). */
function isUnresolved({ rail, orderId }: ListedOrder, state: PaymentState): boolean {
  const attempt = state.attempts.find((one) => one.orderId === orderId);
  return rail === 'xendit' && attempt?.status === 'charging' && state.failureCode === 'expired';
}
