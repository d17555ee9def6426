// Certificates of Postgres and Redis: the files with the authorities that sign them, and the faults of a check.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a PEM file with certificates of authorities. TLS ignores a file without one, and then trusts nobody.
 * @throws Error that says what is allowed, which begins with `allowed`, and what is wrong with the file
 */
export function readCaFile(path: string, allowed = 'a PEM file'): string {
  try {
    const text = readFileSync(path, 'utf8');
    const found = text.match(PEM) ?? [];
    if (found.length === 0) throw new Error('it has no "-----BEGIN CERTIFICATE-----"');
    for (const pem of found) new X509Certificate(pem);
    return text;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${allowed} with the certificates of authorities (${reason})`);
  }
}

/** A server and the variables that say where it is and which authority has signed its certificate. */
export interface CheckedServer {
  /** For people: `Postgres at db.example:5432`. */
  readonly server: string;
  readonly urlVariable: string;
  readonly caVariable: string;
  /** Sentinels are asked for the server, and their certificates are checked. */
  readonly hasCheckedSentinels?: boolean;
}

const BEGINNING = 'the certificate of ';
const CODES = /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_CERT_|INVALID_CA$)/;
/** The driver of Redis does not tell what a Sentinel's certificate lacks. */
const SENTINELS_CLOSED = /^All sentinels are unreachable.*Connection is closed/;

/** A server without TLS takes the greeting for nonsense, and closes the connection. */
const CLOSED = /before secure TLS connection was established/;

/** Names server and variable in the message of an error of TLS. Other errors, and repeated calls, change nothing. */
export function explainCertificateFault(error: unknown, checked: CheckedServer): void {
  if (!(error instanceof Error) || error.message.startsWith(BEGINNING)) return;
  const { message } = error;
  const code = 'code' in error ? String(error.code) : '';
  if (CODES.test(code)) {
    error.message = `${BEGINNING}${checked.server} is not accepted (${message}): ${adviseOn(message, checked)}`;
  } else if (CLOSED.test(message) && !message.startsWith(checked.server)) {
    error.message = `${checked.server} closes connections with TLS, so it may have none (${message}): switch TLS on there, or change ${checked.urlVariable}`;
  } else if (checked.hasCheckedSentinels && SENTINELS_CLOSED.test(message)) {
    error.message = `${message} They may be down, or ${BEGINNING}${checked.server} is not accepted: ${adviseOn('', checked)}`;
  }
}

function adviseOn(message: string, { urlVariable, caVariable }: CheckedServer): string {
  if (/expired|not yet valid/.test(message)) return 'renew it, and check the clock of this machine';
  if (/altnames/.test(message)) return `${urlVariable} must have a host name of the certificate`;
  return `if a private authority has signed it, ${caVariable} must name a PEM file with this authority (docs/configuration.md#certificates)`;
}
