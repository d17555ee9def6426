// Sends commands to the actors and finds their answers.
//
//   QUEUED ──flush──▶ SENT ──reply──▶ ANSWERED
//      │                │ no reply for LOOK_UP_AFTER_MS
//      │                ▼
//      │             LOOKED UP (again and again) ──snapshot shows the outcome──▶ ANSWERED
//      │                │ waitMs is over
//      │                ▼
//      │             UNANSWERED (the outcome is not known; never "failed")
//      └──the stream did not take it──▶ NOT ACCEPTED
//
// The commands of one event-loop turn are packed into one frame per partition and sent in one pipeline. While it is under
// way, the commands of the next turns collect: the first command never waits, and under load frames get fewer and larger
// (a pipeline costs a system call, an fsync of Redis and a wake-up on each side). The outcome of a command without a reply
// is looked up in Postgres, because a reply can be lost with Redis.
import type { Clock } from '#ops/runtime/clock.js';
import { Slots } from '#ops/runtime/slots.js';
import type { SendResult } from '#store/redis/commands.js';
import type { FramedCommand } from '#store/redis/frames.js';
import type { Reply } from '#store/redis/replies.js';
import { endSendSpans, type TraceSend, type TracedCommand } from './send-spans.js';

const MAX_IN_FLIGHT = 2_048;
/** Commands that wait for one rail, which can hang for a minute; they leave places for the others. */
const MAX_AT_A_RAIL = 1_536;
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024;
const MAX_FRAME_COMMANDS = 64;
const SWEEP_EVERY_MS = 250;
const LOOK_UP_AFTER_MS = 1_500;
const LOOK_UP_EVERY_MS = 1_000;
/** An old command is looked up less often, because a thousand can wait for a rail that hangs. */
const LOOK_UP_SELDOM_MS = 5_000;
const LOOK_UPS_BY_AGE = 4;
const LAST_LOOK_UP_MS = 1_000;

export type CommandAnswer =
  | { kind: 'reply'; outcome: string; body: string }
  /** The stream did not take the command: nothing was done. */
  | { kind: 'not_accepted'; code: 'overloaded' | 'dependency_unavailable' }
  /** No reply in time and no outcome found. */
  | { kind: 'unanswered' };

/** A command with everything its request knows; `recognize` reads the outcome from the stored snapshot. */
export interface Dispatch {
  paymentId: string;
  text: string;
  waitMs: number;
  /** The slow thing it may wait for: the name of a rail, or `live`. */
  waitsAt?: string | undefined;
  recognize: (snapshot: string) => CommandAnswer | undefined;
}

export interface DispatcherDeps {
  /** By the present number of partitions. */
  findPartition: (paymentId: string) => number;
  send: (frames: ReadonlyMap<number, readonly FramedCommand[]>) => Promise<Map<number, SendResult>>;
  loadSnapshots: (ids: readonly string[]) => Promise<Map<string, string>>;
  /** Why no command can be accepted now; undefined: it can. */
  findRejection: () => 'overloaded' | 'dependency_unavailable' | undefined;
  clock: Pick<Clock, 'monotonicMs' | 'startTimer' | 'endTurn'>;
  onError: (error: unknown) => void;
  /** undefined: traces are off. */
  trace?: TraceSend | undefined;
}

interface Pending {
  /** `<slot>.<number>` in base 36. The slot is used again; the number makes each correlation unique. */
  correlation: string;
  slot: number;
  dispatch: Dispatch;
  resolve: (answer: CommandAnswer) => void;
  sentAtMs: number;
  lookedUpAtMs: number;
  /** The answer of a look-up that a reply may still correct. */
  found: CommandAnswer | undefined;
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #pending = new Slots<Pending>();
  #frames = new Map<number, TracedCommand[]>();
  #bytes = 0;
  readonly #waiting = new Map<string, number>();
  #waitingTotal = 0;
  #counter = 0;
  #isFlushScheduled = false;
  #sending = 0;
  #isLookingUp = false;
  #cancelSweep: () => void = () => {};

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#scheduleSweep();
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** Always resolves, at the latest after `waitMs`. */
  dispatch(dispatch: Dispatch): Promise<CommandAnswer> {
    const code = this.#deps.findRejection() ?? this.#findOverload(dispatch);
    if (code !== undefined) return Promise.resolve({ kind: 'not_accepted', code });
    return new Promise((resolve) => {
      const { correlation } = this.#addPending(dispatch, resolve);
      this.#count(dispatch, 1);
      const command = { correlation, text: dispatch.text };
      const { paymentId } = dispatch;
      const partition = this.#deps.findPartition(paymentId);
      this.#enqueue(partition, this.#deps.trace?.(command, { paymentId, partition }) ?? command);
    });
  }

  /** Resolves the command of a reply; returns false when none waits for it. */
  accept({ correlation, outcome, body }: Reply): boolean {
    const pending = this.#findPending(correlation);
    if (pending === undefined) return false;
    this.#settle(pending, { kind: 'reply', outcome, body });
    return true;
  }

  /** Call it when no command is in flight any more. */
  stop(): void {
    this.#cancelSweep();
  }

