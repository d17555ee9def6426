// Limits the connections of one address, and of the networks of an IPv6 address (routing/client-address.ts). The native
// server gives the address when a connection opens but not when it closes (tried), so a count per address cannot be kept
// up to date. The total is exact: while it is within the limit, each address is. Beyond it the kernel's socket table is
// read, at most every READ_EVERY_MS, and connections that open afterwards are added.
//
// Without that table (not Linux) counts only grow, and are cleared at the next reading.
import { readFileSync } from 'node:fs';
import { formatAddress, listNetworks } from '../routing/client-address.js';

const READ_EVERY_MS = 250;
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const ESTABLISHED = '01';
/** The columns of a row: number, local address, remote address, state. */
const ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) /;

export interface ConnectionLimitDeps {
  /** Connections per address; 0: no limit. */
  readonly limit: number;
  /** Trusted proxies have no limit. */
  isExempt(address: string): boolean;
  /** Connections by address, including those not accepted yet; undefined: the system cannot say. */
  count(): ReadonlyMap<string, number> | undefined;
  monotonicMs(): number;
}

export class ConnectionLimit {
  readonly #deps: ConnectionLimitDeps;
  #open = 0;
  /** By network. */
  #counts = new Map<string, number>();
  /** Connections that wait in the kernel's queue and are in `#counts` already. */
  #queued = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
  }

  get open(): number {
    return this.#open;
  }

  /** Counts a connection that opened; false: close it. */
  take(address: string): boolean {
    const { limit } = this.#deps;
    this.#open += 1;
    if (limit === 0 || this.#open <= limit || this.#deps.isExempt(address)) return true;
    this.#readWhenDue();
    const isCounted = this.#queued > 0;
    if (isCounted) this.#queued -= 1;
    const counts = listNetworks(address).map(({ name, budgets }) => {
      const count = (this.#counts.get(name) ?? 0) + (isCounted ? 0 : 1);
      return { name, count, isWithin: count <= limit * budgets };
    });
    const isWithin = counts.every((each) => each.isWithin);
    for (const { name, count } of counts) this.#counts.set(name, isWithin ? count : count - 1);
    return isWithin;
  }

  /** Counts a connection that closed, also one for which `take` returned false. */
  release(): void {
    this.#open -= 1;
  }

  #readWhenDue(): void {
    const nowMs = this.#deps.monotonicMs();
    if (nowMs - this.#readAtMs < READ_EVERY_MS) return;
    this.#readAtMs = nowMs;
    this.#counts.clear();
    let total = 0;
    for (const [address, count] of this.#deps.count() ?? []) {
      total += count;
      for (const { name } of listNetworks(address)) {
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
      }
    }
    // The connection that opened just now is in both numbers.
    this.#queued = Math.max(0, total - this.#open + 1);
  }
}

/** Established connections to a local port, by remote address. */
export function countConnections(port: number): ReadonlyMap<string, number> | undefined {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  const counts = new Map<string, number>();
  try {
    for (const table of TABLES) countRows(readFileSync(table, 'latin1'), local, counts);
  } catch {
    return undefined;
  }
  const addresses = new Map<string, number>();
  for (const [remote, count] of counts) {
    const address = decodeAddress(remote);
    addresses.set(address, (addresses.get(address) ?? 0) + count);
  }
  return addresses;
}

function countRows(text: string, local: string, counts: Map<string, number>): void {
  for (const line of text.split('\n')) {
    const [, port, remote, state] = ROW.exec(line) ?? [];
    if (port !== local || remote === undefined || state !== ESTABLISHED) continue;
    counts.set(remote, (counts.get(remote) ?? 0) + 1);
  }
}

/** The kernel writes four-byte words, each in little-endian order. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [...Buffer.from(word, 'hex')].reverse(),
  );
  return formatAddress(Uint8Array.from(bytes).buffer);
}
