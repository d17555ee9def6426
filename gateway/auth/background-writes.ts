// Writes that no answer waits for, so that its time does not tell what they did: whether an account exists. No limit depends
// on them: attempts to log in are counted before the password is read (limits/login-throttle.ts). The process waits for them
// when it stops; one that is killed loses those under way. One that fails is logged and counted, and not repeated.
import type { Log } from '#ops/runtime/log.js';
import { createCounter, type LabelledCounter, type Registry } from '#ops/runtime/metrics.js';

const WRITES = ['failed_login', 'lockout_mail', 'reset_mail', 'verification_mail'] as const;
type Write = (typeof WRITES)[number];

/**
 * Of each kind under way. While Postgres answers there are a few; beyond the limit a write is given up. The limits are apart,
 * so that a flood of requests for mails keeps no failed login out of the audit log.
 */
const MAX_UNDER_WAY = 1_000;

const LABELS = { write: WRITES };

export interface BackgroundWriteDeps {
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn'>;
}

export class BackgroundWrites {
  readonly #log: Pick<Log, 'warn'>;
  readonly #failures: LabelledCounter<typeof LABELS>;
  readonly #underWay = new Map(WRITES.map((write) => [write, new Set<Promise<void>>()]));

  constructor({ registry, log }: BackgroundWriteDeps) {
    this.#log = log;
    this.#failures = createCounter(
      registry,
      'background_writes_failed_total',
      'Writes after an answer that failed or were given up',
      LABELS,
    );
  }

  begin(write: Write, run: () => Promise<unknown>): void {
    const underWay = this.#underWay.get(write);
    if (underWay === undefined || underWay.size >= MAX_UNDER_WAY) {
      this.#noteFailure(write, new Error(`${MAX_UNDER_WAY} such writes are under way`));
      return;
    }
    const done = run()
      .catch((error: unknown) => {
        this.#noteFailure(write, error);
      })
      .then(() => void underWay.delete(done));
    underWay.add(done);
  }

  /** Resolves when none is under way. */
  async settle(): Promise<void> {
    for (;;) {
      const all = [...this.#underWay.values()].flatMap((underWay) => [...underWay]);
      if (all.length === 0) return;
      await Promise.all(all);
    }
  }

  #noteFailure(write: Write, error: unknown): void {
    this.#failures.inc({ write });
    this.#log.warn({ err: error, write }, 'a write after an answer failed and is not repeated');
  }
}
