// Opens an operator task for each refund that has no result hours after it was given to its rail. The search needs no rail,
// since a rail may be silent, or may no longer be configured. Status inquiries go on meanwhile.
import { REFUND_UNRESOLVED_AFTER_MS } from '#actors/core/payment/refunds.js';
import { decodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { OverdueRefundStore } from '../calls/ports.js';
import { buildUnresolvedTasks } from './inquiry-tasks.js';

const SEARCH_EVERY_MS = 5_000;
const MAX_AT_ONCE = 100;

export interface OverdueRefundsDeps {
  readonly store: OverdueRefundStore;
  readonly clock: Clock;
  readonly log: Log;
}

export function startOverdueRefunds({ store, clock, log }: OverdueRefundsDeps): Loop {
  return startLoop({
    name: 'overdue refunds',
    everyMs: SEARCH_EVERY_MS,
    clock,
    log,
    work: async (stopping) => {
      const overdue = await store.loadOverdueRefunds(REFUND_UNRESOLVED_AFTER_MS, MAX_AT_ONCE);
      for (const { paymentId, request } of overdue) {
        if (stopping.aborted) return;
        const call = decodeRailCall(request);
        const calls = [{ id: call.id, call, isGivenUp: true, isAnswered: false }];
        for (const { id, details } of buildUnresolvedTasks({ claimed: { id: call.id }, calls })) {
          await store.openRefundTask({ id, paymentId, details });
        }
      }
    },
  });
}
