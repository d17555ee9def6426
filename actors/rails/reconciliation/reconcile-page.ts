// Reconciles one page: the rail's list against our records, or our payments and payouts against status inquiries. It
// compares and reports. Only money of unknown orders is booked; the rest needs a status inquiry, or a person.
import { parseDay } from '#actors/core/days.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Postgres } from '#store/postgres/client.js';
import type { ReconciledPage } from '#store/postgres/rails/reconciliations.js';
import { NOTHING } from './findings.js';
import { inquireOrdersPage } from './inquire-orders.js';
import { inquirePayoutsPage } from './inquire-payouts.js';
import { listPage } from './list-page.js';
import { INQUIRY_TIMEOUT_MS, LIST_TIMEOUT_MS, type PageWork } from './page-work.js';

/** The longest that the rail may take for a page. */
export const PAGE_TIMEOUT_MS = Math.max(LIST_TIMEOUT_MS, INQUIRY_TIMEOUT_MS);

/** undefined: the rail did not answer and should be asked again. A list is never skipped. */
export async function reconcilePage(
  sql: Postgres,
  work: PageWork,
): Promise<ReconciledPage | undefined> {
  const { key, rail } = work;
  const day = parseDay(key.day);
  if (day === undefined) throw new Error(`rail_reconciliations.day is ${key.day}, which is no day`);
  switch (key.step) {
    case 'list':
      if (rail.listTransactions !== null) return listPage(sql, work, day);
      return { key, ...NOTHING, next: { step: 'ask', cursor: null } };
    case 'ask':
      return inquireOrdersPage(sql, work, day);
    case 'payouts':
      return inquirePayoutsPage(sql, work, day);
    default:
      return unreachable(key.step);
  }
}
