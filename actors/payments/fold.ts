// Folds the commands of a batch through the state machine, in the order of their streams, into one commit and its
// answers. A fold changes nothing outside before `remember`, so it may be discarded and repeated: on other states, or
// with a command quarantined that Postgres refused.
//
// Each command is decided at the time of its append. So a command that is applied again, after Postgres has lost its
// commit, makes the same events and the same payment, to the byte (docs/decisions/0038-time-of-a-command.md).
import type { PaymentCommand } from '../core/payment/commands.js';
import { decide, deriveEffects, evolve } from '../core/payment/state-machine.js';
import { type FinalOutcome, type Outcome, findWaiter } from '../core/payment/outcome.js';
import type { Effects } from '../core/payment/slice.js';
import type { PaymentState } from '../core/payment/state.js';
import {
  type AnswerSource,
  type AnswerSubject,
  buildAnswerBody,
  findCommandSubject,
  findWaiterSubject,
} from '../core/payment/wire/answer.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { Frame } from '#store/redis/frames.js';
import type { Reply } from '#store/redis/replies.js';
import type { BatchCommand } from './batch-input.js';
import {
  BatchRows,
  type EncodedEvent,
  type EncodedPayment,
  encodePayment,
  encodeStep,
} from './batch-rows.js';
import { DeferralChanges, type DeferralLimits } from './deferral.js';
import { type OwnedPartition, type ReplyAddress, WaiterChanges } from './owned-partition.js';

/** The most that a column of integers holds: 24 days. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** internal_error: the command was quarantined. */
export type ReplyOutcome = FinalOutcome | 'internal_error';

export interface FoldResult {
  batch: CommitBatch;
  /** By gateway. */
  replies: ReadonlyMap<string, readonly Reply[]>;
  commandCount: number;
  /** Time from append to fold, of each frame. */
  queuedMs: readonly number[];
  /** Those that were not deferred. */
  applied: readonly BatchCommand[];
  /** Number of commands, by `<type> <outcome>`. */
  outcomes: ReadonlyMap<string, number>;
  /** Stores snapshots, waiters and deferrals in the partitions; called once the batch is committed. */
  remember(): void;
}

export interface FoldContext {
  /** The partitions of the commands, as they were owned when the batch was read. */
  partitions: ReadonlyMap<number, OwnedPartition>;
  /** The committed state of every payment that the commands name, if it exists. */
  known: ReadonlyMap<string, PaymentState>;
  /** The frames of the batch: its positions move over all of them. */
  frames: readonly Pick<Frame, 'partition' | 'position' | 'commands'>[];
  deferral: DeferralLimits;
  /** The time of the commit, for postings and tasks. */
  atMs: number;
  /** The same moment by Redis' clock, which dates the commands; undefined: it is not known. */
  streamNowMs: number | undefined;
  baseUrl: string;
}

/** Pure, except for `remember`. */
export function foldBatch(commands: readonly BatchCommand[], context: FoldContext): FoldResult {
  const { partitions, deferral } = context;
  const changes = mayDefer(commands, context)
    ? new DeferralChanges(partitions, deferral)
    : undefined;
  const fold = new BatchFold(context, changes);
  for (const command of commands) fold.apply(command);
  return fold.finish();
}

/** Whether a command of the batch may be deferred: the reasons of DeferralChanges. In most batches none is. */
function mayDefer(
  commands: readonly BatchCommand[],
  { partitions, deferral: { locked, maxCommands } }: FoldContext,
): boolean {
  if (locked.size > 0 || commands.length > maxCommands) return true;
  for (const { deferred } of partitions.values()) if (deferred?.length !== 0) return true;
  return commands.some(({ isSlow }) => isSlow);
}

interface Step {
  state: PaymentState;
  effects: Effects;
  encoded: EncodedEvent;
}

/** The decision on a command, ready to be stored. */
interface Decided {
  outcome: Outcome;
  steps: readonly Step[];
  /** undefined: no event. */
  payment: EncodedPayment | undefined;
}

