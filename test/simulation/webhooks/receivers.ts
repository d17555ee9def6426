// The merchants' receivers, and the network to them. Each attempt is followed: when it was signed, when its first byte was
// sent, what the receiver got, and what the process was told.
import { MAX_IN_FLIGHT } from '#actors/webhooks/deliveries/lane.js';
import { type Poster, type PostResult, TOTAL_DEADLINE_MS } from '#ops/net/post.js';
import { startDeadline } from '#ops/runtime/deadline.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';
import type { SimProcess } from '../world/sim-process.js';
import type { World } from '../world/world.js';
import type { ReceiverFault } from './scenario.js';

const EXCERPT = 'ok';
const CONNECT_MS = [0, 4] as const;
/** Some connections take long: a process may be paused meanwhile. */
const SLOW_CONNECT_MS = [50, 2_500] as const;
const SLOW_CONNECT_SHARE = 0.1;
const WORK_MS = [1, 30] as const;
const SLOW_MS = [1_000, 6_000] as const;
const FLAKY: readonly (ReceiverFault | null)[] = [
  ...([null, null, 'receiver_failing', 'receiver_dropping', 'receiver_slow'] as const),
];

export interface FollowedAttempt {
  readonly process: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly body: string;
  /** How the receiver was when it was signed. */
  readonly mood: ReceiverFault | null;
  /** When it was signed. */
  readonly signedAtMs: number;
  /** null: it was withheld. */
  beganAtMs: number | null;
  /** The receiver has taken it, whatever the process was told. */
  isAccepted: boolean;
}

interface Receiver {
  readonly endpointId: string;
  mood: ReceiverFault | null;
  /** Each secret, from when on it is accepted, and until when. */
  readonly secrets: { readonly secret: string; readonly sinceMs: number; untilMs: number }[];
}

type Answer = (result: PostResult) => void;

export interface ReceiversDeps {
  readonly world: World;
  /** Of the attempts at receivers that are well. */
  readonly failingShare: number;
  /** Called when the first byte of an attempt is sent. */
  readonly onBegin: (attempt: FollowedAttempt) => void;
}

export class Receivers {
  readonly attempts: FollowedAttempt[] = [];
  /** Broken rules that receivers and their lanes have seen. */
  readonly faults: string[] = [];
  readonly #deps: ReceiversDeps;
  readonly #receivers = new Map<string, Receiver>();
  readonly #inFlight = new Map<string, number>();

  constructor(deps: ReceiversDeps) {
    this.#deps = deps;
  }

  /** Returns its address. */
  add(endpointId: string, secret: string): string {
    const secrets = [{ secret, sinceMs: 0, untilMs: Infinity }];
    this.#receivers.set(endpointId, { endpointId, mood: null, secrets });
    return `https://receiver.test/${endpointId}`;
  }

  setMood(endpointId: string, mood: ReceiverFault | null): void {
    this.#find(endpointId).mood = mood;
  }

