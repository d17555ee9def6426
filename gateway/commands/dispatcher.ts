// Sends commands to the actors and finds out what became of them.
//
// The commands of one event-loop turn are packed into one frame a partition and leave in one pipeline. While
// it is on its way, the commands of the next turns collect: the first one never waits, and under load there
// are fewer and larger frames (a pipeline costs a system call, an fsync of Redis and a wake-up on each side).
// A command that the stream did not take is refused at once. One that it took, or may have taken, is
// answered by a reply; when none comes soon, the outcome is looked up in Postgres, since a reply may be
// lost with Redis; only at its deadline it is given up as unanswered, never as failed.
import { Slots } from '#ops/runtime/slots.js';
import type { FramedCommand, SendResult } from '#store/redis/commands.js';
import type { Reply } from '#store/redis/replies.js';

const MAX_IN_FLIGHT = 2_048;
/** Of those that wait for one rail, which can hang for a minute: they take no places of the others. */
const MAX_AT_A_RAIL = 1_536;
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024;
const MAX_FRAME_COMMANDS = 64;
const SWEEP_EVERY_MS = 250;
const LOOK_UP_AFTER_MS = 1_500;
const LOOK_UP_EVERY_MS = 1_000;
/** Who has waited for long is looked up less often: a thousand can wait for a rail that hangs. */
const LOOK_UP_SELDOM_MS = 5_000;
const LOOK_UPS_BY_AGE = 4;
const LAST_LOOK_UP_MS = 1_000;

export type CommandAnswer =
  | { kind: 'reply'; outcome: string; body: string }
  /** The stream did not take it: nothing was accepted. */
  | { kind: 'refused'; code: 'overloaded' | 'dependency_unavailable' }
  /** Sent, no answer in time and no outcome found. */
  | { kind: 'unanswered' };

/** What a request knows of its command; `recognize` reads an outcome from the stored snapshot. */
export interface Dispatch {
  paymentId: string;
  partition: number;
  text: string;
  waitMs: number;
  /** What it may wait for long: a rail by its name, or `live`. */
  waitsAt?: string | undefined;
  recognize: (snapshot: string) => CommandAnswer | undefined;
}

export interface DispatcherDeps {
  send: (frames: ReadonlyMap<number, readonly FramedCommand[]>) => Promise<Map<number, SendResult>>;
  loadSnapshots: (ids: readonly string[]) => Promise<Map<string, string>>;
  /** Why nothing can be accepted now; undefined when all is well. */
  findRejection: () => 'overloaded' | 'dependency_unavailable' | undefined;
  monotonicMs: () => number;
  onError: (error: unknown) => void;
}

interface Pending {
  /** `<slot>.<number>`, base 36: never used again, though the slot is. */
  correlation: string;
  slot: number;
  dispatch: Dispatch;
  resolve: (answer: CommandAnswer) => void;
  sentAtMs: number;
  lookedUpAtMs: number;
  /** Looked up, and held back for a reply that knows better. */
  found: CommandAnswer | undefined;
}

export class Dispatcher {
  readonly #parts: DispatcherDeps;
  readonly #pending = new Slots<Pending>();
  #frames = new Map<number, FramedCommand[]>();
  #bytes = 0;
  readonly #waiting = new Map<string, number>();
  #waitingInAll = 0;
  #counter = 0;
  #isFlushSet = false;
  #sending = 0;
  #isLookingUp = false;
  readonly #sweeper: NodeJS.Timeout;

  constructor(parts: DispatcherDeps) {
    this.#parts = parts;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS);
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** Always resolves, at the latest at the dispatch's deadline. */
  dispatch(dispatch: Dispatch): Promise<CommandAnswer> {
    const code = this.#parts.findRejection() ?? this.#overload(dispatch);
    if (code !== undefined) return Promise.resolve({ kind: 'refused', code });
    return new Promise((resolve) => {
      const { correlation } = this.#expect(dispatch, resolve);
      this.#count(dispatch, 1);
      this.#enqueue(dispatch.partition, { correlation, text: dispatch.text });
    });
  }

  /** Hands a reply to whoever waits for it; replies that nobody waits for any longer are dropped. */
  accept(reply: Reply): void {
    const { correlation, outcome, body } = reply;
    this.#settle(this.#pendingOf(correlation), { kind: 'reply', outcome, body });
  }

  /** To be called once nothing is in flight any longer. */
  stop(): void {
    clearInterval(this.#sweeper);
  }

  #expect(dispatch: Dispatch, resolve: Pending['resolve']): Pending {
    const sentAtMs = this.#parts.monotonicMs();
    const pending: Pending = {
      correlation: '',
      slot: 0,
      dispatch,
      resolve,
      sentAtMs,
      lookedUpAtMs: sentAtMs,
      found: undefined,
    };
    this.#counter += 1;
    pending.slot = this.#pending.put(pending);
    pending.correlation = `${pending.slot.toString(36)}.${this.#counter.toString(36)}`;
    return pending;
  }

  /** undefined once it has its answer, though another may have taken its slot. */
  #pendingOf(correlation: string): Pending | undefined {
    const pending = this.#pending.get(Number.parseInt(correlation, 36));
    return pending?.correlation === correlation ? pending : undefined;
  }

