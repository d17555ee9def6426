// What an address of a webhook target must look like before anything is resolved: the same check at
// registration and at every attempt.
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { type Cidr, isAllowedAddress } from './address.js';

const HTTPS_PORT = 443;
const PRIVILEGED_PORTS = 1_023;
const RESOLVE_TIMEOUT_MS = 3_000;
/** Names of metadata services, wherever they resolve to. */
const REFUSED_NAMES = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.azure.internal'],
  ...['instance-data', 'instance-data.ec2.internal', 'metadata.tencentyun.com'],
]);

/** `dns.lookup`, or what a test puts in its place. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Thrown, and answered by connections, when a target may not be connected to; nothing was sent. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

/**
 * Parses a target: HTTPS, port 443 or above 1023, no user info; a literal address must be allowed. The URL
 * parser has normalised other spellings of addresses (0x7f.1, full-width digits) by then.
 * @throws TargetRefusedError
 */
export function parseTarget(text: string, allowed: readonly Cidr[]): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.hostname === '') {
    throw new TargetRefusedError('the target is no HTTPS address');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefusedError('the target holds user info');
  }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port !== HTTPS_PORT && port <= PRIVILEGED_PORTS) {
    throw new TargetRefusedError(`port ${port} is no port of webhooks`);
  }
  checkHost(url.hostname, allowed);
  return url;
}

/** Without the brackets of an IPv6 address. */
export const stripBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** @throws TargetRefusedError */
export function checkHost(hostname: string, allowed: readonly Cidr[]): void {
  const host = stripBrackets(hostname);
  if (REFUSED_NAMES.has(host.replace(/\.+$/, '').toLowerCase())) {
    throw new TargetRefusedError('the target is a metadata service');
  }
  if (isIP(host) !== 0 && !isAllowedAddress(host, allowed)) {
    throw new TargetRefusedError('the target is not a public address');
  }
}

/**
 * The check at registration: what every attempt checks, said early. A name that cannot be resolved (yet) passes,
 * since each attempt asks again; nothing is connected to.
 * @throws TargetRefusedError
 */
export async function checkTarget(
  text: string,
  allowed: readonly Cidr[],
  resolve: Resolve = lookup,
): Promise<URL> {
  const url = parseTarget(text, allowed);
  if (isIP(stripBrackets(url.hostname)) !== 0) return url;
  const addresses = await resolveAll(url.hostname, resolve);
  checkAddresses(addresses, allowed);
  return url;
}

/** Empty when there is no answer in time. */
function resolveAll(hostname: string, resolve: Resolve): Promise<LookupAddress[]> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, RESOLVE_TIMEOUT_MS, []);
    resolve(hostname, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      settle(error === null ? addresses : []);
    });
  });
}

/** Every one must be allowed: of mixed answers nobody can say which is connected to. @throws TargetRefusedError */
export function checkAddresses(
  addresses: readonly LookupAddress[],
  allowed: readonly Cidr[],
): void {
  if (addresses.every(({ address }) => isAllowedAddress(address, allowed))) return;
  throw new TargetRefusedError('the name leads to an address that is not public');
}
