// The books, for operators.
//   ledger verify [--json]          whether they are right: ends with 0 when they are, 1 when they are not
//   ledger statement --merchant mer_… --environment TEST|LIVE --from TIME [--to TIME]
//                                   the statement of a merchant's accounts as CSV, `from` included, `to` not
// Both end with 2 when the books could not be read, or were asked for wrongly.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type Environment, type MerchantId, parseMerchantId } from '../../actors/core/ids.js';
import type { StatementScope } from '../../store/postgres/ledger/read-statement.js';
import { type LedgerReport, verifyLedger } from '../../store/postgres/ledger/verify-ledger.js';
import { writeStatement } from '../../store/postgres/ledger/write-statement.js';
import { openDatabase } from './database.js';

const USAGE = `usage: ledger verify [--json]
       ledger statement --merchant mer_… --environment TEST|LIVE --from 2026-08-01 [--to 2026-09-01]
`;

const [verb, ...options] = process.argv.slice(2);
if (verb === 'verify') await verify(options);
else if (verb === 'statement') await printStatement(options);
else fail(USAGE);

async function verify(options: readonly string[]): Promise<void> {
  if (options.some((option) => option !== '--json')) fail(USAGE);
  await withBooks('ledger verify', async (sql) => {
    const report = await verifyLedger(sql);
    const text = options.length > 0 ? `${JSON.stringify(report)}\n` : describe(report);
    process.stdout.write(text);
    process.exitCode = report.isSound ? 0 : 1;
  });
}

async function printStatement(options: string[]): Promise<void> {
  const scope = readScope(options);
  await withBooks('ledger statement', async (sql) => {
    for await (const lines of writeStatement(sql, scope)) {
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    }
  });
}

async function withBooks(
  purpose: string,
  work: (sql: ReturnType<typeof openDatabase>) => Promise<void>,
): Promise<void> {
  const sql = openDatabase(purpose);
  try {
    await work(sql);
  } catch (error) {
    process.stderr.write(`the ledger could not be read: ${String(error)}\n`);
    process.exitCode = 2;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function readScope(args: string[]): StatementScope {
  const values = readOptions(args);
  const merchantId: MerchantId | undefined = parseMerchantId(values.merchant ?? '');
  const environment = readEnvironment(values.environment);
  const fromMs = Date.parse(values.from ?? '');
  const toMs = values.to === undefined ? Date.now() : Date.parse(values.to);
  if (merchantId === undefined) fail(`--merchant must be the id of a merchant\n${USAGE}`);
  if (environment === undefined) fail(`--environment must be TEST or LIVE\n${USAGE}`);
  if (!(fromMs < toMs)) fail(`--from and --to must be times, the first one earlier\n${USAGE}`);
  return { merchantId, environment, fromMs, toMs };
}

function readOptions(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { merchant: text, environment: text, from: text, to: text };
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function readEnvironment(text: string | undefined): Environment | undefined {
  return text === 'TEST' || text === 'LIVE' ? text : undefined;
}

function describe(report: LedgerReport): string {
  const { isSound, accounts, postings, payments, payouts, tasks, faults, faultCount } = report;
  const lines = faults.map(({ kind, subject, fault }) => `${kind} ${subject}: ${fault}`);
  const left = faultCount - faults.length;
  if (left > 0) lines.push(`… and ${left} more`);
  const result = isSound ? 'the ledger is sound' : `the ledger has ${faultCount} fault(s)`;
  lines.push(
    `${result}: ${accounts} accounts, ${postings} postings, ${payments} payments, ${payouts} payouts, ` +
      `${tasks} tasks`,
  );
  return `${lines.join('\n')}\n`;
}

function fail(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}
