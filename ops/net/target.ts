// The form of a webhook target, checked before a name is resolved, at registration and at every attempt.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { type Cidr, isAllowedAddress } from './address.js';

const HTTPS_PORT = 443;
const PRIVILEGED_PORTS = 1_023;
const RESOLVE_TIMEOUT_MS = 3_000;
/** Names of metadata services, refused whatever they resolve to. */
const REFUSED_NAMES = new Set([
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'metadata.azure.internal'],
  ...['instance-data', 'instance-data.ec2.internal', 'metadata.tencentyun.com'],
]);

/** The form of `dns.lookup`; resolver.ts makes one. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The target may not be connected to; nothing was sent. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

/**
 * Parses a target: https, port 443 or above 1023, no user name; a literal address must be allowed. The URL parser
 * normalises other spellings of addresses first (0x7f.1, full-width digits).
 * @throws TargetRefusedError
 */
export function parseTarget(text: string, allowed: readonly Cidr[]): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.hostname === '') {
    throw new TargetRefusedError('the target must be an https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefusedError('the target must not hold a user name or password');
  }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port !== HTTPS_PORT && port <= PRIVILEGED_PORTS) {
    throw new TargetRefusedError(`port ${port} is not allowed: use 443 or a port above 1023`);
  }
  checkHost(url.hostname, allowed);
  return url;
}

/** Removes the brackets of an IPv6 address. */
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
 * The check at registration, the same as at every attempt. A name that cannot be resolved yet passes, because each
 * attempt resolves again. No connection is made.
 * @throws TargetRefusedError
 */
export async function checkTarget(
  text: string,
  allowed: readonly Cidr[],
  resolve: Resolve,
): Promise<URL> {
  const url = parseTarget(text, allowed);
  if (isIP(stripBrackets(url.hostname)) !== 0) return url;
  const addresses = await resolveAll(url.hostname, resolve);
  checkAddresses(addresses, allowed);
  return url;
}

/** Empty when the resolver does not answer in time. */
function resolveAll(hostname: string, resolve: Resolve): Promise<LookupAddress[]> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, RESOLVE_TIMEOUT_MS, []);
    resolve(hostname, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      settle(error === null ? addresses : []);
    });
  });
}

/** Each address must be allowed, since the system may connect to any of them. @throws TargetRefusedError */
export function checkAddresses(
  addresses: readonly LookupAddress[],
  allowed: readonly Cidr[],
): void {
  if (addresses.every(({ address }) => isAllowedAddress(address, allowed))) return;
  throw new TargetRefusedError('the name resolves to an address that is not public');
}
