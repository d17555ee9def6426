// Uses of payment links whose process died before their payment came to be, or before it heard of it.
//
// No time is long enough to say that a command will not come: it may stand in a stream that nobody reads at the moment.
// So the payment's own actor is asked, by a cancel, which stands behind the create in the same stream. Where it answers
// that there is no such payment, the create was never sent, and the use is given back. Where the create came first, its
// payment is cancelled, whose customer went away minutes ago without an answer; its event gives the use back.
import type { StaleClaim } from '#store/postgres/links-and-invoices/link-uses.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { sendCommand } from '../payments/handlers.js';

const LOOK_EVERY_MS = 5_000;
/** Beyond the longest wait for a LIVE create. */
const OLD_AFTER_S = 120;
const CLAIMS_AT_ONCE = 50;

export interface StaleClaimDeps extends Pick<ApiDeps, 'dispatcher' | 'partitions' | 'onError'> {
  claimStaleClaims(olderThanS: number, most: number): Promise<readonly StaleClaim[]>;
  releaseClaim(claim: StaleClaim): Promise<boolean>;
}

export function startStaleClaimLoop(parts: StaleClaimDeps): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= resolveStaleClaims(parts)
      .catch(parts.onError)
      .finally(() => {
        running = undefined;
      });
  }, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** One look; each claim is resolved, or left for a later one. */
export async function resolveStaleClaims(parts: StaleClaimDeps): Promise<void> {
  const claims = await parts.claimStaleClaims(OLD_AFTER_S, CLAIMS_AT_ONCE);
  await Promise.all(
    claims.map(async (claim) => {
      if (await hasNoPayment(parts, claim)) await parts.releaseClaim(claim);
    }),
  );
}

async function hasNoPayment(
  parts: StaleClaimDeps,
  { paymentId, merchantId, environment }: StaleClaim,
): Promise<boolean> {
  const cancel = { type: 'cancel', paymentId, merchantId, environment } as const;
  const answer = await sendCommand(parts, cancel, () => undefined);
  return answer.code === 'payment_not_found';
}
