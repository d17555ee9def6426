// The WebSocket of a checkout page: it sends the status when it opens and on each change.
import { parsePaymentId } from '#actors/core/ids.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Log } from '#ops/runtime/log.js';
import { viewCheckoutStatus } from './view.js';
import { PaymentSubscriptions } from './payment-subscriptions.js';
import type { PushRoute } from '#gateway/routing/route.js';

/** Of opening a connection, its first text, and its close. */
export const LIVE_CPU_US = 900;

export interface CheckoutPushDeps {
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly nowMs: () => number;
  readonly log: Log;
}

export interface CheckoutPush {
  readonly route: PushRoute;
  stop(): Promise<void>;
}

export function createCheckoutPush({ load, nowMs, log }: CheckoutPushDeps): CheckoutPush {
  const subscriptions = new PaymentSubscriptions({
    load,
    describe: (snapshot) => JSON.stringify(viewCheckoutStatus(decodeSnapshot(snapshot), nowMs())),
    log,
  });
  return {
    route: {
      path: '/checkout/:payment_id/live',
      limit: 'checkout',
      cpuUs: LIVE_CPU_US,
      accepts: (segment) => parsePaymentId(segment) !== undefined && subscriptions.hasRoom(),
      open: (segment, client) => subscriptions.subscribe(segment, client),
    },
    stop: () => subscriptions.stop(),
  };
}
