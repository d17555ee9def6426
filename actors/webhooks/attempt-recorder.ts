// Writes what attempts came to: all that ended while the last write ran go into one statement, then their
// entries end in Redis. Both are repeated until they succeed, so a store that is away delays deliveries (their
// slots stay taken) and loses none. An entry that ends unrecorded, because the process dies, is delivered again.
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { EntryOutcome } from '#store/redis/webhooks/ready-entries.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';

const BATCH = 256;

/** An entry and how it ends; `attempt` is recorded first where one was made. */
export interface FinishedEntry {
  outcome: EntryOutcome;
  attempt: AttemptRow | null;
}

export interface AttemptRecorderDeps {
  record: (rows: readonly AttemptRow[]) => Promise<void>;
  finish: (ends: readonly EntryOutcome[]) => Promise<void>;
  /** Its slot is free. */
  onFinished: (ending: FinishedEntry) => void;
  /** Aborted when there is no use in trying any longer. */
  giveUp: AbortSignal;
  log: Log;
}

export class AttemptRecorder {
  readonly #parts: AttemptRecorderDeps;
  readonly #postgres: RetryLoop;
  readonly #redis: RetryLoop;
  #waiting: FinishedEntry[] = [];
  #isRunning = false;

  constructor(parts: AttemptRecorderDeps) {
    this.#parts = parts;
    this.#postgres = new RetryLoop(parts.log, 'recording attempts');
    this.#redis = new RetryLoop(parts.log, 'finishing deliveries');
  }

  add(ending: FinishedEntry): void {
    this.#waiting.push(ending);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // What else ends in this turn of the event loop comes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      await this.#write(batch);
      for (const ending of batch) this.#parts.onFinished(ending);
    }
    this.#isRunning = false;
  }

  async #write(batch: readonly FinishedEntry[]): Promise<void> {
    const { record, finish, giveUp } = this.#parts;
    const rows = batch.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
    if (rows.length > 0) await this.#postgres.retry(giveUp, () => record(rows));
    await this.#redis.retry(giveUp, () => finish(batch.map(({ outcome }) => outcome)));
  }
}
