// Compares the payouts of a day that the rail's list has not named with status inquiries. A payout that was sent about
// midnight can be in the list of another day, so only the inquiry tells that the rail does not have it.
import type { RailDay } from '#actors/core/tasks/rail-days.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { comparePayout, type RailPayoutState } from '#actors/core/tasks/reconciled-payouts.js';
import type { Postgres } from '#store/postgres/client.js';
import { findSightings } from '#store/postgres/rails/reconciled-orders.js';
import { loadPayoutsOfDay } from '#store/postgres/rails/reconciled-payouts.js';
import type { ReconciledPage } from '#store/postgres/rails/reconciliations.js';
import { buildPayoutOrder } from '../payouts/payout-steps.js';
import { buildPayoutFindings, type Findings, sumFindings, UNANSWERED } from './findings.js';
import { INQUIRED_A_PAGE, INQUIRY_TIMEOUT_MS, type PageWork } from './page-work.js';

export async function inquirePayoutsPage(
  sql: Postgres,
  work: PageWork,
  day: RailDay,
): Promise<ReconciledPage | undefined> {
  const { key, canPostpone } = work;
  const page = { after: key.cursor ?? '', limit: INQUIRED_A_PAGE };
  const payouts = await loadPayoutsOfDay(sql, key.rail, day, page);
  const listed = await findSightings(
    sql,
    key,
    payouts.map(({ id }) => id),
  );
  const inquired = payouts.filter(({ id }) => !listed.has(id));
  const answers = await Promise.all(inquired.map((payout) => inquirePayout(work, payout)));
  const isSilent = answers.length > 0 && answers.every((answer) => answer === UNANSWERED);
  if (isSilent && canPostpone) return undefined;
  const last = payouts.at(-1)?.id;
  const isEnd = last === undefined || payouts.length < INQUIRED_A_PAGE;
  return { key, ...sumFindings(answers), next: isEnd ? null : { step: 'payouts', cursor: last } };
}

async function inquirePayout(
  { key, rail, stopping }: PageWork,
  payout: PayoutState,
): Promise<Findings> {
  const signal = AbortSignal.any([AbortSignal.timeout(INQUIRY_TIMEOUT_MS), stopping]);
  const answer = await rail.inquirePayout(buildPayoutOrder(payout), signal);
  const isAbsent = 'isAbsent' in answer && answer.isAbsent === true;
  if (answer.result === 'unknown' && !isAbsent) return UNANSWERED;
  const state: RailPayoutState = answer.result === 'unknown' ? 'absent' : answer.result;
  return buildPayoutFindings(key, payout, comparePayout(payout, { state, amountMinor: null }));
}
