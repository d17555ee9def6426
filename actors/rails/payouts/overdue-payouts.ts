// Finds payouts that have waited for a day, to be sent or for their result, and makes each an operator task. The search
// needs no rail, since a rail may be silent, may accept a payout for ever, or may no longer be configured.
import { findNextInquiryInMs, UNRESOLVED_AFTER_MS } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { loadOverdue } from '#store/postgres/payouts/due-payouts.js';

const SEARCH_EVERY_MS = 5_000;
const MAX_AT_ONCE = 100;

export interface OverduePayoutsDeps {
  readonly sql: Postgres;
  /** Delays between status inquiries. */
  readonly stepsMs: readonly number[];
  readonly log: Log;
}

export function startOverduePayouts(deps: OverduePayoutsDeps): Loop {
  return startLoop({
    name: 'overdue payouts',
    everyMs: SEARCH_EVERY_MS,
    log: deps.log,
    work: async (stopping) => {
      for (const payout of await loadOverdue(deps.sql, UNRESOLVED_AFTER_MS, MAX_AT_ONCE)) {
        if (stopping.aborted) return;
        await leaveUnresolved(deps, payout);
      }
    },
  });
}

/** It stays due as before: it may still be sent, and its rail is still asked. */
async function leaveUnresolved(
  { sql, stepsMs }: OverduePayoutsDeps,
  payout: PayoutState,
): Promise<void> {
  const nowMs = Date.now();
  const { id, status } = payout;
  if (status !== 'PENDING' && status !== 'PROCESSING') return;
  const dueInMs = (state: PayoutState): number | null =>
    state.status === 'PENDING' ? 0 : findNextInquiryInMs(state, { nowMs, inquiries: 0, stepsMs });
  await applyCommand(sql, id, { type: 'leave_unresolved', status }, { nowMs, dueInMs });
}