  /** Attempts that are signed after `untilMs` must not use a former secret. */
  rotate(endpointId: string, secret: string, untilMs: number): void {
    const { secrets } = this.#find(endpointId);
    for (const former of secrets) former.untilMs = Math.min(former.untilMs, untilMs);
    secrets.push({ secret, sinceMs: this.#deps.world.nowMs, untilMs: Infinity });
  }

  openPoster(process: SimProcess): Poster {
    return {
      post: (url, headers, body, mayBegin = () => true) =>
        this.#post(process, { url, headers, body, mayBegin }),
      close: () => Promise.resolve(),
    };
  }

  #find(endpointId: string): Receiver {
    const receiver = this.#receivers.get(endpointId);
    if (receiver === undefined) throw new Error(`no receiver ${endpointId}`);
    return receiver;
  }

  #post(process: SimProcess, request: Post): Promise<PostResult> {
    const { world } = this.#deps;
    const receiver = this.#find(request.url.split('/').at(-1) ?? '');
    const attempt: FollowedAttempt = {
      ...{ process: process.name, endpointId: receiver.endpointId, beganAtMs: null },
      ...{ mood: receiver.mood },
      ...{ eventId: request.headers['webhook-id'] ?? '', isAccepted: false },
      ...{ body: Buffer.from(request.body).toString('utf8'), signedAtMs: world.nowMs },
    };
    this.#checkSignature(receiver, attempt, request);
    return new Promise((resolve) => {
      let isOver = false;
      const answer: Answer = (result) => {
        if (isOver) return;
        isOver = true;
        clearDeadline();
        if (attempt.beganAtMs !== null) this.#countInFlight(attempt, -1);
        resolve(result);
      };
      const clearDeadline = startDeadline(
        TOTAL_DEADLINE_MS,
        () => {
          answer({ kind: 'failed', failure: 'timeout_response', error: 'no response' });
        },
        process.clock,
      );
      process.schedule(this.#pickConnectMs(), () => {
        if (isOver) return;
        if (!request.mayBegin()) {
          answer({ kind: 'withheld' });
          return;
        }
        this.#begin(attempt);
        world.schedule(world.pickLatencyMs(), () => {
          const reply: Answer = (result) => {
            process.schedule(world.pickLatencyMs(), () => {
              answer(result);
            });
          };
          this.#receive(receiver, attempt, reply);
        });
      });
    });
  }

  #pickConnectMs(): number {
    const { chance } = this.#deps.world;
    const isSlow = chance.happens(SLOW_CONNECT_SHARE);
    return isSlow ? chance.between(...SLOW_CONNECT_MS) : chance.between(...CONNECT_MS);
  }

  #begin(attempt: FollowedAttempt): void {
    attempt.beganAtMs = this.#deps.world.nowMs;
    this.attempts.push(attempt);
    this.#deps.world.trace(`${attempt.process} attempts ${attempt.eventId} ${attempt.endpointId}`);
    const count = this.#countInFlight(attempt, 1);
    if (count > MAX_IN_FLIGHT) {
      this.faults.push(`${attempt.process} has ${count} attempts at ${attempt.endpointId}`);
    }
    this.#deps.onBegin(attempt);
  }

  #countInFlight({ process, endpointId }: FollowedAttempt, by: number): number {
    const lane = `${process} ${endpointId}`;
    const count = (this.#inFlight.get(lane) ?? 0) + by;
    this.#inFlight.set(lane, count);
    return count;
  }

  #checkSignature({ secrets, endpointId }: Receiver, attempt: FollowedAttempt, post: Post): void {
    const headers = Object.fromEntries(
      Object.entries(post.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const signing = secrets.filter(({ secret }) =>
      isSignatureRight(headers, Buffer.from(post.body), secret),
    );
    const isLive = signing.some(({ untilMs }) => attempt.signedAtMs <= untilMs);
    const stale = signing.some(({ untilMs }) => attempt.signedAtMs > untilMs);
    if (!isLive) this.faults.push(`${attempt.eventId} at ${endpointId} has no live signature`);
    else if (stale) this.faults.push(`${attempt.eventId} at ${endpointId} has a revoked signature`);
  }

  #receive({ mood }: Receiver, attempt: FollowedAttempt, reply: Answer): void {
    const { world, failingShare } = this.#deps;
    const { chance } = world;
    const usual = chance.happens(failingShare) ? 'receiver_failing' : null;
    const shown = mood === 'receiver_flaky' ? chance.pick(FLAKY) : (mood ?? usual);
    const workMs =
      shown === 'receiver_slow' ? chance.between(...SLOW_MS) : chance.between(...WORK_MS);
    world.schedule(workMs, () => {
      switch (shown) {
        case null:
        case 'receiver_slow':
          attempt.isAccepted = true;
          reply(buildAnswer(200));
          return;
        case 'receiver_failing':
          reply(buildAnswer(500));
          return;
        case 'receiver_throttling':
          reply(buildAnswer(429, String(chance.between(1, 5))));
          return;
        case 'receiver_gone':
          reply(buildAnswer(410));
          return;
        case 'receiver_dropping':
          attempt.isAccepted = true;
          reply({ kind: 'failed', failure: 'connection', error: 'ECONNRESET: closed' });
          return;
        case 'receiver_hanging':
          return;
        default:
          throw new Error(`no receiver is ${shown}`);
      }
    });
  }
}

interface Post {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  readonly mayBegin: () => boolean;
}

const buildAnswer = (status: number, retryAfter?: string): PostResult => ({
  ...{ kind: 'answer', status, excerpt: EXCERPT },
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});
