// Runs costly work, a few at a time. Works of different clients take turns, so that one client that sends many delays another
// client by one work only. A client whose works fill its part of the queue gets 429; when the whole queue is full, the client
// with the most waiting works loses its latest one.
//
// Clients may be in networks. Networks take turns first, then the clients inside each, so that a network counts as one
// client however many clients it has: none of them keeps another network out.
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { OverloadedError, TooManyWaitingError } from '../routing/store-failures.js';

export interface QueueBounds {
  readonly atOnce: number;
  readonly waiting: number;
  readonly waitingPerClient: number;
  readonly rest?: Rest;
}

/** After a work its slot rests, so that requests are served meanwhile. */
interface Rest {
  readonly ms: number;
  /** The first works need no rest. */
  readonly worksBefore: number;
  /** The rest is as many times as long as the work took, within `maxMs`: on a busy machine works take and rest longer. */
  readonly perWork?: { readonly times: number; readonly maxMs: number };
}

interface Waiting {
  readonly begin: () => void;
  readonly reject: (error: Error) => void;
}

/** A network with others inside it, or a client with waiting works. */
class Branch {
  /** In the order of their turns. None is empty. */
  readonly inside = new Map<string, Branch>();
  readonly works: Waiting[] = [];
  /** Of all works inside. */
  size = 0;
}

export class FairQueue {
  readonly #bounds: QueueBounds;
  readonly #clock: Clock;
  readonly #root = new Branch();
  #running = 0;
  /** Until when all rests together last. */
  #restedAtMs = 0;

  constructor(bounds: QueueBounds, clock: Clock = SYSTEM_CLOCK) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** `client`: its networks, the widest first, and then the client; one name if it is in no network. */
  async run<Value>(client: readonly string[], work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= this.#bounds.atOnce) await this.#wait(client);
    else this.#running += 1;
    const beganAtMs = this.#clock.monotonicMs();
    try {
      return await work();
    } finally {
      const restMs = this.#takeRest(this.#clock.monotonicMs() - beganAtMs);
      if (restMs <= 0) this.#passOn();
      else this.#clock.startTimer(restMs, () => this.#passOn());
    }
  }

  #takeRest(workMs: number): number {
    const { rest } = this.#bounds;
    if (rest === undefined) return 0;
    const { ms, worksBefore, perWork = { times: 0, maxMs: 0 } } = rest;
    const nowMs = this.#clock.monotonicMs();
    const forgottenMs = nowMs - ms * worksBefore;
    const restMs = Math.max(ms, Math.min(perWork.maxMs, workMs * perWork.times));
    this.#restedAtMs = Math.max(this.#restedAtMs, forgottenMs) + restMs;
    return this.#restedAtMs - nowMs;
  }

  /** Resolves when a running work ends and passes its slot on. */
  #wait(client: readonly string[]): Promise<void> {
    const own = client.reduce<Branch | undefined>((at, name) => at?.inside.get(name), this.#root);
    if (own !== undefined && own.size >= this.#bounds.waitingPerClient) {
      return Promise.reject(new TooManyWaitingError());
    }
    if (this.#root.size >= this.#bounds.waiting) {
      const dropped = makeRoom(this.#root, client);
      if (dropped === undefined) return Promise.reject(new OverloadedError());
      dropped.reject(new TooManyWaitingError());
    }
    return new Promise((begin, reject) => append(this.#root, client, { begin, reject }));
  }

  /** The client whose turn it is begins a work, and its next turn comes after all others. */
  #passOn(): void {
    if (this.#root.size === 0) this.#running -= 1;
    else takeNext(this.#root)?.begin();
  }
}

function append(root: Branch, client: readonly string[], work: Waiting): void {
  let at = root;
  at.size += 1;
  for (const name of client) {
    const next = at.inside.get(name) ?? new Branch();
    at.inside.set(name, next);
    next.size += 1;
    at = next;
  }
  at.works.push(work);
}

function takeNext(branch: Branch): Waiting | undefined {
  branch.size -= 1;
  const [turn] = branch.inside;
  if (turn === undefined) return branch.works.shift();
  const [name, first] = turn;
  branch.inside.delete(name);
  const work = takeNext(first);
  if (first.size > 0) branch.inside.set(name, first);
  return work;
}

/** Takes a work from the largest branch beside the client's own: of networks first, then inside the own network. */
function makeRoom(branch: Branch, [name, ...rest]: readonly string[]): Waiting | undefined {
  if (name === undefined) return undefined;
  const own = branch.inside.get(name);
  const largest = findLargest(branch)?.[1];
  if (largest !== undefined && largest.size > (own?.size ?? 0) + 1) return takeLatest(branch);
  if (own === undefined) return undefined;
  const dropped = makeRoom(own, rest);
  if (dropped !== undefined) branch.size -= 1;
  return dropped;
}

/** Takes the latest work of the largest branch. */
function takeLatest(branch: Branch): Waiting | undefined {
  branch.size -= 1;
  const largest = findLargest(branch);
  if (largest === undefined) return branch.works.pop();
  const [name, inside] = largest;
  const work = takeLatest(inside);
  if (inside.size === 0) branch.inside.delete(name);
  return work;
}

/** Of equal ones the one whose turn comes last. */
function findLargest({ inside }: Branch): [string, Branch] | undefined {
  let largest: [string, Branch] | undefined;
  for (const one of inside) if (one[1].size >= (largest?.[1].size ?? 0)) largest = one;
  return largest;
}
