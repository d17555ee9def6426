// The clock of payments: looks four times a second for those that are due and sends each the command that
// its snapshot asks for.
//
// Nothing is remembered that could be lost: a payment is due in Postgres until a commit has moved it. A
// command that Redis lost is sent again after a while; one that comes twice, from two processes or in vain,
// has no effect.
import type { PaymentId } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { commandWhenDue } from '../core/payment/due.js';
import { encodeCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { DuePayment } from '../../store/postgres/payments/load-due.js';
import type { FramedCommand, SendResult } from '../../store/redis/commands.js';
import type { Log } from '../../ops/runtime/log.js';

const LOOK_EVERY_MS = 250;
const SEND_AGAIN_AFTER_MS = 3_000;
const PAGE = 500;
/** A bound on one look: what is due beyond it is found by the next. */
const MAX_PAGES = 20;

export interface DueParts {
  load: (after: DuePayment | undefined, limit: number) => Promise<DuePayment[]>;
  send: (
    frames: ReadonlyMap<number, readonly FramedCommand[]>,
  ) => Promise<ReadonlyMap<number, SendResult>>;
  partitions: number;
  monotonicMs: () => number;
  log: Log;
}

export class DueClock {
  readonly #parts: DueParts;
  readonly #sentAtMs = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #isFailing = false;

  constructor(parts: DueParts) {
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
    this.#forget();
    try {
      await this.#sendAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#parts.log.warn({ err: error }, 'due payments cannot be found now');
      this.#isFailing = true;
    }
  }

  async #sendAll(): Promise<void> {
    let after: DuePayment | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const due = await this.#parts.load(after, PAGE);
      await this.#send(due.filter(({ id }) => !this.#sentAtMs.has(id)));
      after = due.at(-1);
      if (due.length < PAGE) return;
    }
  }

  #forget(): void {
    const oldest = this.#parts.monotonicMs() - SEND_AGAIN_AFTER_MS;
    for (const [id, sentAtMs] of this.#sentAtMs) {
      if (sentAtMs > oldest) return;
      this.#sentAtMs.delete(id);
    }
  }

  async #send(due: readonly DuePayment[]): Promise<void> {
    const { partitions, send, monotonicMs } = this.#parts;
    const frames = new Map<number, FramedCommand[]>();
    const ids = new Map<number, PaymentId[]>();
    for (const { snapshot } of due) {
      const state = decodeSnapshot(snapshot);
      const command = commandWhenDue(state);
      if (command === null) continue;
      const partition = partitionOf(state.id, partitions);
      append(frames, partition, { correlation: '', text: encodeCommand(command) });
      append(ids, partition, state.id);
    }
    if (frames.size === 0) return;
    for (const [partition, result] of await send(frames)) {
      if (result === 'refused') continue;
      for (const id of ids.get(partition) ?? []) this.#sentAtMs.set(id, monotonicMs());
    }
  }
}

function append<Value>(lists: Map<number, Value[]>, key: number, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
