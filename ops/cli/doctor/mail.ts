// The server that takes the mails.
import { openMailTransport } from '#gateway/mail/mailer.js';
import type { Config } from '#ops/runtime/config.js';
import { describeError } from '../base/output.js';
import { type Finding, reportOk, reportProblem, reportWarning } from './finding.js';

const CHECK = 'mail.server';

/** Connects and logs in; no mail is sent. */
export async function checkMailServer(config: Config): Promise<Finding> {
  const { isProduction, mail } = config;
  if (mail.smtpUrl === null) {
    const says = 'SMTP_URL is not set: no mail is sent, and npx kasir mail list prints them';
    if (!isProduction) return reportOk(CHECK, says);
    return reportWarning(CHECK, says, 'Set SMTP_URL and MAIL_FROM (docs/configuration.md)');
  }
  const { host } = new URL(mail.smtpUrl);
  const transport = openMailTransport(mail.smtpUrl, config);
  try {
    await transport.verify();
    return reportOk(CHECK, `${host} takes mails`);
  } catch (error) {
    return reportProblem(
      CHECK,
      `${host} takes no mails: ${describeError(error)}`,
      'Check SMTP_URL: address, TLS and password (docs/configuration.md)',
    );
  } finally {
    transport.close();
  }
}
