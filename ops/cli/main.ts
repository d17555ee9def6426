#!/usr/bin/env node
// The operators' program: `kasir <command>`, described by `kasir --help`. Results go to standard output, diagnostics to
// standard error. Commander owns the grammar and the help; this file owns the exit codes.
import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describeError, EXIT_PROBLEM, EXIT_WRONG_USAGE, writeDiagnostic } from './base/output.js';

/**
 * The commands in the order of the help. Only the one that is called is loaded, which takes half of the CPU
 * (docs/decisions/0054-bundled-programs.md). Without a command, or with an unknown one, the help needs all of them.
 */
const COMMANDS = {
  doctor: async () => (await import('./doctor/doctor.js')).addDoctor,
  partitions: async () => (await import('./partitions.js')).addPartitions,
  payment: async () => (await import('./payment/payment.js')).addPayment,
  quarantine: async () => (await import('./quarantine.js')).addQuarantine,
  migrate: async () => (await import('./migrate.js')).addMigrate,
  ledger: async () => (await import('./ledger.js')).addLedger,
  reconcile: async () => (await import('./reconcile.js')).addReconcile,
  dlq: async () => (await import('./dlq.js')).addDlq,
  listen: async () => (await import('./listen.js')).addListen,
  mail: async () => (await import('./mail.js')).addMail,
  admin: async () => (await import('./admin.js')).addAdmin,
  audit: async () => (await import('./audit.js')).addAudit,
  secrets: async () => (await import('./secrets.js')).addSecrets,
};

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

const called = Object.entries(COMMANDS).filter(([name]) => name === process.argv[2]);
for (const load of called.length > 0 ? called.map(([, one]) => one) : Object.values(COMMANDS)) {
  (await load())(program);
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
