// Payouts of all merchants. An administrator completes or fails those that no rail sends or whose rail has reported
// nothing for a day, and corrects those that ended differently. Compare-and-set decides: the first command wins, and its
// repeats are idempotent.
import type { MerchantId, PayoutId } from '#actors/core/ids.js';
import { findNextInquiryInMs } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { viewPayout } from '#actors/core/payout/view.js';
import type { Actor } from '#store/postgres/operations/audit.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { findPayout, listPayouts } from '#store/postgres/payouts/list-payouts.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { AdminPayoutsQuery } from './payout-schema.js';

const SCOPE = { list: 'payouts', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. */
export async function showPayouts(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AdminPayoutsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status = null, merchant_id: merchantId, environment } = query;
  const tenant = {
    merchantId: (merchantId ?? null) as MerchantId | null,
    environment: environment ?? null,
  };
  const times = { createdFromMs: null, createdToMs: null };
  const filter = { tenant, status, referenceId: null, ...times };
  const found = await deps.readList(SCOPE.merchantId, (sql) => listPayouts(sql, filter, page));
  return reply(
    200,
    writePage(SCOPE, page.limit, found, ({ state }) => serializePayout(state)),
  );
}

/** 200 with the payout. */
export async function showPayout(
  deps: AccountDeps,
  { params }: Pick<SessionRequest<{ readonly payout_id: PayoutId }>, 'params'>,
): Promise<Answer> {
  const [state] = await findPayout(deps.accounts, params.payout_id);
  return state === undefined
    ? buildApiError('payout_not_found')
    : reply(200, serializePayout(state));
}

export function serializePayout(state: PayoutState): string {
  return JSON.stringify({
    ...viewPayout(state),
    merchant_id: state.merchantId,
    rail: state.rail,
    rail_reference: state.railReference,
    external_reference: state.externalReference,
    reversal_reference: state.reversalReference,
    unresolved: state.isUnresolved,
    contradicted: state.contradiction !== null && state.contradictionClosedAtMs === null,
  });
}

export interface PayoutEnd {
  readonly type: 'complete' | 'fail' | 'reverse' | 'cancel';
  readonly payoutId: PayoutId;
  readonly externalReference: string;
}

/** 200; 409 when its status does not allow the command. */
export async function endPayout(
  deps: AccountDeps,
  actor: Actor,
  { payoutId, ...command }: PayoutEnd,
): Promise<Answer> {
  const nowMs = deps.nowMs();
  const circumstances = {
    nowMs,
    actor,
    dueInMs: (state: PayoutState) =>
      findNextInquiryInMs(state, { nowMs, inquiries: 0, stepsMs: [] }),
  };
  const applied = await applyCommand(deps.accounts, payoutId, command, circumstances);
  const { outcome, state } = applied;
  if (outcome === 'overtaken') return buildApiError('overloaded');
  if (state === undefined) return buildApiError('payout_not_found');
  if (outcome === 'done' || outcome === 'unchanged') return reply(200, serializePayout(state));
  return buildApiError('state_conflict', { currentStatus: state.status });
}
