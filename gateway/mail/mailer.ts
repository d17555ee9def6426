// Sends the mails of the table: at once after `nudge`, and every few seconds those that another gateway left or that
// failed. A mail is given up after eight tries in 45 hours, and is kept for operators (`kasir mail list`) until it is 30 days
// old; it is sent twice when a process dies between sending it and recording that. Without an SMTP server mails stay in the
// table.
import { createTransport } from 'nodemailer';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { Config } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import {
  type ClaimedMail,
  claimMails,
  createMailTurns,
  recordFailure,
  recordSent,
} from '#store/postgres/accounts/mails.js';
import type { Postgres } from '#store/postgres/client.js';

const LOOK_EVERY_MS = 5_000;
const MAILS_AT_ONCE = 10;
const SMTP_DEADLINE_MS = 10_000;
/** Of a silent server; the transport then closes the connection, which would stay open for ten minutes. */
const SMTP_SILENT_MS = 8_000;
const MAX_ERROR_CHARACTERS = 300;

export interface Mailer {
  /** Sends mails that were just written, without waiting for the next round. */
  nudge(): void;
  stop(): Promise<void>;
}

const NO_MAILER: Mailer = { nudge: () => undefined, stop: () => Promise.resolve() };

export function startMailer(
  config: Pick<Config, 'mail' | 'brand' | 'baseUrl'>,
  sql: Postgres,
  log: Log,
): Mailer {
  const { smtpUrl } = config.mail;
  if (smtpUrl === null) return NO_MAILER;
  const transport = openMailTransport(smtpUrl, config);

  const send = async (mail: ClaimedMail): Promise<void> => {
    const { id, recipient: address, subject, body: text, isLastTry } = mail;
    // An object is one address; a text would be parsed as a list.
    const to = { name: '', address };
    try {
      await runWithDeadline(transport.sendMail({ to, subject, text }), SMTP_DEADLINE_MS);
      await recordSent(sql, id);
    } catch (error) {
      const fields = { err: error, mailId: id };
      if (isLastTry) log.error(fields, 'a mail could not be sent at its last try; it is given up');
      else log.warn(fields, 'a mail could not be sent; it is sent again later');
      const message = error instanceof Error ? error.message : String(error);
      await recordFailure(sql, id, message.slice(0, MAX_ERROR_CHARACTERS));
    }
  };

  const turns = createMailTurns();
  const loop = startLoop({
    name: 'mailer',
    everyMs: LOOK_EVERY_MS,
    isFirstDelayed: true,
    work: async () => {
      const mails = await claimMails(sql, turns, MAILS_AT_ONCE);
      await Promise.all(mails.map(send));
      return mails.length === 0 ? undefined : 0;
    },
    log,
  });
  return {
    nudge: loop.wake,
    stop: async () => {
      await loop.stop();
      transport.close();
    },
  };
}

/** The first use connects. */
export function openMailTransport(
  smtpUrl: string,
  { mail: { from }, brand, baseUrl }: Pick<Config, 'mail' | 'brand' | 'baseUrl'>,
) {
  return createTransport(limitSilence(smtpUrl), {
    from: {
      name: from?.name ?? brand.name,
      address: from?.address ?? `no-reply@${new URL(baseUrl).hostname}`,
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The transport reads its options from the address only. */
function limitSilence(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    url.searchParams.set(name, String(SMTP_SILENT_MS));
  }
  return url.href;
}
