// The checks after a run with LIVE payments: the ledger agrees with the rails, a rail was never asked twice for the same, and
// nothing waits for ever.
import type { RefundId } from '#actors/core/ids.js';
import { formatRailAccount } from '#actors/core/ledger/accounts.js';
import { findTransaction, isOpen, type PaymentState } from '#actors/core/payment/state.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { CallRow } from '../postgres/tables.js';
import { nameTransaction, type Order, type RailOrders } from './orders.js';
import type { RailsSimulation } from './simulation.js';

type Check = (simulation: RailsSimulation) => string[];

export const CHECKS: Readonly<Record<string, Check>> = {
  'no process ends by itself': ({ crashes }) => crashes,
  'a charge is sent once, and a refund is made once': ({ servers }) =>
    servers.flatMap(({ truth }) => truth.faults),
  'two orders of a payment can never be paid at once': ({ doubles }) => doubles,
  'money at a rail is booked, and no other money': findWrongMoney,
  'a refund has ended as its rail says': findWrongRefunds,
  'a refund that is left to people has a task': (simulation) => {
    const tasks = simulation.postgres.tables.tasks.values().map(({ details }) => details);
    return findLeftRefunds(simulation).filter((id) => !tasks.some((one) => one.includes(id)));
  },
  'the clearing account of a rail holds what the rail holds': findWrongSums,
  'balances are the sums of their postings': findWrongBalances,
  'no command is quarantined': ({ postgres }) =>
    postgres.tables.quarantined.values().map(({ error, command }) => `${error}: ${command}`),
};

/** The work that is left; asked again and again after the last fault, until it is nothing. */
export function findUnfinished(simulation: RailsSimulation): string[] {
  const { openRequests, postgres, servers } = simulation;
  const { railCalls, railFacts, deferred } = postgres.tables;
  const waiting = [
    ...(openRequests > 0 ? [`${openRequests} requests have no answer`] : []),
    ...railCalls.values().flatMap((call) => describeOpenCall(simulation, call)),
    ...railFacts.values().map(({ command }) => `a command is pending: ${command}`),
    ...deferred.values().map(({ paymentId }) => `a command of ${paymentId} is deferred`),
    // A refund that never arrived is left to people; one that arrives late is not.
    ...servers
      .filter(({ travelling }) => travelling > 0)
      .map(({ truth, travelling }) => `${travelling} requests travel to ${truth.traits.name}`),
  ];
  // Snapshots are read only then, since reading them takes most of the time.
  if (waiting.length > 0) return waiting;
  const states = listStates(simulation);
  const unbooked = servers.flatMap(({ truth }) =>
    listPaid(truth).filter((order) => !isKnown(states.get(order.paymentId), truth, order)),
  );
  return [
    ...[...states.values()].filter(isOpen).map(({ id, status }) => `${id} is ${status}`),
    ...unbooked.map(({ orderId }) => `the money of the order ${orderId} is not booked`),
    ...servers.flatMap(({ truth }) => findForgottenOrders(truth, states)),
    ...findWrongMoney(simulation),
    ...findWrongRefunds(simulation),
  ];
}

type States = ReadonlyMap<string, PaymentState>;

const listStates = ({ postgres }: RailsSimulation): States =>
  new Map(
    postgres.tables.payments.values().map(({ id, snapshot }) => [id, decodeSnapshot(snapshot)]),
  );

function describeOpenCall(simulation: RailsSimulation, call: CallRow): string[] {
  if (call.state === 'answered' || findLeftRefund(simulation, call) !== undefined) return [];
  return [`the ${call.operation} ${call.id} at ${call.rail} is ${call.state}`];
}

/**
 * The request of a refund was lost at a rail that does not recognise a repeat: no process may send it again. After six hours an
 * operator has a task (overdue-refunds.ts). undefined: it is another call.
 */
function findLeftRefund(
  simulation: RailsSimulation,
  { request, begunAtMs, state }: CallRow,
): RefundId | undefined {
  const call = decodeRailCall(request);
  if (call.operation !== 'refund' || begunAtMs === null || state === 'answered') return undefined;
  const { truth } = simulation.findServer(call.rail);
  const isKnown = truth.traits.knowsRefundKeys || truth.findRefund(call.refundId) !== undefined;
  return isKnown ? undefined : call.refundId;
}

