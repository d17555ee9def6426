// Payouts of all merchants; those that no rail sends, or of which a rail has said nothing for long, completed or
// failed by an administrator; what turned out otherwise put right. By compare-and-set: what came first counts, the same again is no conflict.
import type { MerchantId, PayoutId } from '#actors/core/ids.js';
import { findNextInquiryInMs } from '#actors/core/payout/schedule.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { viewPayout } from '#actors/core/payout/view.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { listPayouts } from '#store/postgres/payouts/list-payouts.js';
import { readPage, writePage } from '../lists/page.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { AdminPayoutsQuery, EndRefundRequest } from '../operator-tasks/schema.js';

const SCOPE = { list: 'payouts', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. */
export async function showPayouts(
  parts: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AdminPayoutsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const { status = null, merchant_id: merchantId, environment } = query;
  const owner = {
    merchantId: (merchantId ?? null) as MerchantId | null,
    environment: environment ?? null,
  };
  const times = { createdFromMs: null, createdToMs: null };
  const filter = { owner, status, referenceId: null, ...times };
  const found = await queryAccounts(parts, (sql) => listPayouts(sql, filter, page));
  return reply(
    200,
    writePage(SCOPE, page.limit, found, ({ state }) => serializePayout(state)),
  );
}

function serializePayout(state: PayoutState): string {
  return JSON.stringify({
    ...viewPayout(state),
    merchant_id: state.merchantId,
    rail: state.rail,
    rail_reference: state.railReference,
    external_reference: state.externalReference,
    reversal_reference: state.reversalReference,
    unresolved: state.isUnresolved,
    contradicted: state.isContradicted && state.contradictionClosedAtMs === null,
  });
}

/** 200 with the payout; 409 for one that waits for nobody, or that ended otherwise. */
export async function endPayout(
  parts: AccountDeps,
  request: SessionRequest<{ readonly payout_id: PayoutId }, EndRefundRequest>,
  type: 'complete' | 'fail' | 'reverse',
): Promise<Answer> {
  const { params, body } = request;
  const nowMs = parts.nowMs();
  const circumstances = {
    nowMs,
    actor: buildActor(request),
    dueInMs: (state: PayoutState) => findNextInquiryInMs(state, { nowMs, inquiries: 0, stepsMs: [] }),
  };
  const command = { type, externalReference: body.external_reference } as const;
  const { outcome, state } = await queryAccounts(parts, (sql) =>
    applyCommand(sql, params.payout_id, command, circumstances),
  );
  if (outcome === 'overtaken') return buildApiError('overloaded');
  if (state === undefined) return buildApiError('payout_not_found');
  if (outcome === 'done' || outcome === 'unchanged') return reply(200, serializePayout(state));
  return buildApiError('state_conflict', { currentStatus: state.status });
}
