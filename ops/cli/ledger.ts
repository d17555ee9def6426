// `kasir ledger`: prove it, print statements of it, and book what the reports of rails and of the bank say.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type AmountMinor, parseAmount } from '#actors/core/money.js';
import { LIVE_RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import { BOOKING_KINDS } from '#actors/core/ledger/bookings.js';
import type { Postgres } from '#store/postgres/client.js';
import { bookAtRail } from '#store/postgres/ledger/book-at-rail.js';
import {
  correctManualPostings,
  countManualCorrections,
} from '#store/postgres/ledger/correct-manual.js';
import type { TellProgress } from '#store/postgres/progress.js';
import { type AccountScope, readAccount } from '#store/postgres/ledger/read-account.js';
import { type LedgerReport, verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { createLineWriter, writeStatement } from '#store/postgres/ledger/write-statement.js';
import { withDatabase, withReader } from './base/database.js';
import {
  addCommand,
  DRY_RUN,
  ENVIRONMENTS,
  parseMerchant,
  parseNonEmpty,
  parseTime,
} from './base/options.js';
import { markProblem, print, write } from './base/output.js';
import { withProgress } from './base/progress.js';

export function addLedger(program: Command): void {
  const ledger = program.command('ledger').description('Prove, print and complete the ledger');
  const purpose = 'Prove that balances, postings and the objects behind them agree';
  addCommand(ledger, 'verify', purpose, 'kasir ledger verify --json').action((format) =>
    withReader(async (sql) => {
      const report = await withProgress((tell) => verifyLedger(sql, tell));
      print(report, format, describeReport(report));
      if (!report.isSound) markProblem();
    }),
  );
  addStatement(ledger);
  addBook(ledger);
  addCorrection(ledger);
}

function addStatement(ledger: Command): void {
  const accountOption = new Option(
    '--account <key>',
    'one account: rail_clearing:midtrans:LIVE:IDR',
  );
  const purpose = "Print a CSV statement of a merchant's accounts, or of any one account";
  const example =
    'kasir ledger statement --merchant mer_… --environment LIVE --from 2026-08-01 --to 2026-09-01';
  addCommand(ledger, 'statement', purpose, example)
    .option('--merchant <id>', 'with --environment: the accounts of this merchant', parseMerchant)
    .addOption(new Option('--environment <name>', 'of the merchant').choices(ENVIRONMENTS))
    .addOption(accountOption.conflicts(['merchant', 'environment']))
    .requiredOption('--from <time>', 'first moment, ISO 8601', parseTime)
    .option('--to <time>', 'end, not included, ISO 8601 (default: now)', parseTime)
    .action(({ merchant, environment, account, from, to = new Date(), json }, command) => {
      const times = { fromMs: from.getTime(), toMs: to.getTime() };
      if (from >= to) return command.error('error: --from must be earlier than --to');
      const writeLines = json ? createJsonWriter() : write;
      if (account !== undefined) {
        return withReader((sql) =>
          withProgress((tell) => {
            tell({ step: 'opening balance' });
            return writeAccount(sql, { account, ...times }, tellLines(tell, writeLines));
          }),
        );
      }
      if (merchant === undefined || environment === undefined) {
        return command.error('error: give --account, or --merchant and --environment');
      }
      const scope = { merchantId: merchant, environment, ...times };
      return withReader((sql) =>
        withProgress(async (tell) => {
          const writeNext = tellLines(tell, writeLines);
          for await (const lines of writeStatement(sql, scope)) await writeNext(lines);
        }),
      );
    });
}

function addBook(ledger: Command): void {
  const purpose = 'Book an entry of a report of a rail or the bank, once per reference';
  const example =
    'kasir ledger book --kind fee --rail midtrans --amount 700 --reference STL-1 --note "August fees"';
  addCommand(ledger, 'book', purpose, example)
    .addOption(
      new Option('--kind <kind>', 'kind of entry').choices(BOOKING_KINDS).makeOptionMandatory(),
    )
    .addOption(
      new Option('--rail <name>', 'rail of the entry')
        .choices(LIVE_RAIL_NAMES)
        .makeOptionMandatory(),
    )
    .requiredOption('--amount <digits>', 'whole rupiah, above 0', parsePositiveAmount)
    .requiredOption('--reference <text>', "the report's own id of the entry", parseNonEmpty)
    .requiredOption('--note <text>', 'reason for the audit log', parseNonEmpty)
    .action(({ kind, rail, amount, reference, note, ...format }) =>
      withDatabase(async (sql) => {
        const booking = { kind, rail, reference, amountMinor: amount, currency: 'IDR' } as const;
        const outcome = await bookAtRail(sql, booking, note);
        print({ outcome }, format, outcome);
        if (outcome === 'differs') markProblem();
      }),
    );
}

function addCorrection(ledger: Command): void {
  const purpose =
    "Move refunds and returns that were paid by hand from the rail's account to rail_clearing:manual, once";
  const example = 'kasir ledger correct-manual --dry-run';
  addCommand(ledger, 'correct-manual', purpose, example)
    .option(...DRY_RUN)
    .action(({ dryRun = false, ...format }) =>
      withDatabase(async (sql) => {
        const count = dryRun ? countManualCorrections : correctManualPostings;
        const corrections = await withProgress((tell) => {
          tell({ step: 'reading all postings' });
          return count(sql);
        });
        const effect = dryRun ? 'would be corrected' : 'corrected';
        print({ corrections, dryRun }, format, `${corrections} posting(s) ${effect}`);
      }),
    );
}

function parsePositiveAmount(text: string): AmountMinor {
  const amount = parseAmount(text);
  if (typeof amount !== 'string') return amount;
  throw new InvalidArgumentError('It must be 1 to 15 digits, above 0.');
}

type LineWriter = (lines: string) => Promise<void>;

async function writeAccount(sql: Postgres, scope: AccountScope, writeLines: LineWriter) {
  let lines = createLineWriter([], scope);
  await readAccount(sql, scope, {
    opening: (openings) => {
      lines = createLineWriter(openings, scope);
      return writeLines(lines.begin());
    },
    movements: (movements) => writeLines(lines.goOn(movements)),
  });
  await writeLines(lines.end());
}

const LINE_DAY = /"(\d{4}-\d\d-\d\d)T.*\r\n$/;

/** Tells the day that the lines have reached. */
function tellLines(tell: TellProgress, writeLines: LineWriter): LineWriter {
  let done = 0;
  return (lines) => {
    done += lines.split('\r\n').length - 1;
    const [, day] = LINE_DAY.exec(lines) ?? [];
    tell({ step: day === undefined ? 'lines' : `lines until ${day}`, done });
    return writeLines(lines);
  };
}

/** Writes CSV lines as objects, named by the header line. No field of a statement holds a comma or a quote. */
function createJsonWriter(): LineWriter {
  let names: readonly string[] | undefined;
  return async (lines) => {
    for (const line of lines.split('\r\n').filter((text) => text !== '')) {
      const fields = line.replaceAll('"', '').split(',');
      const entries = names?.map((name, index) => [name, fields[index]] as const);
      names ??= fields;
      if (entries !== undefined) await write(`${JSON.stringify(Object.fromEntries(entries))}\n`);
    }
  };
}

function describeReport(report: LedgerReport): string {
  const { isSound, accounts, postings, payments, payouts, tasks, bookings, approvals } = report;
  const { faults, faultCount } = report;
  const lines = faults.map(({ kind, subject, fault }) => `${kind} ${subject}: ${fault}`);
  const hidden = faultCount - faults.length;
  if (hidden > 0) lines.push(`… and ${hidden} more`);
  const result = isSound ? 'the ledger is sound' : `the ledger has ${faultCount} fault(s)`;
  lines.push(
    `${result}: ${accounts} accounts, ${postings} postings, ${payments} payments, ${payouts} payouts, ` +
      `${tasks} tasks, ${bookings} bookings at rails, ${approvals} approvals`,
  );
  return lines.join('\n');
}