export const findLeftRefunds = (simulation: RailsSimulation): RefundId[] =>
  simulation.postgres.tables.railCalls
    .values()
    .flatMap((call) => findLeftRefund(simulation, call) ?? []);

const listPaid = ({ orders }: RailOrders): Order[] =>
  [...orders.values()].filter(({ status }) => status === 'paid');

function isKnown(state: PaymentState | undefined, { traits }: RailOrders, order: Order): boolean {
  const railTransactionId = nameTransaction(order.orderId);
  return (
    state !== undefined &&
    findTransaction(state, { rail: traits.name, railTransactionId }) !== undefined
  );
}

/** Orders that can still be paid although their payments have ended. */
function findForgottenOrders({ orders, traits }: RailOrders, states: States): string[] {
  return [...orders.values()]
    .filter(({ status }) => status === 'open')
    .filter(({ paymentId }) => {
      const state = states.get(paymentId);
      return state !== undefined && !isOpen(state);
    })
    .map(({ orderId }) => `the order ${orderId} at ${traits.name} can still be paid`);
}

function findWrongMoney(simulation: RailsSimulation): string[] {
  const tasks = simulation.postgres.tables.tasks.values().map(({ details }) => details);
  return [...listStates(simulation).values()].flatMap((state) =>
    state.railTransactions.flatMap(({ rail, id, state: booked }) => {
      const { truth } = simulation.findServer(rail);
      const order = [...truth.orders.values()].find(
        ({ orderId }) => nameTransaction(orderId) === id,
      );
      const isPaid = order?.status === 'paid';
      const isReversed = order?.status === 'reversed';
      if (!isPaid && !isReversed) return [`${state.id} has the money ${id}, which never came`];
      // A person decides about money that was not asked for, and about a reversal that came too late.
      if (tasks.some((details) => details.includes(id))) return [];
      if (isReversed !== (booked === 'reversed')) {
        return [`${state.id} has the money ${id} as ${booked}, and it is ${order.status}`];
      }
      const isShownPaid = state.status === 'paid' || state.status === 'refunded';
      return isShownPaid === isPaid
        ? []
        : [`${state.id} is ${state.status}, ${id} ${order.status}`];
    }),
  );
}

function findWrongRefunds(simulation: RailsSimulation): string[] {
  return [...listStates(simulation).values()].flatMap(({ capture, refunds, id: paymentId }) =>
    refunds.flatMap(({ id, status, isContradicted }) => {
      if (capture === null) return [`${paymentId} has the refund ${id} and no money`];
      const found =
        simulation.findServer(capture.rail).truth.findRefund(id)?.status ?? 'never made';
      const isRight =
        status === found ||
        (status === 'failed' && (found === 'never made' || isContradicted)) ||
        (status === 'asked' && found === 'never made') ||
        // Refunds of a payment are made one after the other.
        (status === 'queued' && refunds.some((other) => other.status === 'asked'));
      return isRight ? [] : [`the refund ${id} of ${paymentId} is ${status}, at its rail ${found}`];
    }),
  );
}

function findWrongSums({ servers, postgres }: RailsSimulation): string[] {
  return servers.flatMap(({ truth }) => {
    const account = formatRailAccount('rail_clearing', truth.traits.name, 'LIVE', 'IDR');
    const booked = -(postgres.tables.balances.get(account) ?? 0n);
    const held = truth.sumHeld();
    return booked === held ? [] : [`${account} says ${booked}, the rail holds ${held}`];
  });
}

function findWrongBalances({ postgres }: RailsSimulation): string[] {
  const sums = new Map<string, bigint>();
  for (const { debit, credit, amountMinor } of postgres.tables.postings.values()) {
    sums.set(debit, (sums.get(debit) ?? 0n) - amountMinor);
    sums.set(credit, (sums.get(credit) ?? 0n) + amountMinor);
  }
  return postgres.tables.balances
    .entries()
    .filter(([account, amount]) => amount !== (sums.get(account) ?? 0n))
    .map(([account, amount]) => `${account} is ${amount}, its postings say ${sums.get(account)}`);
}
