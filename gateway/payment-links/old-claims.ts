// Uses of payment links whose process died before their payment came to be, or before it heard of it.
//
// No time is long enough to say that a command will not come: it may stand in a stream that nobody reads at the moment.
// So the payment's own actor is asked, by a cancel, which stands behind the create in the same stream. Where it answers
// that there is no such payment, the create was never sent, and the use is given back. Where the create came first, its
// payment is cancelled, whose customer went away minutes ago without an answer; its event gives the use back.
import type { OldClaim } from '#store/postgres/links-and-invoices/link-uses.js';
import type { ApiParts } from '../payments/deps.js';
import { sendCommand } from '../payments/handlers.js';

const LOOK_EVERY_MS = 5_000;
/** Beyond the longest wait for a LIVE create. */
const OLD_AFTER_S = 120;
const CLAIMS_AT_ONCE = 50;

export interface OldClaimParts extends Pick<ApiParts, 'dispatcher' | 'partitions' | 'onError'> {
  askOldClaims(olderThanS: number, most: number): Promise<readonly OldClaim[]>;
  giveBackClaim(claim: OldClaim): Promise<boolean>;
}

export function startOldClaims(parts: OldClaimParts): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= resolveOldClaims(parts)
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
export async function resolveOldClaims(parts: OldClaimParts): Promise<void> {
  const claims = await parts.askOldClaims(OLD_AFTER_S, CLAIMS_AT_ONCE);
  await Promise.all(
    claims.map(async (claim) => {
      if (await isWithoutPayment(parts, claim)) await parts.giveBackClaim(claim);
    }),
  );
}

async function isWithoutPayment(
  parts: OldClaimParts,
  { paymentId, merchantId, environment }: OldClaim,
): Promise<boolean> {
  const cancel = { type: 'cancel', paymentId, merchantId, environment } as const;
  const answer = await sendCommand(parts, cancel, () => undefined);
  return answer.code === 'payment_not_found';
}
