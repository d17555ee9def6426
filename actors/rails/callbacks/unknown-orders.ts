// Callbacks about orders that nobody knows. They waited for a while; now the rail is asked: money that it has goes to
// platform_suspense with a task, once. Without money there is nothing to do.
import type { OrderId } from '#actors/core/ids.js';
import { parseAmount, ZERO_MINOR } from '#actors/core/money.js';
import type { RailName, Settlement } from '#actors/core/rails/answers.js';
import type { UnknownOrder } from '#store/postgres/rails/callbacks.js';
import type { Log } from '#ops/runtime/log.js';
import { type RetryLoop, sleep } from '#ops/runtime/retry-loop.js';
import type { Rail } from '../adapters/rail.js';

/** An order of ours is watched before its rail knows of it, so this is for what is really foreign. */
export const INQUIRE_AFTER_MS = 3_600_000;
export const INQUIRE_AGAIN_MS = 3_600_000;
/** Five days of asking; the rows stay. */
const MAX_JUDGED = 120;
const LOOK_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 5_000;
const CLAIMED_AT_ONCE = 20;
const KEPT_DAYS = 180;
const FORGOTTEN_AT_ONCE = 500;

export interface UnknownOrderDeps {
  readonly stopping: AbortSignal;
  readonly rails: ReadonlyMap<RailName, Rail>;
  claim: (limit: number) => Promise<readonly UnknownOrder[]>;
  /** Once for each transaction of the rail, however often it is asked for. */
  book: (settlement: Settlement) => Promise<unknown>;
  end: (order: UnknownOrder, status: 'booked' | 'dismissed') => Promise<void>;
  deleteOld: (days: number, most: number) => Promise<number>;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

/** Runs until the process stops. */
export async function runUnknownOrders(parts: UnknownOrderDeps): Promise<void> {
  const { stopping, retryLoop } = parts;
  while (!stopping.aborted) {
    try {
      await inquireUnknownOrders(parts);
      await parts.deleteOld(KEPT_DAYS, FORGOTTEN_AT_ONCE);
      retryLoop.noteSuccess();
      await sleep(LOOK_EVERY_MS);
    } catch (error) {
      await retryLoop.waitAfter(error);
    }
  }
}

/** Those that are due now. */
export async function inquireUnknownOrders(
  parts: Pick<UnknownOrderDeps, 'rails' | 'claim' | 'book' | 'end' | 'log'>,
): Promise<void> {
  const orders = await parts.claim(CLAIMED_AT_ONCE);
  await Promise.all(orders.map((order) => inquireOrder(parts, order)));
}

async function inquireOrder(
  { rails, book, end, log }: Parameters<typeof inquireUnknownOrders>[0],
  order: UnknownOrder,
): Promise<void> {
  const rail = rails.get(order.rail);
  if (rail === undefined) return;
  const answer = await rail.inquirePayment(
    buildRailOrder(order),
    AbortSignal.timeout(LOOK_TIMEOUT_MS),
  );
  if (answer.result === 'settled') {
    log.error({ rail: rail.name, orderId: order.orderId }, 'money for an order that nobody knows');
    await book(answer.settlement);
    return end(order, 'booked');
  }
  const isUndecided = answer.result === 'unknown' || answer.result === 'open';
  if (!isUndecided || order.judged >= MAX_JUDGED) await end(order, 'dismissed');
}

/** Not an id of ours, maybe: the rail knows the order by it, and nothing else is done with it. */
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
