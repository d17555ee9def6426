// Compares what callbacks reported with what a status inquiry found. Pure. A report is only a hint (signatures of rails do
// not cover the status), but a rail's status may lag behind its callback, and the inquiry may fail. So a report that the
// inquiry did not find stays unconfirmed, and the inquiry is repeated soon.
import type { ReportedState } from '#actors/core/statuses.js';
import type { InquiryAnswer } from '../adapters/rail.js';

type KnownResult = Exclude<InquiryAnswer['result'], 'unknown'>;

/** The results that come with the report, or after it: callbacks arrive out of order. */
const CONFIRMED_BY: Readonly<Record<ReportedState, readonly KnownResult[]>> = {
  open: ['open', 'unusable', 'settled', 'failed', 'closed', 'reversed'],
  settled: ['settled', 'reversed'],
  ended: ['settled', 'failed', 'closed', 'reversed'],
  reversed: ['failed', 'closed', 'reversed'],
  // Settled only with money that was given back.
  given_back: ['reversed'],
};

/** Returns the reports that an order's inquiry has not confirmed. */
export function listUnconfirmed(
  reports: readonly ReportedState[],
  result: string,
  hasGivenBack: boolean,
): readonly ReportedState[] {
  return reports.filter((report) => {
    if (report === 'given_back' && hasGivenBack) return false;
    return !CONFIRMED_BY[report].some((name) => name === result);
  });
}

const MONEY_REPORTS: readonly ReportedState[] = ['settled', 'reversed', 'given_back'];

/** Whether an operator must know that these reports were never confirmed: they are about money. */
export function isMoneyReported(reports: readonly ReportedState[]): boolean {
  return MONEY_REPORTS.some((report) => reports.includes(report));
}
