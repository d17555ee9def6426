// The address of a client, and lists of addresses. X-Forwarded-For counts only behind a trusted proxy: the client is the
// rightmost address that is not a trusted proxy.
import { BlockList, isIP } from 'node:net';

const MAX_FORWARDED = 32;
const MAPPED_PREFIX = '::ffff:';

/** Finds the client's address from the socket's address and X-Forwarded-For. */
export type AddressReader = (socketAddress: string, forwardedFor: string) => string;

/** `onIgnored` is called with the address of a connection whose X-Forwarded-For does not count. */
export function createAddressReader(
  trustedProxies: readonly string[],
  onIgnored: (socketAddress: string) => void = () => undefined,
): AddressReader {
  const trusted = createAddressList(trustedProxies);
  return (socketAddress, forwardedFor) => {
    if (!isListed(trusted, socketAddress)) {
      if (forwardedFor !== '') onIgnored(socketAddress);
      return socketAddress;
    }
    let client = socketAddress;
    const hops = forwardedFor.split(',').slice(-MAX_FORWARDED);
    do {
      const next = parseHop(hops.pop() ?? '');
      if (next === undefined) return client;
      client = next;
    } while (isListed(trusted, client));
    return client;
  };
}

/** @throws RangeError for an entry that is neither an address nor a CIDR */
export function createAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = findFamily(address);
    if (family === undefined) throw new RangeError(`${entry} must be an IP address or a CIDR`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function isListed(list: BlockList, address: string): boolean {
  const family = findFamily(address);
  return family !== undefined && list.check(address, family);
}

/** A unit that limits count: requests from it may use `budgets` times the limit of one client. */
export interface Network {
  readonly name: string;
  readonly budgets: number;
}

/**
 * A client controls its whole /64. Providers hand out a /56 or a /48 as easily, which are 256 and 65,536 of them, so
 * these count as well. Their budgets are larger, because several customers may share them.
 */
const IPV6_LEVELS = [
  { bits: 64, budgets: 1 },
  { bits: 56, budgets: 4 },
  { bits: 48, budgets: 16 },
] as const;

/**
 * The networks of an address, narrowest first; each limit by address counts all of them. An IPv4 address is one by
 * itself. Empty: the address is not known, because the client has disconnected.
 */
export function listNetworks(address: string): readonly Network[] {
  if (address === '') return [];
  if (isIP(address) !== 6) return [{ name: address, budgets: 1 }];
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => parseInt(group, 16));
  return IPV6_LEVELS.map(({ bits, budgets }) => ({ name: formatNetwork(groups, bits), budgets }));
}

/** The names of these networks, widest first, for turns (limits/fair-queue.ts). Unknown addresses share one name. */
export function listTurns(address: string): readonly string[] {
  const names = listNetworks(address).map(({ name }) => name);
  return names.length === 0 ? [''] : names.reverse();
}

/** `bits` is at most 64: the first four groups. */
function formatNetwork(groups: readonly number[], bits: number): string {
  const masked = groups.map((group, index) => {
    const left = Math.min(16, Math.max(0, bits - 16 * index));
    return (group & (0xffff << (16 - left)) & 0xffff).toString(16);
  });
  return `${masked.join(':')}::/${bits}`;
}

/** Builds each list once, by the identity of its entries. */
export function createListCache(): (entries: readonly string[]) => BlockList {
  const lists = new WeakMap<readonly string[], BlockList>();
  return (entries) => {
    const list = lists.get(entries) ?? createAddressList(entries);
    lists.set(entries, list);
    return list;
  };
}

/** The text of a binary address of 4 or 16 bytes; an IPv4-mapped IPv6 address is shown as IPv4. */
export function formatAddress(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  if (isMapped(bytes)) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let index = 0; index < 16; index += 2) {
    groups.push(((Number(bytes[index]) << 8) | Number(bytes[index + 1])).toString(16));
  }
  return normalize(groups.join(':'));
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** One spelling for each IPv6 address, so that a client cannot have several counters. */
function normalize(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** One element of X-Forwarded-For, with or without a port. The zone of an IPv6 address (`%eth0`) names a link of the proxy. */
function parseHop(hop: string): string | undefined {
  const text = hop
    .trim()
    .replace(/^\[([^\]]+)\](:\d+)?$/, '$1')
    .replace(/%.*$/, '');
  const bare = /^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text;
  const plain = bare.toLowerCase().startsWith(MAPPED_PREFIX)
    ? bare.slice(MAPPED_PREFIX.length)
    : bare;
  return isIP(plain) === 0 ? undefined : normalize(plain);
}

function findFamily(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}
