// `kasir reconcile` requests the reconciliation of one day and waits for the rails process to finish it. A request
// restarts a finished reconciliation and joins a running one. The rails process continues when --wait is over.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { RAIL_NAMES, type RailName } from '#actors/core/rails/rail-names.js';
import { parseDay } from '#actors/core/days.js';
import type { Postgres } from '#store/postgres/client.js';
import type { Progress } from '#store/postgres/progress.js';
import {
  listOfferedRails,
  readDifferences,
  readReconciliations,
  type ReconciliationReport,
  type ReportedDifference,
} from '#store/postgres/rails/read-reconciliations.js';
import {
  type ReconciliationStep,
  requestReconciliations,
} from '#store/postgres/rails/reconciliations.js';
import { withDatabase } from './base/database.js';
import { addCommand, parseInteger } from './base/options.js';
import { type Format, markProblem, print } from './base/output.js';
import { withProgress } from './base/progress.js';
import { waitFor } from './base/wait-for.js';

const MAX_WAIT_S = 86_400;
const PAGE_ROWS = 500;
const STEPS = {
  ...{ list: 'reading the list of', ask: 'asking', payouts: 'asking for payouts of' },
} as const satisfies Record<ReconciliationStep, string>;

interface ReconcileOptions extends Format {
  readonly date: string;
  readonly rail?: RailName | undefined;
  readonly wait: number;
}

export function addReconcile(program: Command): void {
  const purpose = 'Compare a day with the rails and print each difference';
  addCommand(program, 'reconcile', purpose, 'kasir reconcile --date 2026-08-02 --rail xendit')
    .requiredOption('--date <day>', 'a day of Asia/Jakarta that is over, YYYY-MM-DD', parsePastDay)
    .addOption(
      new Option('--rail <name>', 'one rail (default: every offered rail)').choices(RAIL_NAMES),
    )
    .option(
      '--wait <seconds>',
      `time to wait for the rails process, 0 to ${MAX_WAIT_S}`,
      parseInteger(0, MAX_WAIT_S),
      600,
    )
    .action((options) => withDatabase((sql) => reconcile(sql, options)));
}

function parsePastDay(text: string): string {
  const parsed = parseDay(text);
  if (parsed === undefined) throw new InvalidArgumentError('It must be a day: 2026-08-02.');
  if (parsed.toMs <= Date.now()) return parsed.day;
  throw new InvalidArgumentError('The day is not over in Jakarta.');
}

async function reconcile(sql: Postgres, options: ReconcileOptions): Promise<void> {
  const { date: day, rail } = options;
  const rails = rail === undefined ? await listOfferedRails(sql) : [rail];
  if (rails.length === 0) throw new Error('no rails process has offered a rail in the last day');
  await requestReconciliations(
    sql,
    rails.map((one) => ({ rail: one, day })),
  );
  for (const report of await waitForEnd(sql, rails, options)) {
    await printReport(sql, report, options);
  }
}

function waitForEnd(
  sql: Postgres,
  rails: readonly RailName[],
  { date, wait }: ReconcileOptions,
): Promise<ReconciliationReport[]> {
  return withProgress((tell) => {
    const readReports = async (): Promise<ReconciliationReport[]> => {
      const all = await readReconciliations(sql, date);
      const reports = all.filter(({ rail }) => rails.includes(rail));
      tell(describeSteps(reports));
      return reports;
    };
    return waitFor(wait * 1000, readReports, (reports) => reports.every(({ isEnded }) => isEnded));
  });
}

function describeSteps(reports: readonly ReconciliationReport[]): Progress {
  const steps = reports.map(({ rail, step, isEnded, postponed }) => {
    const silence = postponed > 0 ? ', which is silent' : '';
    return isEnded ? `${rail} has ended` : `${STEPS[step]} ${rail}${silence}`;
  });
  const done = reports.reduce((sum, { matched }) => sum + matched, 0);
  return { step: `matched (${steps.join('; ')})`, done };
}

async function printReport(
  sql: Postgres,
  report: ReconciliationReport,
  format: Format,
): Promise<void> {
  const { rail, day, isEnded, matched, unanswered, step, postponed } = report;
  const counts = { missing: 0, orphan: 0, differing: 0 };
  for (let after: ReportedDifference | null | undefined = null; after !== undefined;) {
    const page: ReportedDifference[] = await readDifferences(sql, report, after, PAGE_ROWS);
    for (const difference of page) {
      counts[difference.kind] += 1;
      print({ day, ...difference }, format, describeDifference(difference));
    }
    after = page.length < PAGE_ROWS ? undefined : page.at(-1);
  }
  const { missing, orphan, differing } = counts;
  const found = `${matched} matched, ${missing} missing, ${orphan} orphans, ${differing} differing, ${unanswered} unanswered`;
  const silence = postponed > 0 ? `, the rail was silent ${postponed} times` : '';
  const state = isEnded ? '' : ` (not done yet: ${step}${silence})`;
  const summary = { rail, day, isEnded, matched, ...counts, unanswered };
  print(summary, format, `${rail} ${day}: ${found}${state}`);
  if (missing + orphan + differing + unanswered > 0 || !isEnded) markProblem();
}

function describeDifference(difference: ReportedDifference): string {
  const { rail, orderId, paymentId, kind, field, subject, ours, theirs } = difference;
  const payment = paymentId === null ? '' : ` of ${paymentId}`;
  const about = subject === '' ? field : `${field} (${subject})`;
  return `${kind} ${rail} ${orderId}${payment}: ${about} is ${ours} here and ${theirs} at the rail`;
}
