// How many connections one address (of IPv6: one network) may hold. The native server tells the address of a connection when it opens,
// but no longer when it closes (tried), so they cannot simply be counted up and down. What is exact is the
// number of all of them: while it is within the bound, so is every address. Beyond it the kernel's table of
// sockets is read, at most every READ_EVERY_MS, and what opened since is added.
//
// Without such a table (other systems than Linux) counts only grow, and are forgotten at the next reading.
import { readFileSync } from 'node:fs';
import { formatAddress, findNetwork } from '../routing/client-address.js';

const READ_EVERY_MS = 250;
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const ESTABLISHED = '01';
/** Columns of a row: number, local address, remote address, state. */
const ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2}) /;

export interface ConnectionLimitDeps {
  /** Per address; 0: no bound. */
  readonly limit: number;
  /** Proxies hold as many as they like. */
  isExempt(address: string): boolean;
  /** Connections by address, those included that were not accepted yet; undefined: not known here. */
  count(): ReadonlyMap<string, number> | undefined;
  monotonicMs(): number;
}

export class ConnectionLimit {
  readonly #parts: ConnectionLimitDeps;
  #open = 0;
  #counts = new Map<string, number>();
  /** Connections that are next in the kernel's queue, and in `#counts` already. */
  #queued = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ConnectionLimitDeps) {
    this.#parts = parts;
  }

  get open(): number {
    return this.#open;
  }

  /** A connection opened; false: it must be closed. */
  take(address: string): boolean {
    const { limit } = this.#parts;
    this.#open += 1;
    if (limit === 0 || this.#open <= limit || this.#parts.isExempt(address)) return true;
    this.#readWhenDue();
    const isCounted = this.#queued > 0;
    const client = findNetwork(address);
    const count = (this.#counts.get(client) ?? 0) + (isCounted ? 0 : 1);
    if (isCounted) this.#queued -= 1;
    const isWithin = count <= limit;
    this.#counts.set(client, isWithin ? count : count - 1);
    return isWithin;
  }

  /** A connection closed, a refused one too. */
  release(): void {
    this.#open -= 1;
  }

  #readWhenDue(): void {
    const nowMs = this.#parts.monotonicMs();
    if (nowMs - this.#readAtMs < READ_EVERY_MS) return;
    this.#readAtMs = nowMs;
    this.#counts = new Map(this.#parts.count());
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    // The one that opened now is open, and in the table.
    this.#queued = Math.max(0, total - this.#open + 1);
  }
}

/** Established connections to a local port, by remote address (of IPv6 by its network). */
export function countConnections(port: number): ReadonlyMap<string, number> | undefined {
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  const counts = new Map<string, number>();
  try {
    for (const table of TABLES) countRows(readFileSync(table, 'latin1'), local, counts);
  } catch {
    return undefined;
  }
  const clients = new Map<string, number>();
  for (const [remote, count] of counts) {
    const client = findNetwork(decodeAddress(remote));
    clients.set(client, (clients.get(client) ?? 0) + count);
  }
  return clients;
}

function countRows(text: string, local: string, counts: Map<string, number>): void {
  for (const line of text.split('\n')) {
    const [, port, remote, state] = ROW.exec(line) ?? [];
    if (port !== local || remote === undefined || state !== ESTABLISHED) continue;
    counts.set(remote, (counts.get(remote) ?? 0) + 1);
  }
}

/** The kernel writes words of four bytes, each with its little end first. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    [...Buffer.from(word, 'hex')].reverse(),
  );
  return formatAddress(Uint8Array.from(bytes).buffer);
}
