// `ledger verify [--json]`: whether the books are right. Ends with 0 when they are, 1 when they are not, 2 when
// they could not be read.
import { type LedgerReport, verifyLedger } from '../../store/postgres/ledger/verify-ledger.js';
import { openDatabase } from './database.js';

const USAGE = 'usage: ledger verify [--json]\n';

const [verb, ...options] = process.argv.slice(2);
const isJson = options.includes('--json');
if (verb !== 'verify' || options.some((option) => option !== '--json')) fail(USAGE);
const sql = openDatabase('ledger verify');
try {
  const report = await verifyLedger(sql);
  process.stdout.write(isJson ? `${JSON.stringify(report)}\n` : describe(report));
  process.exitCode = report.isSound ? 0 : 1;
} catch (error) {
  process.stderr.write(`the ledger could not be read: ${String(error)}\n`);
  process.exitCode = 2;
} finally {
  await sql.end({ timeout: 5 });
}

function describe({
  isSound,
  accounts,
  postings,
  payments,
  faults,
  faultCount,
}: LedgerReport): string {
  const lines = faults.map(({ kind, subject, fault }) => `${kind} ${subject}: ${fault}`);
  const left = faultCount - faults.length;
  if (left > 0) lines.push(`… and ${left} more`);
  const result = isSound ? 'the ledger is sound' : `the ledger has ${faultCount} fault(s)`;
  lines.push(`${result}: ${accounts} accounts, ${postings} postings, ${payments} payments`);
  return `${lines.join('\n')}\n`;
}

function fail(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}
