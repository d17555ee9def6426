// The address of a database in DATABASE_URL. Its parameter `pooling` is ours and not the server's: `transaction` leads to
// PgBouncer in transaction mode, where each transaction may have another session. `sslrootcert` is libpq's, and not known to
// the driver: the file with the authorities of the server's certificate. DATABASE_CA_FILE adds it to the addresses with TLS,
// so that whoever has the address has the file too, also a thread.
import type { ConnectionOptions } from 'node:tls';
import { type CheckedServer, readCaFile } from './certificates.js';

const POOLING = 'pooling';
const TRANSACTION = 'transaction';
const CA_FILE = 'sslrootcert';
const DEFAULT_PORT = '5432';

/**
 * The driver checks certificate and host name in this mode. With `require`, `prefer` and `allow` it accepts any certificate, and
 * with it anybody between the process and the server.
 */
export const VERIFYING_MODE = 'verify-full';
/** With an authority, both check that it has signed the certificate, for whichever name: libpq's meaning of `require` too. */
const AUTHORITY_MODES = ['require', 'verify-ca'];

export interface PostgresAddress extends CheckedServer {
  /** As the driver takes it: without `pooling` and `sslrootcert`, which it would send to the server. */
  readonly url: string;
  readonly isPooled: boolean;
  /** Present with an authority. */
  readonly ssl?: ConnectionOptions;
}

const readParameter = (url: string, name: string): string | null =>
  URL.canParse(url) ? new URL(url).searchParams.get(name) : null;

export const isPoolingKnown = (url: string): boolean =>
  [null, TRANSACTION].includes(readParameter(url, POOLING));

export const isPooled = (url: string): boolean => readParameter(url, POOLING) === TRANSACTION;

export const findPostgresCaFile = (url: string): string | null => readParameter(url, CA_FILE);

/** Whether the driver checks the certificate, at least by its authority. `hasCaFile`: a file is given beside the address. */
export function isVerified(url: string, hasCaFile: boolean): boolean {
  const modes = URL.canParse(url) ? new URL(url).searchParams.getAll('sslmode') : [];
  const hasAuthority = hasCaFile || findPostgresCaFile(url) !== null;
  const verifying = hasAuthority ? [VERIFYING_MODE, ...AUTHORITY_MODES] : [VERIFYING_MODE];
  return modes.length > 0 && modes.every((mode) => verifying.includes(mode));
}

/** An address without TLS stays as it is, such as that of a PgBouncer beside the process. */
export function addPostgresCaFile(given: string, file: string | undefined): string {
  if (file === undefined || !isVerified(given, true)) return given;
  const url = new URL(given);
  url.searchParams.set(CA_FILE, file);
  return url.href;
}

/** @throws Error when the file with the authorities cannot be read */
export function parsePostgresAddress(given: string): PostgresAddress {
  const url = new URL(given);
  const caFile = url.searchParams.get(CA_FILE);
  const isOurs = [POOLING, CA_FILE].some((name) => url.searchParams.has(name));
  url.searchParams.delete(POOLING);
  url.searchParams.delete(CA_FILE);
  return {
    url: isOurs ? url.href : given,
    isPooled: isPooled(given),
    server: `Postgres at ${url.hostname}:${url.port || DEFAULT_PORT}`,
    ...{ urlVariable: 'DATABASE_URL', caVariable: 'DATABASE_CA_FILE' },
    ...(caFile === null ? {} : { ssl: buildTls(url, readCaFile(caFile)) }),
  };
}

function buildTls(url: URL, ca: string): ConnectionOptions {
  // Without a host the certificate of an IP address is compared with `localhost`.
  const checked = { ca, host: url.hostname.replace(/^\[|\]$/g, '') };
  const isNameChecked = url.searchParams.get('sslmode') === VERIFYING_MODE;
  return isNameChecked ? checked : { ...checked, checkServerIdentity: () => undefined };
}
