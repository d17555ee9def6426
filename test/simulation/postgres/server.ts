// The Postgres that processes reach. A statement takes effect at one moment, between the arrival of the request and the
// sending of the answer; either of them can be lost or late, so that its sender does not know whether it took effect.
import { DeadlineError } from '#ops/runtime/deadline.js';
import type { SimProcess } from '../world/sim-process.js';
import type { World } from '../world/world.js';
import { buildConnectionError, buildSqlError } from './sql-error.js';
import { Tables } from './tables.js';

/** As in store/postgres/client.ts. */
const STATEMENT_TIMEOUT_MS = 4_000;
/** As in commit_consequences. */
const LOCK_TIMEOUT_MS = 1_000;
const DEADLINE_MS = 5_000;
const LOCK_POLL_MS = 25;
const LATE_MS = [2_000, 9_000] as const;

export interface Statement<Value> {
  readonly name: string;
  readonly isWrite: boolean;
  /** Rows that it writes, when that decides how long it takes. */
  readonly rows?: number;
  /** The rows that it locks: accounts, deliveries. */
  readonly locks?: readonly string[];
  /** How long it waits for them. */
  readonly lockTimeoutMs?: number;
  readonly work: (tables: Tables) => Value;
}

export class PostgresServer {
  readonly world: World;
  readonly tables: Tables;
  readonly swallowedHosts = new Set<string>();
  /** Rows that somebody else holds. */
  readonly lockedRows = new Set<string>();
  clockAheadMs = 0;
  isDown = false;
  isReadOnly = false;
  /** How long a statement takes for each row that it writes. */
  perRowMs = 0;
  /** Shares of the statements. */
  shares = { answerLost: 0, late: 0, timedOut: 0 };

  constructor(world: World, partitions: number) {
    this.world = world;
    this.tables = new Tables(partitions, () => world.nowMs);
  }

  /** The server's clock of the day. */
  get nowMs(): number {
    return this.world.timeMs + this.clockAheadMs;
  }

  /** The server crashes, or fails over to one without the last `lossMs`. */
  crash(lossMs: number, awayMs: number): void {
    this.isDown = true;
    this.tables.lose(lossMs);
    this.world.schedule(awayMs, () => {
      this.isDown = false;
    });
  }

  run<Value>(process: SimProcess, statement: Statement<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = process.schedule(DEADLINE_MS, () => {
        reject(new DeadlineError(DEADLINE_MS));
      });
      const isSwallowed = (): boolean => this.swallowedHosts.has(process.host.name);
      const answer = (settle: () => void): void => {
        if (isSwallowed()) return;
        process.schedule(this.world.pickLatencyMs(), () => {
          cancel();
          settle();
        });
      };
      if (isSwallowed()) return;
      this.world.schedule(this.#pickRequestMs(), () => {
        this.#execute(statement, (outcome) => {
          answer(() => {
            if ('error' in outcome) reject(outcome.error);
            else resolve(outcome.value);
          });
        });
      });
    });
  }

  #pickRequestMs(): number {
    const { chance } = this.world;
    const { late } = this.shares;
    return late > 0 && chance.happens(late)
      ? chance.between(...LATE_MS)
      : this.world.pickLatencyMs();
  }

  #execute<Value>(statement: Statement<Value>, answer: (outcome: Outcome<Value>) => void): void {
    if (this.isDown) {
      answer({ error: buildConnectionError('ECONNREFUSED') });
      return;
    }
    const { timedOut } = this.shares;
    const lockTimeoutMs = statement.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    const isTimedOut = timedOut > 0 && this.world.chance.happens(timedOut);
    const takesMs = isTimedOut ? STATEMENT_TIMEOUT_MS : this.perRowMs * (statement.rows ?? 0);
    if (takesMs >= STATEMENT_TIMEOUT_MS) {
      this.world.schedule(STATEMENT_TIMEOUT_MS, () => {
        answer({ error: TIMED_OUT() });
      });
    } else {
      this.world.schedule(takesMs, () => {
        this.#finish(statement, Math.min(lockTimeoutMs, STATEMENT_TIMEOUT_MS - takesMs), answer);
      });
    }
  }

  /** Waits for locks, then takes effect. */
  #finish<Value>(
    statement: Statement<Value>,
    leftMs: number,
    answer: (outcome: Outcome<Value>) => void,
  ): void {
    const isLocked = statement.locks?.some((row) => this.lockedRows.has(row));
    if (this.isDown) answer({ error: buildConnectionError('CONNECTION_CLOSED') });
    else if (isLocked && leftMs <= 0) answer({ error: LOCKED() });
    else if (isLocked) {
      this.world.schedule(LOCK_POLL_MS, () => {
        this.#finish(statement, leftMs - LOCK_POLL_MS, answer);
      });
    } else {
      const outcome = this.#apply(statement);
      const { answerLost } = this.shares;
      const isLost = answerLost > 0 && this.world.chance.happens(answerLost);
      answer(isLost ? { error: buildConnectionError('CONNECTION_CLOSED') } : outcome);
    }
  }

  #apply<Value>({ name, isWrite, work }: Statement<Value>): Outcome<Value> {
    if (isWrite && this.isReadOnly) {
      return { error: buildSqlError('25006', 'cannot execute UPDATE in a read-only transaction') };
    }
    this.tables.forgetOldChanges();
    try {
      return { value: this.tables.transact(work) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.world.trace(`postgres refuses ${name}: ${String(error)}`);
      return { error };
    }
  }
}

type Outcome<Value> = { readonly value: Value } | { readonly error: Error };

const LOCKED = (): Error => buildSqlError('55P03', 'canceling statement due to lock timeout');
const TIMED_OUT = (): Error =>
  buildSqlError('57014', 'canceling statement due to statement timeout');
