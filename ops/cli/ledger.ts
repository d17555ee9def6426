// The books, for operators.
//   ledger verify [--json]          whether they are right: ends with 0 when they are, 1 when they are not
//   ledger statement --merchant mer_… --environment TEST|LIVE --from TIME [--to TIME]
//                                   the statement of a merchant's accounts as CSV, `from` included, `to` not
//   ledger statement --account rail_clearing:midtrans:LIVE:IDR --from TIME [--to TIME]
//                                   of one account, whosever it is; rails are named
//   ledger book --kind fee|fee_returned|settled|topped_up --rail NAME --amount DIGITS --reference TEXT --note TEXT
//                                   by the report of a rail or of the bank, once for its reference
// All end with 2 when the books could not be read, or were asked for wrongly; `book` with 1 when that reference was
// booked with another amount.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type Environment, type MerchantId, parseMerchantId } from '#actors/core/ids.js';
import { parseAmount } from '#actors/core/money.js';
import { LIVE_RAIL_NAMES } from '#actors/core/rails/answers.js';
import { BOOKING_KINDS, type RailBooking } from '#actors/core/rails/bookings.js';
import { bookAtRail } from '#store/postgres/ledger/book-at-rail.js';
import { readAccount } from '#store/postgres/ledger/read-account.js';
import type { StatementScope } from '#store/postgres/ledger/read-statement.js';
import { type LedgerReport, verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { createLineWriter, writeStatement } from '#store/postgres/ledger/write-statement.js';
import { openDatabase } from './database.js';

const USAGE = `usage: ledger verify [--json]
       ledger statement --merchant mer_… --environment TEST|LIVE --from 2026-08-01 [--to 2026-09-01]
       ledger statement --account rail_clearing:midtrans:LIVE:IDR --from 2026-08-01 [--to 2026-09-01]
       ledger book --kind ${BOOKING_KINDS.join('|')} --rail midtrans --amount 12500 --reference STL-1 --note text
`;

const [verb, ...options] = process.argv.slice(2);
if (verb === 'verify') await verify(options);
else if (verb === 'statement') await printStatement(options);
else if (verb === 'book') await book(options);
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
  const values = readOptions(options, ['merchant', 'environment', 'account', 'from', 'to']);
  const { account, merchant, environment } = values;
  if (account !== undefined && (merchant ?? environment) !== undefined) fail(USAGE);
  const times = readTimes(values);
  if (account !== undefined) return printAccount(account, times);
  const scope = { ...readOwner(values), ...times };
  await withBooks('ledger statement', async (sql) => {
    for await (const lines of writeStatement(sql, scope)) await print(lines);
  });
}

type Times = Pick<StatementScope, 'fromMs' | 'toMs'>;

async function printAccount(account: string, times: Times): Promise<void> {
  await withBooks('ledger statement', async (sql) => {
    let lines = createLineWriter([], times);
    await readAccount(
      sql,
      { account, ...times },
      {
        opening: (openings) => {
          lines = createLineWriter(openings, times);
          return print(lines.begin());
        },
        movements: (movements) => print(lines.goOn(movements)),
      },
    );
    await print(lines.end());
  });
}

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

async function book(options: string[]): Promise<void> {
  const { booking, note } = readBooking(options);
  await withBooks('ledger book', async (sql) => {
    const outcome = await bookAtRail(sql, booking, note);
    process.stdout.write(`${outcome}\n`);
    process.exitCode = outcome === 'differs' ? 1 : 0;
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

type Values = Readonly<Record<string, string | undefined>>;

function readOwner(values: Values): Omit<StatementScope, 'fromMs' | 'toMs'> {
  const merchantId: MerchantId | undefined = parseMerchantId(values['merchant'] ?? '');
  const environment = readEnvironment(values['environment']);
  if (merchantId === undefined) fail(`--merchant must be the id of a merchant\n${USAGE}`);
  if (environment === undefined) fail(`--environment must be TEST or LIVE\n${USAGE}`);
  return { merchantId, environment };
}

function readTimes({ from, to }: Values): Times {
  const fromMs = Date.parse(from ?? '');
  const toMs = to === undefined ? Date.now() : Date.parse(to);
  if (!(fromMs < toMs)) fail(`--from and --to must be times, the first one earlier\n${USAGE}`);
  return { fromMs, toMs };
}

function readBooking(args: string[]): { booking: RailBooking; note: string } {
  const values = readOptions(args, ['kind', 'rail', 'amount', 'reference', 'note']);
  const kind = BOOKING_KINDS.find((one) => one === values['kind']);
  const rail = LIVE_RAIL_NAMES.find((one) => one === values['rail']);
  const amountMinor = parseAmount(values['amount'] ?? '');
  const { reference = '', note = '' } = values;
  if (kind === undefined) fail(`--kind must be one of ${BOOKING_KINDS.join(', ')}\n${USAGE}`);
  if (rail === undefined) fail(`--rail must be ${LIVE_RAIL_NAMES.join(' or ')}\n${USAGE}`);
  if (typeof amountMinor === 'string') fail(`--amount must be digits, above zero\n${USAGE}`);
  if (reference === '' || note === '') fail(`--reference and --note must be told\n${USAGE}`);
  return { booking: { kind, rail, reference, amountMinor, currency: 'IDR' }, note };
}

function readOptions(args: string[], names: readonly string[]): Values {
  const text = { type: 'string' } as const;
  try {
    const options = Object.fromEntries(names.map((name) => [name, text]));
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function readEnvironment(text: string | undefined): Environment | undefined {
  return text === 'TEST' || text === 'LIVE' ? text : undefined;
}

function describe(report: LedgerReport): string {
  const { isSound, accounts, postings, payments, payouts, tasks, bookings } = report;
  const { faults, faultCount } = report;
  const lines = faults.map(({ kind, subject, fault }) => `${kind} ${subject}: ${fault}`);
  const left = faultCount - faults.length;
  if (left > 0) lines.push(`… and ${left} more`);
  const result = isSound ? 'the ledger is sound' : `the ledger has ${faultCount} fault(s)`;
  lines.push(
    `${result}: ${accounts} accounts, ${postings} postings, ${payments} payments, ${payouts} payouts, ` +
      `${tasks} tasks, ${bookings} bookings at rails`,
  );
  return `${lines.join('\n')}\n`;
}

function fail(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}