interface FoldedPayment {
  encoded: EncodedPayment;
  partition: number;
}

class BatchFold {
  readonly #context: FoldContext;
  readonly #payments = new Map<string, FoldedPayment>();
  /** undefined: the batch adds no waiter and answers none. */
  #waiters: WaiterChanges | undefined;
  readonly #rows: BatchRows;
  /** undefined: no command of the batch can be deferred. */
  readonly #deferral: DeferralChanges | undefined;
  readonly #applied: BatchCommand[] = [];
  readonly #replies = new Map<string, Reply[]>();
  readonly #outcomes = new Map<string, number>();
  #commandCount = 0;

  constructor(context: FoldContext, deferral: DeferralChanges | undefined) {
    this.#context = context;
    this.#deferral = deferral;
    this.#rows = new BatchRows(context.atMs);
  }

  apply(item: BatchCommand): void {
    this.#commandCount += 1;
    const { command, movedTo } = item;
    if (movedTo !== undefined) {
      // The owner of that partition has it, and answers it.
      this.#count('moved', 'forwarded');
    } else if (command === undefined || item.quarantineReason !== undefined) {
      this.#quarantine(item, item.quarantineReason ?? 'the command cannot be decoded');
    } else if (this.#deferral?.mustWait(item, command.paymentId) === true) {
      this.#defer(this.#deferral, item, command);
    } else {
      this.#applyCommand(item, command);
    }
  }

  finish(): FoldResult {
    const { frames, atMs, streamNowMs = atMs } = this.#context;
    // The last frame of a partition is its position.
    for (const [partition, to] of new Map(frames.map((one) => [one.partition, one.position]))) {
      const { epoch, position } = this.#findPartition(partition);
      this.#rows.addMove({ partition, epoch, from: position, to });
    }
    for (const [id, payment] of this.#payments) {
      this.#rows.addPayment(payment.encoded, this.#context.known.get(id));
    }
    return {
      batch: this.#rows.batch,
      replies: this.#replies,
      commandCount: this.#commandCount,
      queuedMs: frames
        .filter(({ commands }) => commands.length > 0)
        .map(({ position }) => Math.max(0, streamNowMs - Number(position.ms))),
      applied: this.#applied,
      outcomes: this.#outcomes,
      remember: () => {
        this.#remember();
      },
    };
  }

