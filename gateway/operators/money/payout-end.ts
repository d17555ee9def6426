// Ends a payout, or proposes to when its amount is above the limit. A proposal is made only for an end that the payout
// allows now: conflicts and repeats are answered at once. A cancelled payout was not sent, so it needs one person.
import type { PayoutId } from '#actors/core/ids.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { NO_SUBJECT } from '#store/postgres/approvals/approval-row.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import { type ApprovalDeps, isAboveLimit, propose } from '../approvals/propose.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { EndByHandRequest } from '../approvals/end-by-hand.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import { endPayout, type PayoutEnd, serializePayout } from './payout-handlers.js';

const KINDS = {
  complete: 'payout_completion',
  fail: 'payout_failure',
  reverse: 'payout_reversal',
} as const;

/** 200 with the payout; above the limit 202 with the approval. */
export async function endOrPropose(
  deps: ApprovalDeps,
  request: SessionRequest<{ readonly payout_id: PayoutId }, EndByHandRequest>,
  type: PayoutEnd['type'],
): Promise<Answer> {
  const actor = buildActor(request);
  const { external_reference: externalReference, reason = null } = request.body;
  const end = { type, payoutId: request.params.payout_id, externalReference };
  const [state] = await findPayout(deps.accounts, end.payoutId);
  if (state === undefined) return buildApiError('payout_not_found');
  const { environment } = state;
  const isAlone = type === 'cancel' || !isAboveLimit(deps, environment, state.request.amountMinor);
  if (isAlone) return endPayout(deps, actor, end);
  return proposeEnd(deps, actor, { state, end: { ...end, type }, reason });
}

interface EndProposal {
  readonly state: PayoutState;
  readonly end: PayoutEnd & { readonly type: keyof typeof KINDS };
  readonly reason: string | null;
}

async function proposeEnd(
  deps: ApprovalDeps,
  actor: Actor,
  { state, end, reason }: EndProposal,
): Promise<Answer> {
  const { type, payoutId, externalReference } = end;
  const { outcome } = decidePayout(state, { type, externalReference }, deps.nowMs());
  if (outcome === 'unchanged') return reply(200, serializePayout(state));
  if (outcome !== 'done') return buildApiError('state_conflict', { currentStatus: state.status });
  const { merchantId, request } = state;
  const { amountMinor, currency } = request;
  return propose(deps, actor, {
    ...{ kind: KINDS[type], ...NO_SUBJECT, merchantId, payoutId, amountMinor, currency, reason },
    reference: `${payoutId}:${externalReference}`,
    request: { external_reference: externalReference },
  });
}