  #overload(dispatch: Dispatch): 'overloaded' | undefined {
    const { waitsAt, text } = dispatch;
    const isFull =
      waitsAt === undefined
        ? this.#pending.size - this.#waitingInAll >= MAX_IN_FLIGHT
        : (this.#waiting.get(waitsAt) ?? 0) >= MAX_AT_A_RAIL;
    const hasNoRoom = this.#bytes + text.length > MAX_IN_FLIGHT_BYTES;
    return isFull || hasNoRoom ? 'overloaded' : undefined;
  }

  #count({ waitsAt, text }: Dispatch, one: 1 | -1): void {
    this.#bytes += one * text.length;
    if (waitsAt === undefined) return;
    this.#waitingInAll += one;
    this.#waiting.set(waitsAt, (this.#waiting.get(waitsAt) ?? 0) + one);
  }

  #enqueue(partition: number, command: FramedCommand): void {
    const frame = this.#frames.get(partition);
    if (frame === undefined) this.#frames.set(partition, [command]);
    else frame.push(command);
    if (frame !== undefined && frame.length >= MAX_FRAME_COMMANDS) this.#flush();
    else this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isFlushSet || this.#sending > 0) return;
    this.#isFlushSet = true;
    setImmediate(() => {
      this.#isFlushSet = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#frames.size === 0) return;
    const frames = this.#frames;
    this.#frames = new Map();
    this.#sending += 1;
    this.#parts
      .send(frames)
      .then((results) => {
        for (const [partition, commands] of frames) {
          if (results.get(partition) === 'refused') this.#refuse(commands);
        }
      }, this.#parts.onError)
      .finally(() => {
        this.#sending -= 1;
        this.#flush();
      });
  }

  #refuse(commands: readonly FramedCommand[]): void {
    for (const { correlation } of commands) {
      const pending = this.#pendingOf(correlation);
      this.#settle(pending, { kind: 'refused', code: 'dependency_unavailable' });
    }
  }

  /** Nothing happens to what is settled already. */
  #settle(pending: Pending | undefined, answer: CommandAnswer): void {
    if (pending === undefined || this.#pending.get(pending.slot) !== pending) return;
    this.#pending.remove(pending.slot);
    this.#count(pending.dispatch, -1);
    pending.resolve(answer);
  }

  #sweep(): void {
    const now = this.#parts.monotonicMs();
    const overdue = this.#pending.list().filter((pending) => isReadDue(pending, now));
    if (overdue.length > 0 && !this.#isLookingUp) void this.#lookUp(overdue, now);
    for (const pending of this.#pending.list()) {
      const overdueMs = now - pending.sentAtMs - pending.dispatch.waitMs;
      // A look-up under way gets a moment more, however the database does.
      const isOver = overdueMs >= (this.#isLookingUp ? LAST_LOOK_UP_MS : 0);
      if (isOver) this.#settle(pending, pending.found ?? { kind: 'unanswered' });
    }
  }

  /**
   * What looks like a replay may be the first create itself, committed a moment ago: its reply is on its way and
   * can tell. So a replay is told only when the next look-up finds it again.
   */
  #find(pending: Pending, snapshot: string): void {
    const answer = this.#recognize(pending.dispatch, snapshot);
    if (answer === undefined) return;
    const isReplay = answer.kind === 'reply' && answer.outcome === 'replayed';
    if (isReplay && pending.found === undefined) pending.found = answer;
    else this.#settle(pending, answer);
  }

  /** A snapshot that cannot be read must not keep the others of a look-up from their answers. */
  #recognize(dispatch: Dispatch, snapshot: string): CommandAnswer | undefined {
    try {
      return dispatch.recognize(snapshot);
    } catch (error) {
      this.#parts.onError(error);
      return undefined;
    }
  }

  async #lookUp(overdue: readonly Pending[], now: number): Promise<void> {
    this.#isLookingUp = true;
    for (const pending of overdue) pending.lookedUpAtMs = now;
    try {
      const ids = [...new Set(overdue.map((pending) => pending.dispatch.paymentId))];
      const snapshots = await this.#parts.loadSnapshots(ids);
      for (const pending of overdue) {
        const snapshot = snapshots.get(pending.dispatch.paymentId);
        if (snapshot !== undefined) this.#find(pending, snapshot);
      }
    } catch (error) {
      this.#parts.onError(error);
    } finally {
      this.#isLookingUp = false;
    }
  }
}

function isReadDue({ sentAtMs, lookedUpAtMs }: Pending, now: number): boolean {
  const ageMs = now - sentAtMs;
  if (ageMs < LOOK_UP_AFTER_MS) return false;
  const everyMs = Math.max(ageMs / LOOK_UPS_BY_AGE, LOOK_UP_EVERY_MS);
  return now - lookedUpAtMs >= Math.min(everyMs, LOOK_UP_SELDOM_MS);
}