  /** Throws for another partition, whose commands would be committed without the fence of its epoch. */
  #findPartition(partition: number): OwnedPartition {
    const owned = this.#context.partitions.get(partition);
    if (owned === undefined) throw new Error(`partition ${partition} is not in the batch`);
    return owned;
  }

  /** A command that makes the state machine or an encoder throw (a bug) is quarantined, with none of its events. */
  #applyCommand(item: BatchCommand, command: PaymentCommand): void {
    const { type, paymentId } = command;
    let decided: Decided;
    try {
      decided = this.#decide(item, command);
    } catch (error) {
      this.#quarantine(item, `it cannot be decided or stored: ${String(error)}`);
      return;
    }
    const { outcome, steps, payment } = decided;
    const lock = payment && this.#findLock(paymentId, steps);
    if (this.#deferral !== undefined && lock !== undefined) {
      this.#defer(this.#deferral, item, command, lock);
      return;
    }
    for (const step of steps) this.#applyStep(item, step);
    if (payment) this.#payments.set(paymentId, { encoded: payment, partition: item.partition });
    this.#finish(item, type, outcome);
    if (outcome !== 'waiting') {
      const state = this.#findState(paymentId);
      const source = state && { state, snapshot: payment?.snapshot };
      this.#reply(item, outcome, this.#buildBody(findCommandSubject(command), outcome, source));
      return;
    }
    const waiter = findWaiter(command);
    if (waiter !== null) this.#openWaiters().add(item, paymentId, waiter);
  }

  #openWaiters(): WaiterChanges {
    return (this.#waiters ??= new WaiterChanges(this.#context.partitions));
  }

  /** Changes nothing, and throws for what cannot be stored. */
  #decide(item: BatchCommand, command: PaymentCommand): Decided {
    let before = this.#findState(command.paymentId);
    const { events, outcome } = decide(before, command, item.appendedAtMs);
    const { partition, position } = item;
    const waitedMs = this.#measureWait(item);
    const steps: Step[] = [];
    for (const event of events) {
      const state = evolve(before, event);
      const effects = deriveEffects(state, event);
      const origin = { partition, position, waitedMs, traceparent: item.span?.traceparent };
      const encoded = encodeStep(origin, state, event, effects);
      steps.push({ state, effects, encoded });
      before = state;
    }
    const last = steps.at(-1)?.state;
    return { outcome, steps, payment: last && encodePayment(last) };
  }

  #measureWait({ appendedAtMs }: BatchCommand): number {
    const { atMs, streamNowMs = atMs } = this.#context;
    return Math.round(Math.min(Math.max(0, streamNowMs - appendedAtMs), MAX_WAIT_MS));
  }

  #findLock(paymentId: string, steps: readonly Step[]): string | undefined {
    if (this.#context.deferral.locked.size === 0) return undefined;
    const postings = steps.flatMap(({ effects }) => effects.postings);
    return this.#deferral?.findLock(paymentId, postings);
  }

  #applyStep(item: BatchCommand, { state, effects, encoded }: Step): void {
    this.#rows.addEvent(encoded);
    for (const { waiter, first, others } of effects.answers) {
      const waiting = this.#openWaiters().take(item.partition, state.id, waiter);
      waiting.forEach((address, index) => {
        const outcome = index === 0 ? first : others;
        const source = { state, snapshot: undefined };
        this.#reply(address, outcome, this.#buildBody(findWaiterSubject(waiter), outcome, source));
      });
    }
  }

  #findState(id: string): PaymentState | undefined {
    return this.#payments.get(id)?.encoded.state ?? this.#context.known.get(id);
  }

  #buildBody(
    subject: AnswerSubject,
    outcome: FinalOutcome,
    source: AnswerSource | undefined,
  ): string {
    if (source === undefined) return '';
    return buildAnswerBody(subject, outcome, source, this.#context.baseUrl);
  }

  #quarantine(item: BatchCommand, reason: string): void {
    this.#rows.addQuarantined(item, reason);
    this.#finish(item, item.command?.type ?? 'unreadable', 'quarantined');
    this.#reply(item, 'internal_error', '');
  }

  #defer(
    deferral: DeferralChanges,
    item: BatchCommand,
    { type, paymentId }: PaymentCommand,
    lock?: string,
  ): void {
    if (deferral.isRepeated(item, paymentId)) {
      this.#count(type, 'repeated');
      return;
    }
    const row = deferral.defer(item, paymentId, lock);
    if (row === undefined) return;
    this.#rows.batch.deferred.push(row);
    this.#count(type, 'deferred');
  }

  /** A command that was deferred is no longer stored as such. */
  #finish(item: BatchCommand, type: string, outcome: string): void {
    this.#applied.push(item);
    this.#deferral?.finish(item);
    const { deferred } = item;
    if (deferred !== undefined) {
      const { partition, position, index } = deferred;
      this.#rows.batch.resumed.push({ partition, position, index });
    }
    this.#count(type, outcome);
  }

  #count(type: string, outcome: string): void {
    const key = `${type} ${outcome}`;
    this.#outcomes.set(key, (this.#outcomes.get(key) ?? 0) + 1);
  }

  #reply(to: ReplyAddress, outcome: ReplyOutcome, body: string): void {
    if (to.correlation === '') return;
    const reply = { correlation: to.correlation, outcome, body };
    const list = this.#replies.get(to.sender);
    if (list === undefined) this.#replies.set(to.sender, [reply]);
    else list.push(reply);
  }

  #remember(): void {
    for (const [id, { partition, encoded }] of this.#payments) {
      const { snapshot } = encoded;
      this.#findPartition(partition).snapshots.set(id, snapshot, { size: snapshot.length });
    }
    this.#waiters?.remember();
    this.#deferral?.remember();
  }
}