  #scheduleSweep(): void {
    this.#cancelSweep = this.#deps.clock.startTimer(SWEEP_EVERY_MS, () => {
      this.#scheduleSweep();
      this.#sweep();
    });
  }

  #addPending(dispatch: Dispatch, resolve: Pending['resolve']): Pending {
    const sentAtMs = this.#deps.clock.monotonicMs();
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

  /** undefined: the command was answered; another one may have its slot. */
  #findPending(correlation: string): Pending | undefined {
    const pending = this.#pending.get(Number.parseInt(correlation, 36));
    return pending?.correlation === correlation ? pending : undefined;
  }

  #findOverload(dispatch: Dispatch): 'overloaded' | undefined {
    const { waitsAt, text } = dispatch;
    const isFull =
      waitsAt === undefined
        ? this.#pending.size - this.#waitingTotal >= MAX_IN_FLIGHT
        : (this.#waiting.get(waitsAt) ?? 0) >= MAX_AT_A_RAIL;
    const hasNoRoom = this.#bytes + text.length > MAX_IN_FLIGHT_BYTES;
    return isFull || hasNoRoom ? 'overloaded' : undefined;
  }

  #count({ waitsAt, text }: Dispatch, one: 1 | -1): void {
    this.#bytes += one * text.length;
    if (waitsAt === undefined) return;
    this.#waitingTotal += one;
    this.#waiting.set(waitsAt, (this.#waiting.get(waitsAt) ?? 0) + one);
  }

  #enqueue(partition: number, command: TracedCommand): void {
    const frame = this.#frames.get(partition);
    if (frame === undefined) this.#frames.set(partition, [command]);
    else frame.push(command);
    if (frame !== undefined && frame.length >= MAX_FRAME_COMMANDS) this.#flush();
    else this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#sending > 0) return;
    this.#isFlushScheduled = true;
    this.#deps.clock.endTurn(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#frames.size === 0) return;
    const frames = this.#frames;
    this.#frames = new Map();
    this.#sending += 1;
    this.#deps
      .send(frames)
      .then((results) => {
        for (const [partition, commands] of frames) {
          if (results.get(partition) === 'refused') this.#rejectAll(commands);
          if (this.#deps.trace !== undefined) endSendSpans(commands, results.get(partition));
        }
      }, this.#deps.onError)
      .finally(() => {
        this.#sending -= 1;
        this.#flush();
      });
  }

  #rejectAll(commands: readonly FramedCommand[]): void {
    for (const { correlation } of commands) {
      const pending = this.#findPending(correlation);
      this.#settle(pending, { kind: 'not_accepted', code: 'dependency_unavailable' });
    }
  }

  /** Idempotent. */
  #settle(pending: Pending | undefined, answer: CommandAnswer): void {
    if (pending === undefined || this.#pending.get(pending.slot) !== pending) return;
    this.#pending.remove(pending.slot);
    this.#count(pending.dispatch, -1);
    pending.resolve(answer);
  }

  #sweep(): void {
    const now = this.#deps.clock.monotonicMs();
    const due = this.#pending.list().filter((pending) => isLookUpDue(pending, now));
    if (due.length > 0 && !this.#isLookingUp) void this.#lookUp(due, now);
    for (const pending of this.#pending.list()) {
      const overdueMs = now - pending.sentAtMs - pending.dispatch.waitMs;
      // A look-up under way gets a moment more, and no longer, whatever the database does.
      const isOver = overdueMs >= (this.#isLookingUp ? LAST_LOOK_UP_MS : 0);
      if (isOver) this.#settle(pending, pending.found ?? { kind: 'unanswered' });
    }
  }

  /**
   * A snapshot that looks like a replay may be the first create itself, committed a moment ago with its reply under way.
   * So `replayed` is answered only when the next look-up finds it again.
   */
  #applyLookUp(pending: Pending, snapshot: string): void {
    const answer = this.#recognize(pending.dispatch, snapshot);
    if (answer === undefined) return;
    const isReplay = answer.kind === 'reply' && answer.outcome === 'replayed';
    if (isReplay && pending.found === undefined) pending.found = answer;
    else this.#settle(pending, answer);
  }

  /** An unreadable snapshot must not affect the other commands of the look-up. */
  #recognize(dispatch: Dispatch, snapshot: string): CommandAnswer | undefined {
    try {
      return dispatch.recognize(snapshot);
    } catch (error) {
      this.#deps.onError(error);
      return undefined;
    }
  }

  async #lookUp(due: readonly Pending[], now: number): Promise<void> {
    this.#isLookingUp = true;
    for (const pending of due) pending.lookedUpAtMs = now;
    try {
      const ids = [...new Set(due.map((pending) => pending.dispatch.paymentId))];
      const snapshots = await this.#deps.loadSnapshots(ids);
      for (const pending of due) {
        const snapshot = snapshots.get(pending.dispatch.paymentId);
        if (snapshot !== undefined) this.#applyLookUp(pending, snapshot);
      }
    } catch (error) {
      this.#deps.onError(error);
    } finally {
      this.#isLookingUp = false;
    }
  }
}

function isLookUpDue({ sentAtMs, lookedUpAtMs }: Pending, now: number): boolean {
  const ageMs = now - sentAtMs;
  if (ageMs < LOOK_UP_AFTER_MS) return false;
  const everyMs = Math.max(ageMs / LOOK_UPS_BY_AGE, LOOK_UP_EVERY_MS);
  return now - lookedUpAtMs >= Math.min(everyMs, LOOK_UP_SELDOM_MS);
}
