// Folds the commands of a batch through the state machine, in the order of their streams, into one
// commit and its answers. Nothing outside changes before `remember`: a fold may be thrown away and done
// again, on other states or without a command that the database refused.
import type { PaymentCommand } from '../core/payment/commands.js';
import { isDroppable } from '../core/payment/commands.js';
import { decide } from '../core/payment/decide.js';
import { deriveEffects } from '../core/payment/effects.js';
import type { Effects } from '../core/payment/slice.js';
import type { PaymentEvent } from '../core/payment/events.js';
import { evolve } from '../core/payment/evolve.js';
import type { FinalOutcome, Outcome } from '../core/payment/outcome.js';
import type { PaymentState } from '../core/payment/state.js';
import { findWaiter } from '../core/payment/outcome.js';
import { comparePositions, type Position } from '../core/partition.js';
import type { CommitBatch } from '#store/postgres/payments/commit-columns.js';
import type { Reply } from '#store/redis/replies.js';
import { BatchRows } from './batch-rows.js';
import type { FoldCommand } from './fold-command.js';
import type { OwnedPartition, ReplyAddress } from './owned-partition.js';
import {
  buildAnswerBody,
  type AnswerSubject,
  findCommandSubject,
  findWaiterSubject,
} from './answer-body.js';
import { WaiterChanges } from './waiter-changes.js';

/** Whoever sent a droppable command has been answered by now: it must not take effect any more. */
const DROP_AFTER_MS = 10_000;

/** What a reply can say: an outcome of the machine, or why the command was not given to it. */
export type ReplyOutcome = FinalOutcome | 'overloaded' | 'internal_error';

export interface FoldResult {
  batch: CommitBatch;
  replies: ReadonlyMap<string, readonly Reply[]>;
  commandCount: number;
  /** Time from append to fold, of each frame. */
  queuedMs: readonly number[];
  /** How many commands, by `<type> <outcome>`. */
  outcomes: ReadonlyMap<string, number>;
  /** Takes over states and waiters; to be called once the batch is committed. */
  remember(): void;
}

export interface FoldContext {
  /** The partitions of the commands, as they were owned when the batch was read. */
  entries: ReadonlyMap<number, OwnedPartition>;
  /** The committed state of every payment that the commands name, as far as it exists. */
  known: ReadonlyMap<string, PaymentState>;
  atMs: number;
  /** The same moment by Redis' clock, which dates the commands; undefined: they are never too old. */
  streamNowMs: number | undefined;
  baseUrl: string;
}

/** Folds `commands`. Pure but for `remember`. */
export function foldBatch(commands: readonly FoldCommand[], context: FoldContext): FoldResult {
  const fold = new BatchFold(context);
  for (const command of commands) fold.apply(command);
  return fold.finish();
}

interface Step {
  event: PaymentEvent;
  state: PaymentState;
  caused: Effects;
}

interface FoldingPayment {
  state: PaymentState;
  partition: number;
  /** Empty until the batch ends. */
  snapshot: string;
}

class BatchFold {
  readonly #context: FoldContext;
  readonly #states = new Map<string, FoldingPayment>();
  readonly #waiters: WaiterChanges;
  readonly #rows: BatchRows;
  readonly #positions = new Map<number, Position>();
  readonly #replies = new Map<string, Reply[]>();
  readonly #outcomes = new Map<string, number>();
  readonly #queuedMs: number[] = [];
  #commandCount = 0;

  constructor(context: FoldContext) {
    this.#context = context;
    this.#waiters = new WaiterChanges(context.entries);
    this.#rows = new BatchRows(context.atMs);
  }

  apply(item: FoldCommand): void {
    this.#advance(item);
    this.#commandCount += 1;
    const { command } = item;
    if (command === undefined || item.quarantineReason !== undefined) {
      this.#park(item, item.quarantineReason ?? 'the command cannot be read');
    } else if (this.#isTooOld(item, command)) {
      this.#count(command.type, 'overloaded');
      this.#reply(item, 'overloaded', '');
    } else {
      this.#give(item, command);
    }
  }

  finish(): FoldResult {
    const { known } = this.#context;
    for (const [partition, to] of this.#positions) {
      const { epoch, position } = this.#entry(partition);
      this.#rows.addMove({ partition, epoch, from: position, to });
    }
    for (const [id, folding] of this.#states) {
      folding.snapshot = this.#rows.addSnapshot(folding.state, known.get(id));
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

  /** A command of another partition would be committed without the fence of its own. */
  #entry(partition: number): OwnedPartition {
    const entry = this.#context.entries.get(partition);
    if (entry === undefined) throw new Error(`partition ${partition} is not in the batch`);
    return entry;
  }

  #advance({ partition, position }: FoldCommand): void {
    const last = this.#positions.get(partition);
    if (last !== undefined && comparePositions(last, position) === 0) return;
    this.#positions.set(partition, position);
    const { atMs, streamNowMs = atMs } = this.#context;
    this.#queuedMs.push(Math.max(0, streamNowMs - Number(position.ms)));
  }

  #isTooOld({ position }: FoldCommand, command: PaymentCommand): boolean {
    const { streamNowMs = 0 } = this.#context;
    return isDroppable(command) && streamNowMs - Number(position.ms) > DROP_AFTER_MS;
  }

  /** A command that makes the machine throw is a bug of ours: parked whole, nothing of it is kept. */
  #give(item: FoldCommand, command: PaymentCommand): void {
    let outcome: Outcome;
    const steps: Step[] = [];
    try {
      outcome = this.#decide(command, steps);
    } catch (error) {
      this.#park(item, `the state machine threw ${String(error)}`);
      return;
    }
    for (const step of steps) this.#take(item, step);
    this.#count(command.type, outcome);
    if (outcome !== 'waiting') {
      this.#reply(
        item,
        outcome,
        this.#body(findCommandSubject(command), outcome, command.paymentId),
      );
      return;
    }
    const waiter = findWaiter(command);
    if (waiter !== null) this.#waiters.add(item, command.paymentId, waiter);
  }

  #decide(command: PaymentCommand, steps: Step[]): Outcome {
    let before = this.#stateOf(command.paymentId);
    const decision = decide(before, command, this.#context.atMs);
    for (const event of decision.events) {
      const state = evolve(before, event);
      steps.push({ event, state, caused: deriveEffects(state, event) });
      before = state;
    }
    return decision.outcome;
  }

  #take(item: FoldCommand, { event, state, caused }: Step): void {
    this.#states.set(state.id, { state, partition: item.partition, snapshot: '' });
    this.#rows.addEvent(item, state, event, caused);
    for (const { waiter, first, others } of caused.answers) {
      this.#waiters.take(item.partition, state.id, waiter).forEach((waiting, index) => {
        const outcome = index === 0 ? first : others;
        this.#reply(waiting, outcome, this.#body(findWaiterSubject(waiter), outcome, state.id));
      });
    }
  }

  #stateOf(id: string): PaymentState | undefined {
    return this.#states.get(id)?.state ?? this.#context.known.get(id);
  }

  #body(subject: AnswerSubject, answer: FinalOutcome, id: string): string {
    const state = this.#stateOf(id);
    return state === undefined
      ? ''
      : buildAnswerBody(subject, answer, state, this.#context.baseUrl);
  }

  #park(item: FoldCommand, reason: string): void {
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
    for (const [id, { partition, snapshot }] of this.#states) {
      this.#entry(partition).snapshots.set(id, snapshot);
    }
    this.#waiters.remember();
  }
}
