// Reconciliation with rails, for operators: asks for one day, waits until the rails process has done it, and prints what it
// found. Asking again begins anew; one that is under way is waited for.
//   npm run reconcile -- --date 2026-08-02 [--rail xendit] [--wait 600] [--json]
// It ends with 0 when all matched, with 1 when there are differences, with 2 when it was called wrongly, could not be done
// in that many seconds (it goes on without us), or some orders are not known yet.
import { parseArgs } from 'node:util';
import { RAIL_NAMES, type RailName } from '#actors/core/rails/answers.js';
import { parseRailDay } from '#actors/core/rails/rail-day.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  listOfferedRails,
  readDifferences,
  readReconciliations,
  type ReconciliationReport,
  type ReportedDifference,
} from '#store/postgres/rails/read-reconciliations.js';
import { requestReconciliations } from '#store/postgres/rails/reconciliations.js';
import { sleep } from '../runtime/retry-loop.js';
import { openDatabase } from './database.js';

const USAGE = `npm run reconcile -- --date 2026-08-02 [--rail ${RAIL_NAMES.join('|')}] [--wait 600] [--json]
`;
const LOOK_EVERY_MS = 500;
const MAX_WAIT_S = 86_400;
const PAGE = 500;

interface Order {
  readonly day: string;
  readonly rail: RailName | null;
  readonly waitMs: number;
  readonly isJson: boolean;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** A text says what is wrong. */
function parseOrder(words: readonly string[]): Order | string {
  const text = { type: 'string' } as const;
  const options = { date: text, rail: text, wait: text, json: { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({ args: [...words], options });
    const day = parseRailDay(values.date ?? '');
    const rail = RAIL_NAMES.find((name) => name === values.rail) ?? null;
    const waitS = Number(values.wait ?? '600');
    if (day === undefined) return '--date must be a day';
    if (day.toMs > Date.now()) return `${day.day} is not over in Jakarta`;
    if (rail === null && values.rail !== undefined) return `there is no rail ${values.rail}`;
    if (!(waitS >= 0 && waitS <= MAX_WAIT_S)) return '--wait must be seconds';
    return { day: day.day, rail, waitMs: waitS * 1000, isJson: values.json ?? false };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function waitForEnd(
  sql: Postgres,
  rails: readonly RailName[],
  { day, waitMs }: Order,
): Promise<ReconciliationReport[]> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const reports = (await readReconciliations(sql, day)).filter(({ rail }) =>
      rails.includes(rail),
    );
    if (reports.every(({ isEnded }) => isEnded) || performance.now() > deadlineMs) return reports;
    await sleep(LOOK_EVERY_MS);
  }
}

type Counts = Record<'missing' | 'orphan' | 'differing', number>;

async function printReport(
  sql: Postgres,
  report: ReconciliationReport,
  isJson: boolean,
): Promise<number> {
  const counts: Counts = { missing: 0, orphan: 0, differing: 0 };
  for (let after: ReportedDifference | null | undefined = null; after !== undefined;) {
    const page: ReportedDifference[] = await readDifferences(sql, report, after, PAGE);
    for (const found of page) {
      counts[found.kind] += 1;
      print(isJson ? JSON.stringify({ day: report.day, ...found }) : describe(found));
    }
    after = page.length < PAGE ? undefined : page.at(-1);
  }
  const { rail, day, isEnded, matched, unanswered, step, postponed } = report;
  if (isJson) print(JSON.stringify({ rail, day, isEnded, matched, ...counts, unanswered }));
  else {
    const { missing, orphan, differing } = counts;
    const found = `${matched} matched, ${missing} missing, ${orphan} orphans, ${differing} differing, ${unanswered} unanswered`;
    const trouble = postponed > 0 ? `, the rail was silent ${postponed} times` : '';
    print(`${rail} ${day}: ${found}${isEnded ? '' : ` (not done yet: ${step}${trouble})`}`);
  }
  if (counts.missing + counts.orphan + counts.differing > 0) return 1;
  return isEnded && unanswered === 0 ? 0 : 2;
}

function describe({ rail, orderId, paymentId, kind, field, ours, theirs }: ReportedDifference) {
  const whose = paymentId === null ? '' : ` of ${paymentId}`;
  return `${kind} ${rail} ${orderId}${whose}: ${field} here ${ours}, there ${theirs}`;
}

async function reconcile(sql: Postgres, order: Order): Promise<number> {
  const rails = order.rail === null ? await listOfferedRails(sql) : [order.rail];
  if (rails.length === 0) {
    process.stderr.write('no rails process has offered a rail in the last day\n');
    return 2;
  }
  await requestReconciliations(
    sql,
    rails.map((rail) => ({ rail, day: order.day })),
  );
  const reports = await waitForEnd(sql, rails, order);
  const codes: number[] = [];
  for (const report of reports) codes.push(await printReport(sql, report, order.isJson));
  if (codes.includes(1)) return 1;
  return Math.max(...codes);
}

async function run(): Promise<number> {
  const order = parseOrder(process.argv.slice(2));
  if (typeof order === 'string') {
    process.stderr.write(`${order}\n${USAGE}`);
    return 2;
  }
  const sql = openDatabase('reconcile');
  try {
    return await reconcile(sql, order);
  } catch (error) {
    process.stderr.write(`it could not be reconciled: ${String(error)}\n`);
    return 2;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run();
