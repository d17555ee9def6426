// What an address of a webhook target must look like before anything is resolved: the same check at
// registration and at every attempt.
import { isIP } from 'node:net';
import { type Cidr, isAllowedAddress } from './address.js';

const HTTPS_PORT = 443;
const PRIVILEGED_PORTS = 1_023;
/** Names of metadata services, wherever they resolve to. */
const REFUSED_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.azure.internal']);

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

/** @throws TargetRefusedError */
export function checkHost(hostname: string, allowed: readonly Cidr[]): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (REFUSED_NAMES.has(host.replace(/\.+$/, '').toLowerCase())) {
    throw new TargetRefusedError('the target is a metadata service');
  }
  if (isIP(host) !== 0 && !isAllowedAddress(host, allowed)) {
    throw new TargetRefusedError('the target is not a public address');
  }
}
