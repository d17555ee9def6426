// The WebSocket of a checkout page: it sends the status when it opens and on each change.
import { parsePaymentId } from '#actors/core/ids.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { viewCheckoutStatus } from './view.js';
import { PaymentSubscriptions } from './payment-subscriptions.js';
import type { PushRoute } from '../routing/route.js';

export interface CheckoutPushDeps {
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

export interface CheckoutPush {
  readonly route: PushRoute;
  stop(): void;
}

export function createCheckoutPush({ load, nowMs, onError }: CheckoutPushDeps): CheckoutPush {
  const subscriptions = new PaymentSubscriptions({
    load,
    describe: (snapshot) => JSON.stringify(viewCheckoutStatus(decodeSnapshot(snapshot), nowMs())),
    onError,
  });
  return {
    route: {
      path: '/checkout/:payment_id/live',
      limit: 'checkout',
      accepts: (segment) => parsePaymentId(segment) !== undefined && subscriptions.hasRoom(),
      open: (segment, client) => subscriptions.subscribe(segment, (text) => client.send(text)),
    },
    stop: () => subscriptions.stop(),
  };
}
