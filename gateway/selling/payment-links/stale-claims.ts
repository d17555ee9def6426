// Resolves claimed uses of payment links whose gateway died before their payment was created or reported.
//
//   CLAIMED ──▶ USED        the payment exists; its events settle the use
//   CLAIMED ──▶ RELEASED    the payment does not exist
//
// No waiting time proves that a create command will not arrive: it may be in a stream that no process reads at the
// moment. So the payment's actor is asked with a cancel command, which follows the create in the same stream. The reply
// payment_not_found means that the create was never sent, so the use is released. Otherwise the create came first: its
// customer left minutes ago without an answer, so the payment is cancelled, and its event releases the use.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  claimStaleClaims,
  releaseClaim,
  type StaleClaim,
} from '#store/postgres/links-and-invoices/link-uses.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { sendCommand } from '#gateway/money/payments/handlers.js';

const POLL_EVERY_MS = 5_000;
/** Longer than the longest wait for a LIVE create. */
const STALE_AFTER_S = 120;
const MAX_CLAIMS_PER_ROUND = 50;

type Sender = Pick<ApiDeps, 'dispatcher'>;

export interface StaleClaimDeps extends Sender {
  claimStaleClaims(olderThanS: number, most: number): Promise<readonly StaleClaim[]>;
  releaseClaim(claim: StaleClaim): Promise<boolean>;
}

export function startStaleClaimLoop({
  linksAndInvoices: sql,
  log,
  ...sender
}: Sender & { readonly linksAndInvoices: Postgres; readonly log: Log }): Loop {
  const deps: StaleClaimDeps = {
    ...sender,
    claimStaleClaims: (olderThanS, most) => claimStaleClaims(sql, olderThanS, most),
    releaseClaim: (claim) => releaseClaim(sql, claim),
  };
  return startLoop({
    name: 'stale claims of payment links',
    everyMs: POLL_EVERY_MS,
    isFirstDelayed: true,
    work: () => resolveStaleClaims(deps),
    log,
  });
}

/** One round. A claim whose actor gave no clear reply stays for a later round. */
export async function resolveStaleClaims(deps: StaleClaimDeps): Promise<void> {
  const claims = await deps.claimStaleClaims(STALE_AFTER_S, MAX_CLAIMS_PER_ROUND);
  await Promise.all(
    claims.map(async (claim) => {
      if (await hasNoPayment(deps, claim)) await deps.releaseClaim(claim);
    }),
  );
}

async function hasNoPayment(
  sender: Sender,
  { paymentId, merchantId, environment }: StaleClaim,
): Promise<boolean> {
  const cancel = { type: 'cancel', paymentId, merchantId, environment } as const;
  const answer = await sendCommand(sender, cancel, () => undefined);
  return answer.code === 'payment_not_found';
}
