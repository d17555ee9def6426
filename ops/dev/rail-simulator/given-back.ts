// Money that a rail gave back without being asked by the service: a refund of its dashboard, or a chargeback of the
// customer's bank.
import { randomUUID } from 'node:crypto';
import { type AmountMinor, makeMinor } from '#actors/core/money.js';
import type { SimulatedOrder, SimulatedRefund } from './orders-store.js';
import type { SimulatorContext } from './simulator-context.js';
import { reportGivenBack } from './xendit-money.js';

/** Gives back an amount of a paid order, by default all that is left; undefined: the order has no such amount. */
export function giveBack(
  order: SimulatedOrder,
  { kind, amountMinor }: { kind: SimulatedRefund['kind']; amountMinor: AmountMinor | undefined },
  stage: SimulatorContext,
): SimulatedOrder | undefined {
  const used = order.refunds.filter(({ status }) => status !== 'FAILED');
  const left = used.reduce((sum, it) => sum - it.amountMinor, order.amountMinor as bigint);
  const amount = amountMinor ?? left;
  if (order.payments.length === 0 || amount <= 0n || amount > left) return undefined;
  const uuid = randomUUID();
  const ids = { refund: `rfd-${uuid}`, chargeback: `mi-dspt-${uuid}` };
  const made: SimulatedRefund = {
    ...(order.rail === 'xendit'
      ? { id: ids[kind], kind, reference: null }
      : { id: uuid, kind, reference: `dashboard-${uuid}` }),
    ...{ amountMinor: makeMinor(amount), status: 'SUCCEEDED', atMs: stage.nowMs(), isStuck: false },
  };
  const next = { ...order, refunds: [...order.refunds, made] };
  if (order.rail === 'midtrans') {
    stage.change(next);
  } else {
    stage.store.put(next);
    reportGivenBack(next, made, stage);
  }
  return next;
}
