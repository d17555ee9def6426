// The clock of payouts: looks four times a second for those that are due, and does for each what its state asks
// for, a bounded number at once. Nothing is remembered that could be lost: a payout is due in Postgres until a
// statement has moved it, and of several processes one gets it.
//
// While operators have switched payouts off, what waits is held: it is sent once they are switched on again.
import type { Environment } from '#actors/core/ids.js';
import type { SwitchName } from '#store/postgres/operations/kill-switches.js';
import { type DuePayout, loadToInquire, loadToSend } from '#store/postgres/payouts/due-payouts.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';
import type { PayoutRails } from './payout-rails.js';
import { inquirePayout, requireManual, type PayoutDeps, sendPayout } from './payout-steps.js';

const LOOK_EVERY_MS = 250;
const STATEMENT_DEADLINE_MS = 5_000;
/** Of each kind of work, so that a rail that hangs on look-ups keeps nobody from being paid. */
const MAX_AT_ONCE = 32;

export interface PayoutSchedulerDeps extends PayoutDeps {
  readonly rails: PayoutRails;
  readonly isOn: (name: SwitchName) => boolean;
}

export class PayoutScheduler {
  readonly #parts: PayoutSchedulerDeps;
  readonly #timer: NodeJS.Timeout;
  readonly #sending = new Map<string, Promise<void>>();
  readonly #lookingUp = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(parts: PayoutSchedulerDeps) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, LOOK_EVERY_MS);
  }

  /** Resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#sending.values(), ...this.#lookingUp.values()]);
  }

  async #look(): Promise<void> {
    try {
      await this.#sendDue();
      await this.#lookUpDue();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'due payouts cannot be found now');
      this.#isFailing = true;
    }
  }

  async #sendDue(): Promise<void> {
    const { sql, rails, isOn } = this.#parts;
    const room = MAX_AT_ONCE - this.#sending.size;
    const environments = (['TEST', 'LIVE'] as const).filter((one) => rails.pick(one) !== 'held');
    if (room <= 0 || !isOn('payouts')) return;
    const load = loadToSend(sql, environments, MAX_AT_ONCE);
    const due = await runWithDeadline(load, STATEMENT_DEADLINE_MS);
    for (const payout of due.slice(0, room)) {
      this.#begin(this.#sending, payout, () => this.#send(payout, payout.state.environment));
    }
  }

  async #send(due: DuePayout, environment: Environment): Promise<void> {
    const rail = this.#parts.rails.pick(environment);
    if (rail === 'held') return;
    await (rail === 'by_hand'
      ? requireManual(this.#parts, due)
      : sendPayout(this.#parts, due, rail));
  }

  async #lookUpDue(): Promise<void> {
    const { sql, rails } = this.#parts;
    const room = MAX_AT_ONCE - this.#lookingUp.size;
    if (room <= 0) return;
    const load = loadToInquire(sql, rails.names, MAX_AT_ONCE);
    const due = await runWithDeadline(load, STATEMENT_DEADLINE_MS);
    for (const payout of due.slice(0, room)) {
      const rail = payout.state.rail === null ? undefined : rails.find(payout.state.rail);
      if (rail === undefined) continue;
      this.#begin(this.#lookingUp, payout, () => inquirePayout(this.#parts, payout, rail));
    }
  }

  /** What fails is due again, by its row. */
  #begin(among: Map<string, Promise<void>>, { state }: DuePayout, work: () => Promise<void>): void {
    if (this.#isStopped || among.has(state.id)) return;
    const done = work()
      .catch((error: unknown) => {
        this.#parts.log.warn(
          { err: error, payout: state.id },
          'a payout could not be moved on now',
        );
      })
      .finally(() => among.delete(state.id));
    among.set(state.id, done);
  }
}
