// Sends the mails that are due: at once when it is nudged, and every few seconds for those that another gateway
// left behind or that failed. A mail can be sent twice when a process dies between sending and noting it; it is
// never lost. Without an SMTP server the mails stay in their table, and there is no mailer.
import { createTransport } from 'nodemailer';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  claimMails,
  type Mail,
  recordFailure,
  recordSent,
} from '#store/postgres/accounts/mails.js';

const LOOK_EVERY_MS = 5_000;
const MAILS_AT_ONCE = 10;
const SMTP_TIMEOUT_MS = 10_000;
const STORE_MS = 6_000;
const MAX_ERROR_CHARACTERS = 300;

export interface MailerDeps {
  readonly sql: Postgres;
  readonly smtpUrl: string;
  readonly from: string;
  readonly onError: (error: unknown) => void;
}

export interface Mailer {
  /** Something was written just now. */
  nudge(): void;
  stop(): Promise<void>;
}

export function startMailer({ sql, smtpUrl, from, onError }: MailerDeps): Mailer {
  const transport = createTransport(smtpUrl, {
    from,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let running: Promise<void> | undefined;
  let isNudged = false;
  let isStopping = false;

  const send = async (mail: Mail): Promise<void> => {
    const { id, recipient: to, subject, body: text } = mail;
    try {
      await runWithDeadline(transport.sendMail({ to, subject, text }), SMTP_TIMEOUT_MS);
      await runWithDeadline(recordSent(sql, id), STORE_MS);
    } catch (error) {
      onError(error);
      const told = error instanceof Error ? error.message : String(error);
      await runWithDeadline(recordFailure(sql, id, told.slice(0, MAX_ERROR_CHARACTERS)), STORE_MS);
    }
  };

  const sendDue = async (): Promise<void> => {
    while (!isStopping) {
      const mails = await runWithDeadline(claimMails(sql, MAILS_AT_ONCE), STORE_MS);
      for (const mail of mails) await send(mail);
      if (mails.length === 0 && !isNudged) return;
      isNudged = false;
    }
  };

  const run = (): void => {
    running ??= sendDue()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(run, LOOK_EVERY_MS);
  return {
    nudge: () => {
      isNudged = true;
      run();
    },
    stop: async () => {
      isStopping = true;
      clearInterval(timer);
      await running;
      transport.close();
    },
  };
}
