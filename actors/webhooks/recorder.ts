// Writes what attempts came to: all that ended while the last write ran go into one statement, then their
// entries end in Redis. Both are repeated until they succeed, so a store that is away delays deliveries (their
// slots stay taken) and loses none. An entry that ends unrecorded, because the process dies, is delivered again.
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { EntryEnd } from '#store/redis/webhooks/ready.js';
import type { Log } from '#ops/runtime/log.js';
import { Outage } from '#ops/runtime/retry-loop.js';

const BATCH = 256;

/** An entry and how it ends; `attempt` is recorded first where one was made. */
export interface Ending {
  end: EntryEnd;
  attempt: AttemptRow | null;
}

export interface RecorderParts {
  record: (rows: readonly AttemptRow[]) => Promise<void>;
  finish: (ends: readonly EntryEnd[]) => Promise<void>;
  /** Its slot is free. */
  onFinished: (ending: Ending) => void;
  /** Aborted when there is no use in trying any longer. */
  giveUp: AbortSignal;
  log: Log;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #postgres: Outage;
  readonly #redis: Outage;
  #waiting: Ending[] = [];
  #isRunning = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#postgres = new Outage(parts.log, 'recording attempts');
    this.#redis = new Outage(parts.log, 'finishing deliveries');
  }

  add(ending: Ending): void {
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

  async #write(batch: readonly Ending[]): Promise<void> {
    const { record, finish, giveUp } = this.#parts;
    const rows = batch.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
    if (rows.length > 0) await this.#postgres.persist(giveUp, () => record(rows));
    await this.#redis.persist(giveUp, () => finish(batch.map(({ end }) => end)));
  }
}
