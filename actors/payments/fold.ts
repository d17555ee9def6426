// Folds the commands of a batch through the state machine, in the order of their streams, into one commit and its
// answers. A fold changes nothing outside before `remember`, so it may be discarded and repeated: on other states, or
// with a command quarantined that Postgres refused.
import { isDroppable, type PaymentCommand } from '../core/payment/commands.js';
import { decide, deriveEffects, evolve } from '../core/payment/state-machine.js';
import type { PaymentEvent } from '../core/payment/events.js';
import { type FinalOutcome, type Outcome, findWaiter } from '../core/payment/outcome.js';
import type { Effects } from '../core/payment/slice.js';
import type { PaymentState } from '../core/payment/state.js';
import {
  type AnswerSubject,
  buildAnswerBody,
  findCommandSubject,
  findWaiterSubject,
} from '../core/payment/view.js';
import { comparePositions, type Position } from '../core/partition.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { Reply } from '#store/redis/replies.js';
import type { BatchCommand } from './batch-input.js';
import { BatchRows } from './batch-rows.js';
import { type OwnedPartition, type ReplyAddress, WaiterChanges } from './owned-partition.js';

/** The gateway has answered a droppable command by then, so it must no longer take effect. */
const DROP_AFTER_MS = 10_000;

/** overloaded: the command was too old. internal_error: it was quarantined. */
export type ReplyOutcome = FinalOutcome | 'overloaded' | 'internal_error';

export interface FoldResult {
  batch: CommitBatch;
  /** By gateway. */
  replies: ReadonlyMap<string, readonly Reply[]>;
  commandCount: number;
  /** Time from append to fold, of each frame. */
  queuedMs: readonly number[];
  /** Number of commands, by `<type> <outcome>`. */
  outcomes: ReadonlyMap<string, number>;
  /** Stores snapshots and waiters in the partitions; called once the batch is committed. */
  remember(): void;
}

export interface FoldContext {
  /** The partitions of the commands, as they were owned when the batch was read. */
  partitions: ReadonlyMap<number, OwnedPartition>;
  /** The committed state of every payment that the commands name, if it exists. */
  known: ReadonlyMap<string, PaymentState>;
  atMs: number;
  /** The same moment by Redis' clock, which dates the commands; undefined: no command is too old. */
  streamNowMs: number | undefined;
  baseUrl: string;
}

/** Pure, except for `remember`. */
export function foldBatch(commands: readonly BatchCommand[], context: FoldContext): FoldResult {
  const fold = new BatchFold(context);
  for (const command of commands) fold.apply(command);
  return fold.finish();
}

interface Step {
  event: PaymentEvent;
  state: PaymentState;
  effects: Effects;
}

interface FoldedPayment {
  state: PaymentState;
  partition: number;
  /** Empty until `finish`: only the last state of a batch is encoded. */
  snapshot: string;
}

class BatchFold {
  readonly #context: FoldContext;
  readonly #payments = new Map<string, FoldedPayment>();
  readonly #waiters: WaiterChanges;
  readonly #rows: BatchRows;
  readonly #positions = new Map<number, Position>();
  readonly #replies = new Map<string, Reply[]>();
  readonly #outcomes = new Map<string, number>();
  readonly #queuedMs: number[] = [];
  #commandCount = 0;

  constructor(context: FoldContext) {
    this.#context = context;
    this.#waiters = new WaiterChanges(context.partitions);
    this.#rows = new BatchRows(context.atMs);
  }

  apply(item: BatchCommand): void {
    this.#advancePosition(item);
    this.#commandCount += 1;
    const { command } = item;
    if (command === undefined || item.quarantineReason !== undefined) {
      this.#quarantine(item, item.quarantineReason ?? 'the command cannot be decoded');
    } else if (this.#isTooOld(item, command)) {
      this.#count(command.type, 'overloaded');
      this.#reply(item, 'overloaded', '');
    } else {
      this.#applyCommand(item, command);
    }
  }

  finish(): FoldResult {
    for (const [partition, to] of this.#positions) {
      const { epoch, position } = this.#findPartition(partition);
      this.#rows.addMove({ partition, epoch, from: position, to });
    }
    for (const [id, payment] of this.#payments) {
      payment.snapshot = this.#rows.addSnapshot(payment.state, this.#context.known.get(id));
    }
    return {
      batch: this.#rows.batch,
      replies: this.#replies,
      commandCount: this.#commandCount,
      queuedMs: this.#queuedMs,
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

  #advancePosition({ partition, position }: BatchCommand): void {
    const last = this.#positions.get(partition);
    if (last !== undefined && comparePositions(last, position) === 0) return;
    this.#positions.set(partition, position);
    const { atMs, streamNowMs = atMs } = this.#context;
    this.#queuedMs.push(Math.max(0, streamNowMs - Number(position.ms)));
  }

  #isTooOld({ position }: BatchCommand, command: PaymentCommand): boolean {
    const { streamNowMs = 0 } = this.#context;
    return isDroppable(command) && streamNowMs - Number(position.ms) > DROP_AFTER_MS;
  }

  /** A command that makes the state machine throw (a bug) is quarantined, with none of its events. */
  #applyCommand(item: BatchCommand, command: PaymentCommand): void {
    const { type, paymentId } = command;
    let outcome: Outcome;
    const steps: Step[] = [];
    try {
      outcome = this.#decide(command, steps);
    } catch (error) {
      this.#quarantine(item, `the state machine threw ${String(error)}`);
      return;
    }
    for (const step of steps) this.#applyStep(item, step);
    this.#count(type, outcome);
    if (outcome !== 'waiting') {
      this.#reply(item, outcome, this.#buildBody(findCommandSubject(command), outcome, paymentId));
      return;
    }
    const waiter = findWaiter(command);
    if (waiter !== null) this.#waiters.add(item, paymentId, waiter);
  }

  #decide(command: PaymentCommand, steps: Step[]): Outcome {
    let before = this.#findState(command.paymentId);
    const decision = decide(before, command, this.#context.atMs);
    for (const event of decision.events) {
      const state = evolve(before, event);
      steps.push({ event, state, effects: deriveEffects(state, event) });
      before = state;
    }
    return decision.outcome;
  }

  #applyStep(item: BatchCommand, step: Step): void {
    const { event, state } = step;
    this.#payments.set(state.id, { state, partition: item.partition, snapshot: '' });
    this.#rows.addEvent(item, state, event, step.effects);
    for (const { waiter, first, others } of step.effects.answers) {
      this.#waiters.take(item.partition, state.id, waiter).forEach((address, index) => {
        const outcome = index === 0 ? first : others;
        const body = this.#buildBody(findWaiterSubject(waiter), outcome, state.id);
        this.#reply(address, outcome, body);
      });
    }
  }

  #findState(id: string): PaymentState | undefined {
    return this.#payments.get(id)?.state ?? this.#context.known.get(id);
  }

  #buildBody(subject: AnswerSubject, outcome: FinalOutcome, id: string): string {
    const state = this.#findState(id);
    if (state === undefined) return '';
    return buildAnswerBody(subject, outcome, state, this.#context.baseUrl);
  }

  #quarantine(item: BatchCommand, reason: string): void {
    this.#rows.addQuarantined(item, reason);
    this.#count(item.command?.type ?? 'unreadable', 'parked');
    this.#reply(item, 'internal_error', '');
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
    for (const [id, { partition, snapshot }] of this.#payments) {
      this.#findPartition(partition).snapshots.set(id, snapshot);
    }
    this.#waiters.remember();
  }
}
