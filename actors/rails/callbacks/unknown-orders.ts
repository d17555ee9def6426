// Callbacks about unknown orders. After a wait their rail is asked: money that it holds is booked to platform_suspense,
// once, with an operator task. An order without money is dismissed. When a rail gives no answer for five days, an operator
// has to ask it.
import type { OrderId } from '#actors/core/ids.js';
import { parseAmount, ZERO_MINOR } from '#actors/core/money.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import { describeUnknownOrder, describeUnresolvedOrder } from '#actors/core/tasks/unknown-order.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  claimUnknownOrders,
  deleteOldCallbacks,
  endUnknownOrder,
  type UnknownOrder,
} from '#store/postgres/rails/callbacks.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import type { Rail } from '../adapters/rail.js';

const INQUIRE_AGAIN_MS = 3_600_000;
/** Five days of inquiries; then the order is dismissed, with a task unless its rail has answered. */
const MAX_INQUIRIES = 120;
const INQUIRY_TIMEOUT_MS = 15_000;
const CHECK_EVERY_MS = 5_000;
const MAX_CLAIMED = 20;
const KEPT_DAYS = 180;
const MAX_DELETED = 500;

export interface UnknownOrdersDeps {
  readonly sql: Postgres;
  readonly rails: ReadonlyMap<RailName, Rail>;
  readonly log: Log;
}

export function startUnknownOrders(deps: UnknownOrdersDeps): Loop {
  const { sql, rails, log } = deps;
  const names = [...rails.keys()];
  return startLoop({
    name: 'unknown orders',
    everyMs: CHECK_EVERY_MS,
    log,
    work: async (stopping) => {
      const orders = await claimUnknownOrders(sql, names, MAX_CLAIMED, INQUIRE_AGAIN_MS);
      await Promise.all(orders.map((order) => inquireOrder(deps, order, stopping)));
      await deleteOldCallbacks(sql, KEPT_DAYS, MAX_DELETED);
    },
  });
}

async function inquireOrder(
  { sql, rails, log }: UnknownOrdersDeps,
  order: UnknownOrder,
  stopping: AbortSignal,
): Promise<void> {
  const rail = rails.get(order.rail);
  if (rail === undefined) return;
  const signal = AbortSignal.any([AbortSignal.timeout(INQUIRY_TIMEOUT_MS), stopping]);
  const answer = await rail.inquirePayment(buildRailOrder(order), signal);
  if (answer.result === 'settled') {
    const { orderId } = order;
    log.error({ rail: rail.name, orderId }, 'a rail holds money for an unknown order');
    await bookUnknownOrder(sql, describeUnknownOrder(answer.settlement));
    return endUnknownOrder(sql, order, 'booked');
  }
  if (stopping.aborted) return;
  const isUndecided = answer.result === 'unknown' || answer.result === 'open';
  if (isUndecided && order.inquiries < MAX_INQUIRIES) return;
  // After days, "not found" is an answer: no request is under way for so long.
  const isSilent = answer.result === 'unknown' && answer.isAbsent !== true;
  const task = isSilent ? describeUnresolvedOrder(order) : null;
  await endUnknownOrder(sql, order, 'dismissed', task);
}

/** The order id may not be in our format; it is only sent to the rail. */
function buildRailOrder({ orderId, reference, amount }: UnknownOrder) {
  const amountMinor = amount === null ? ZERO_MINOR : parseAmount(amount);
  return {
    orderId: orderId as OrderId,
    railReference: reference,
    bookedTransactionId: null,
    method: null,
    amountMinor: typeof amountMinor === 'bigint' ? amountMinor : ZERO_MINOR,
    currency: 'IDR',
  } as const;
}
