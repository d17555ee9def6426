// The clock of payments: looks four times a second for those that are due and sends each the command that
// its snapshot asks for.
//
// Nothing is remembered that could be lost: a payment is due in Postgres until a commit has moved it. A
// command that Redis lost is sent again after three seconds, then after twice that, up to an hour: one that
// had to be parked leaves its payment due, and so does an expiry that the actor's clock calls early. What comes
// twice, from two processes or in vain, has no effect.
import { partitionFor } from '../core/partition.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import { buildDueCommand } from '../core/payment/due.js';
import { encodeCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { DuePayment } from '#store/postgres/payments/load-due.js';
import type { FramedCommand, SendResult } from '#store/redis/commands.js';
import type { Log } from '#ops/runtime/log.js';

const LOOK_EVERY_MS = 250;
const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 3_600_000;
const PAGE = 500;
/** A bound on one look: what is due beyond it is found by the next. */
const MAX_PAGES = 20;

export interface PaymentSchedulerDeps {
  load: (after: DuePayment | undefined, limit: number) => Promise<DuePayment[]>;
  send: (
    frames: ReadonlyMap<number, readonly FramedCommand[]>,
  ) => Promise<ReadonlyMap<number, SendResult>>;
  partitions: number;
  monotonicMs: () => number;
  log: Log;
}

interface SentCommand {
  againAtMs: number;
  waitMs: number;
}

export class PaymentScheduler {
  readonly #parts: PaymentSchedulerDeps;
  /** The payments that were due at the last look and have been sent their command. */
  #sent = new Map<string, SentCommand>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isFailing = false;

  constructor(parts: PaymentSchedulerDeps) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      await this.#sendAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) {
        this.#parts.log.warn({ err: error }, 'due payments cannot be found now');
      }
      this.#isFailing = true;
    }
  }

  async #sendAll(): Promise<void> {
    const stillDue = new Map<string, SentCommand>();
    let after: DuePayment | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const due = await this.#parts.load(after, PAGE);
      await this.#send(due.filter(({ id }) => this.#isToBeSent(id)));
      for (const { id } of due) {
        const sent = this.#sent.get(id);
        if (sent !== undefined) stillDue.set(id, sent);
      }
      after = due.at(-1);
      if (due.length < PAGE) break;
    }
    this.#sent = stillDue;
  }

  #isToBeSent(id: string): boolean {
    const sent = this.#sent.get(id);
    return sent === undefined || sent.againAtMs <= this.#parts.monotonicMs();
  }

  async #send(due: readonly DuePayment[]): Promise<void> {
    const frames = new Map<number, FramedCommand[]>();
    const ids = new Map<number, string[]>();
    for (const payment of due) {
      const command = this.#readCommand(payment);
      if (command === undefined) continue;
      const partition = partitionFor(command.paymentId, this.#parts.partitions);
      appendTo(frames, partition, { correlation: '', text: encodeCommand(command) });
      appendTo(ids, partition, payment.id);
    }
    if (frames.size === 0) return;
    for (const [partition, result] of await this.#parts.send(frames)) {
      if (result === 'refused') continue;
      for (const id of ids.get(partition) ?? []) this.#remember(id);
    }
  }

  /** A snapshot that cannot be read must not stop the clock of the others. */
  #readCommand({ id, snapshot }: DuePayment): PaymentCommand | undefined {
    try {
      return buildDueCommand(decodeSnapshot(snapshot)) ?? undefined;
    } catch (error) {
      this.#parts.log.error({ err: error, id }, 'a payment that is due cannot be read');
      this.#remember(id);
      return undefined;
    }
  }

  #remember(id: string): void {
    const before = this.#sent.get(id)?.waitMs ?? FIRST_WAIT_MS / 2;
    const waitMs = Math.min(before * 2, LONGEST_WAIT_MS);
    this.#sent.set(id, { waitMs, againAtMs: this.#parts.monotonicMs() + waitMs });
  }
}

function appendTo<Value>(lists: Map<number, Value[]>, key: number, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
