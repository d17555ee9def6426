// `kasir audit`: verify the chains of the audit log, and erase a person's addresses from it.
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { parseUserId, type UserId } from '#actors/core/ids.js';
import { countAuditedUser, eraseAuditedUser } from '#store/postgres/operations/audit.js';
import { type AuditReport, verifyAudit } from '#store/postgres/operations/verify-audit.js';
import { withDatabase } from './base/database.js';
import { addCommand, DRY_RUN } from './base/options.js';
import { markProblem, print } from './base/output.js';
import { withProgress } from './base/progress.js';

const DAY_MS = 86_400_000;

export function addAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('Verify the audit log, and erase a person from it');
  const verifyPurpose = 'Prove that no row of the audit log was changed, removed or slipped in';
  addCommand(audit, 'verify', verifyPurpose, 'kasir audit verify --until 2026-08-01')
    .option(
      '--until <day>',
      'last day of the fingerprint, in UTC (default: yesterday)',
      parsePastDay,
      formatDay(Date.now() - DAY_MS),
    )
    .action(({ until, ...format }) =>
      withDatabase(async (sql) => {
        const report = await withProgress((tell) => verifyAudit(sql, until, tell));
        print(report, format, describeReport(report));
        if (!report.isSound) markProblem();
      }),
    );
  const erasePurpose = 'Erase the e-mail and IP addresses of a user from the audit log';
  addCommand(audit, 'erase', erasePurpose, 'kasir audit erase usr_…')
    .argument('<user>', 'id of the user, usr_…', parseUser)
    .option(...DRY_RUN)
    .action((user, { dryRun = false, ...format }) =>
      withDatabase(async (sql) => {
        const rows = await (dryRun ? countAuditedUser : eraseAuditedUser)(sql, user);
        const effect = dryRun ? 'would be erased' : 'erased';
        print({ id: user, rows, dryRun }, format, `${rows} row(s) ${effect}`);
      }),
    );
}

const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function parsePastDay(text: string): string {
  const atMs = Date.parse(`${text}T00:00:00Z`);
  if (formatDay(Number.isNaN(atMs) ? 0 : atMs) !== text || text >= formatDay(Date.now())) {
    throw new InvalidArgumentError('It must be a day that is over in UTC: 2026-08-01.');
  }
  return text;
}

function parseUser(text: string): UserId {
  const id = parseUserId(text);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('It must be the id of a user: usr_….');
}

function describeReport(report: AuditReport): string {
  const { isSound, chains, rows, erasedRows, faults, faultCount, fingerprintUntil, fingerprint } =
    report;
  const lines = faults.map(({ chain, number, id, fault }) => {
    const row = id === null ? `number ${number}` : `row ${id} (number ${number ?? 'none'})`;
    return `chain ${chain === '' ? 'without merchant' : chain}, ${row}: ${fault}`;
  });
  if (faultCount > faults.length) lines.push(`… and ${faultCount - faults.length} more`);
  const result = isSound ? 'the audit log is sound' : `the audit log has ${faultCount} fault(s)`;
  lines.push(
    `${result}: ${chains} chains, ${rows} rows, ${erasedRows} of them erased`,
    `fingerprint of all days until ${fingerprintUntil}: ${fingerprint}`,
  );
  return lines.join('\n');
}
