#!/usr/bin/env node
// The operators' program: `kasir <command>`, described by `kasir --help`. Results go to standard output, diagnostics to
// standard error. Commander owns the grammar and the help; this file owns the exit codes.
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { addAdmin } from './admin.js';
import { addAudit } from './audit.js';
import { addDlq } from './dlq.js';
import { addDoctor } from './doctor/doctor.js';
import { addLedger } from './ledger.js';
import { addListen } from './listen.js';
import { addMail } from './mail.js';
import { addMigrate } from './migrate.js';
import { describeError, EXIT_PROBLEM, EXIT_WRONG_USAGE, writeDiagnostic } from './base/output.js';
import { addPartitions } from './partitions.js';
import { addPayment } from './payment/payment.js';
import { addQuarantine } from './quarantine.js';
import { addReconcile } from './reconcile.js';
import { addSecrets } from './secrets.js';

// `kasir … | head` closes the pipe early, which is no failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? undefined : EXIT_PROBLEM);
});

// `kasir … 2>&1 | head` closes this one too. The command goes on, since its exit code still says how it ended.
process.stderr.on('error', () => undefined);

const EXIT_CODES = `
Exit codes:
  0  done, or help was printed
  ${EXIT_PROBLEM}  the command ran and found a problem, or could not be carried out
  ${EXIT_WRONG_USAGE}  wrong usage: an unknown or missing command, argument or option

Commands use the servers of DATABASE_URL and REDIS_URL, or else those that npm start runs in DATA_DIR.`;

const program = new Command('kasir')
  .description('Operate a Kasir installation')
  .exitOverride()
  .addHelpText('after', EXIT_CODES);

for (const addTo of [
  ...[addDoctor, addPartitions, addPayment, addQuarantine],
  ...[addMigrate, addLedger, addReconcile],
  ...[addDlq, addListen, addMail, addAdmin, addAudit, addSecrets],
]) {
  addTo(program);
}

adviseHelp(program, 'kasir');

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

/** The whole help behind an error would push the error out of a small window. */
function adviseHelp(command: CommandUnknownOpts, words: string): void {
  command.showHelpAfterError(`(${words} --help explains what is allowed)`);
  for (const inner of command.commands) adviseHelp(inner, `${words} ${inner.name()}`);
}

/** Commander has already printed its own errors. It also throws, with exit code 0, after it printed help. */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_WRONG_USAGE;
  writeDiagnostic(`error: ${describeError(error)}`);
  return EXIT_PROBLEM;
}
