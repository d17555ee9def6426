// The push of a checkout page: the text of its status, when it opens and whenever it changes.
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
  const watch = new PaymentSubscriptions({
    load,
    describe: (snapshot) => JSON.stringify(viewCheckoutStatus(decodeSnapshot(snapshot), nowMs())),
    onError,
  });
  return {
    route: {
      path: '/checkout/:payment_id/live',
      limit: 'checkout',
      accepts: (segment) => parsePaymentId(segment) !== undefined && watch.hasRoom(),
      open: (segment, client) => watch.subscribe(segment, (text) => client.send(text)),
    },
    stop: () => watch.stop(),
  };
}
