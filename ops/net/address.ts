// Decides whether an address is public: global unicast only, narrowed to 2000::/3 for IPv6, without the reserved ranges.
// Addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo) are refused, or classified by that address.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const IPV6_GLOBAL = ipaddr.parseCIDR('2000::/3');
/** Reserved ranges and cloud metadata addresses that ipaddr.js classifies as unicast. */
const REFUSED: readonly Cidr[] = [
  '0.0.0.0/8',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '168.63.129.16/32',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range));

/** Parses CIDR ranges and single addresses; the configuration has validated them. */
export function parseRanges(ranges: readonly string[]): readonly Cidr[] {
  return ranges.map((range) => {
    if (range.includes('/')) return ipaddr.parseCIDR(range);
    const address = ipaddr.parse(range);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** True when a connection to the literal address `text` is allowed; `allowed` adds ranges to the public ones. */
export function isAllowedAddress(text: string, allowed: readonly Cidr[]): boolean {
  // A zone (fe80::1%eth0) names an interface: never a public target.
  if (text.includes('%') || isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  return isPublic(address) || isIn(address, allowed);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (isIn(address, REFUSED) || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isIn(address, [IPV6_GLOBAL]);
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Cidr[]): boolean {
  return ranges.some((range) => range[0].kind() === address.kind() && isInRange(address, range));
}

function isInRange(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Cidr): boolean {
  if (address instanceof ipaddr.IPv4) {
    return network instanceof ipaddr.IPv4 && address.match(network, bits);
  }
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
