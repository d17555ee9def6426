// The address of a database in DATABASE_URL. Its parameter `pooling` is ours and not the server's: `transaction` leads to
// PgBouncer in transaction mode, where each transaction may have another session. `sslrootcert` is libpq's, and not known to
// the driver: the file with the authorities of the server's certificate. DATABASE_CA_FILE adds it to the addresses with TLS,
// so that whoever has the address has the file too, also a thread.
//
// An address may have several hosts, as libpq writes them: `postgres://user@one:5432,two:5432/kasir`. The driver gets them one at
// a time: given all, it goes round them without a pause while none is the primary.
import type { ConnectionOptions } from 'node:tls';
import { type CheckedServer, readCaFile } from './certificates.js';

const POOLING = 'pooling';
const TRANSACTION = 'transaction';
const CA_FILE = 'sslrootcert';
const TARGET = 'target_session_attrs';
const PRIMARY = 'primary';
const DEFAULT_PORT = '5432';

/**
 * The driver checks certificate and host name in this mode. With `require`, `prefer` and `allow` it accepts any certificate, and
 * with it anybody between the process and the server.
 */
export const VERIFYING_MODE = 'verify-full';
/** With an authority, both check that it has signed the certificate, for whichever name: libpq's meaning of `require` too. */
const AUTHORITY_MODES = ['require', 'verify-ca'];

export interface PostgresAddress extends CheckedServer {
  /** As the driver takes it: one host, without the parameters that it would send to the server. */
  readonly url: string;
  readonly isPooled: boolean;
  /** Present with an authority. */
  readonly ssl?: ConnectionOptions;
}

/** The part before the hosts, and the hosts. */
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)/i;

/** The same address with each of its hosts; they have the same parameters. */
function listUrls(given: string): readonly [string, ...string[]] {
  const [first = '', ...others] = (AUTHORITY.exec(given)?.[2] ?? '').split(',');
  const build = (host: string): string =>
    given.replace(AUTHORITY, (_all, before: string) => before + host);
  return [build(first), ...others.map(build)];
}

/** undefined: it is no address. */
function parseFirst(given: string): URL | undefined {
  const [first] = listUrls(given);
  return URL.canParse(first) ? new URL(first) : undefined;
}

const readParameter = (url: string, name: string): string | null =>
  parseFirst(url)?.searchParams.get(name) ?? null;

export const isPostgresUrl = (given: string): boolean =>
  listUrls(given).every(
    (url) => URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol),
  );

export const hasSeveralHosts = (url: string): boolean => listUrls(url).length > 1;

/**
 * Whether the address names servers in a way that leads to the primary. Of several hosts the parameter says it, so that psql and
 * pg_dump mean the same server. `read-write` is not enough: drivers take a standby for it.
 */
export function isPrimaryNamed(url: string): boolean {
  const target = readParameter(url, TARGET);
  return target === PRIMARY || (target === null && !hasSeveralHosts(url));
}

export const hasTarget = (url: string): boolean => readParameter(url, TARGET) !== null;

export const isPoolingKnown = (url: string): boolean =>
  [null, TRANSACTION].includes(readParameter(url, POOLING));

export const isPooled = (url: string): boolean => readParameter(url, POOLING) === TRANSACTION;

export const readSslMode = (url: string): string | null => readParameter(url, 'sslmode');

export const findPostgresCaFile = (url: string): string | null => readParameter(url, CA_FILE);

/** Whether the driver checks the certificate, at least by its authority. `hasCaFile`: a file is given beside the address. */
export function isVerified(url: string, hasCaFile: boolean): boolean {
  const modes = parseFirst(url)?.searchParams.getAll('sslmode') ?? [];
  const hasAuthority = hasCaFile || findPostgresCaFile(url) !== null;
  const verifying = hasAuthority ? [VERIFYING_MODE, ...AUTHORITY_MODES] : [VERIFYING_MODE];
  return modes.length > 0 && modes.every((mode) => verifying.includes(mode));
}

/** An address without TLS stays as it is, such as that of a PgBouncer beside the process. */
export function addPostgresCaFile(given: string, file: string | undefined): string {
  const url = parseFirst(given);
  if (file === undefined || url === undefined || !isVerified(given, true)) return given;
  url.searchParams.set(CA_FILE, file);
  const hosts = AUTHORITY.exec(given)?.[2] ?? '';
  return url.href.replace(AUTHORITY, (_all, before: string) => before + hosts);
}

/**
 * The servers of an address. The next is tried when a connection was lost, or led to a standby.
 * @throws Error when the file with the authorities cannot be read
 */
export function listPostgresAddresses(
  given: string,
): readonly [PostgresAddress, ...PostgresAddress[]] {
  const [first, ...others] = listUrls(given);
  return [parseAddress(first), ...others.map(parseAddress)];
}

/** Of parameters that are not for the driver, or of no use with one host. */
const REMOVED = [POOLING, CA_FILE, TARGET] as const;

function parseAddress(given: string): PostgresAddress {
  const url = new URL(given);
  const caFile = url.searchParams.get(CA_FILE);
  const isPlain = !REMOVED.some((name) => url.searchParams.has(name));
  for (const name of REMOVED) url.searchParams.delete(name);
  return {
    url: isPlain ? given : url.href,
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
