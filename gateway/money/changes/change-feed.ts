// Tells pages that are open what has changed at their merchant. While a page follows, each source of changes is read once a
// second for all pages of the process; without pages nothing is read.
//
//   NEW ──the first reading after it came──▶ FOLLOWING     onReady: what was loaded later than this is current
//   FOLLOWING ──something changed──▶ FOLLOWING             onChange
//   any ──its session ended, or has another role──▶ ENDED  onEnd: the page connects again, which checks the session. Within a
//                                                          second, and no page is told of a change that came after it
//   any ──stop──▶ ENDED                                    onEnd: the page connects to another process
import type { Environment, MerchantId, SessionId } from '#actors/core/ids.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Change, Changes } from '#store/postgres/changes/change.js';
import { isAllowed, type Permission, type Role } from '#gateway/routing/roles.js';

const READ_EVERY_MS = 1_000;

export interface Follower {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly sessionId: SessionId;
  /** When the page connected. */
  readonly role: Role;
  onReady(): void;
  /** Ids of payments, payouts and webhook endpoints, each once; null: any may have changed. */
  onChange(ids: readonly string[] | null): void;
  onEnd(): void;
}

/** One kind of changes. A reading that fails is repeated and loses none. */
export interface ChangeSource {
  /** Followers without it are told nothing of this source. */
  readonly permission: Permission;
  /** Changes since the former reading; the first one has none. */
  readonly read: (merchants: readonly MerchantId[]) => Promise<Changes>;
  /** After the last follower has left: the next reading is the first one again. */
  readonly rest: () => void;
}

export interface ChangeFeedDeps {
  /** The roles that sessions have now, without those that have ended. */
  readonly findRoles: (sessions: readonly SessionId[]) => Promise<ReadonlyMap<SessionId, string>>;
  readonly sources: readonly ChangeSource[];
  readonly log: Log;
  /** The system's by default. */
  readonly clock?: Clock;
}

/** The ids that each follower is to be told; null: anything may have changed. */
type Untold = Map<Follower, readonly string[] | null>;

export class ChangeFeed {
  readonly #findRoles: ChangeFeedDeps['findRoles'];
  readonly #sources: readonly ChangeSource[];
  readonly #loop: Loop;
  readonly #new = new Set<Follower>();
  readonly #following = new Set<Follower>();
  /** Changes that were read and not told yet. */
  readonly #untold: Untold = new Map();
  #isStopped = false;

  constructor({ findRoles, sources, log, clock = SYSTEM_CLOCK }: ChangeFeedDeps) {
    this.#findRoles = findRoles;
    this.#sources = sources;
    this.#loop = startLoop({
      name: 'changes for open pages',
      everyMs: READ_EVERY_MS,
      work: () => this.#readOnce(),
      log,
      clock,
    });
  }

  /** Returns the function that ends it. */
  follow(follower: Follower): () => void {
    if (this.#isStopped) follower.onEnd();
    else this.#new.add(follower);
    this.#loop.wake();
    return () => {
      this.#new.delete(follower);
      this.#following.delete(follower);
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const follower of [...this.#new, ...this.#following]) follower.onEnd();
    await this.#loop.stop();
    for (const { rest } of this.#sources) rest();
  }

  async #readOnce(): Promise<void> {
    await this.#endLapsed();
    const coming = [...this.#new];
    const failures: unknown[] = [];
    // One after the other, so that readings hold one connection of the pool.
    for (const source of this.#sources) {
      await this.#readSource(source, coming).catch((error: unknown) => failures.push(error));
    }
    // Changes that were read are told, although another source may have failed.
    await this.#tell();
    if (failures.length > 0) throw failures[0];
    for (const follower of coming) {
      // It may have left during the reading.
      if (!this.#new.delete(follower)) continue;
      this.#following.add(follower);
      follower.onReady();
    }
  }

  /** The sessions are checked once more: one may have ended after the check before the reading, and before a change that was read. */
  async #tell(): Promise<void> {
    if (this.#untold.size === 0) return;
    await this.#endLapsed();
    for (const [follower, ids] of this.#untold) {
      if (this.#following.has(follower)) follower.onChange(ids);
    }
    this.#untold.clear();
  }

  async #endLapsed(): Promise<void> {
    const followers = [...this.#new, ...this.#following];
    if (followers.length === 0) return;
    const sessions = new Set(followers.map(({ sessionId }) => sessionId));
    const roles = await this.#findRoles([...sessions]);
    for (const follower of followers) {
      if (roles.get(follower.sessionId) === follower.role) continue;
      this.#new.delete(follower);
      this.#following.delete(follower);
      follower.onEnd();
    }
  }

  async #readSource(
    { permission, read, rest }: ChangeSource,
    coming: readonly Follower[],
  ): Promise<void> {
    const mayFollow = ({ role }: Follower): boolean => isAllowed(role, permission);
    const following = [...this.#following].filter(mayFollow);
    if (following.length === 0 && !coming.some(mayFollow)) {
      rest();
      return;
    }
    const merchants = new Set(following.map(({ merchantId }) => merchantId));
    const { changes, isComplete } = await read([...merchants]);
    const idsByOwner = groupIds(changes);
    for (const follower of following) {
      const ids = idsByOwner.get(nameOwner(follower));
      const before = this.#untold.get(follower);
      if (!isComplete) this.#untold.set(follower, null);
      else if (ids !== undefined && before !== null) {
        this.#untold.set(follower, [...new Set([...(before ?? []), ...ids])]);
      }
    }
  }
}

function groupIds(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const change of changes) {
    const ids = groups.get(nameOwner(change)) ?? new Set();
    groups.set(nameOwner(change), ids.add(change.id));
  }
  return groups;
}

const nameOwner = ({
  merchantId,
  environment,
}: Pick<Follower, 'merchantId' | 'environment'>): string => `${environment} ${merchantId}`;
