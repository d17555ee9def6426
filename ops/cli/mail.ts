// `kasir mail`: without SMTP_URL, this is the only place to read the service's mails.
import type { Command } from '@commander-js/extra-typings';
import { type KeptMail, listMails } from '#store/postgres/accounts/mails.js';
import { withDatabase } from './base/database.js';
import { addCommand, parseInteger } from './base/options.js';
import { printRows, writeDiagnostic } from './base/output.js';

const MAX_MAILS = 1_000;

export function addMail(program: Command): void {
  const mail = program.command('mail').description('Read the mails that the service wrote');
  const purpose = 'List mails, newest first; the text of a sent mail is gone';
  addCommand(mail, 'list', purpose, 'kasir mail list --to owner@toko.example --limit 5')
    .option('--to <address>', 'only mails to this e-mail address (default: all)')
    .option('--limit <count>', `mails, 1 to ${MAX_MAILS}`, parseInteger(1, MAX_MAILS), 20)
    .action(({ to, limit, ...format }) =>
      withDatabase(async (sql) => {
        const mails = await listMails(sql, to?.toLowerCase() ?? null, limit);
        printRows(mails, format, describeMail);
        writeDiagnostic(mails.length === 0 ? 'no mails' : `${mails.length} shown`);
      }),
    );
}

function describeMail({ createdAt, sentAt, recipient, subject, body, error }: KeptMail): string {
  const state = sentAt !== null ? 'sent' : error === null ? 'not sent' : `not sent: ${error}`;
  return `${createdAt.toISOString()}  ${recipient}  ${subject}  (${state})\n\n${body}`;
}
