// Four times a second, finds payouts that are due and does for each what its state calls for, a bounded number at once.
// The loop keeps no state that matters: a payout is due in Postgres until a statement has changed it, and one of several
// processes gets it. While an operator has switched payouts off, pending ones are held.
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Process } from '#ops/runtime/process.js';
import { closePostgres, openPostgres } from '#store/postgres/client.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import { type DuePayout, loadToInquire, loadToSend } from '#store/postgres/payouts/due-payouts.js';
import type { Rail } from '../adapters/rail.js';
import { startOverduePayouts } from './overdue-payouts.js';
import { createPayoutRails, type PayoutRails } from './payout-rails.js';
import { inquirePayout, requireManual, type PayoutDeps, sendPayout } from './payout-steps.js';

const CONNECTIONS = 3;
const CHECK_EVERY_MS = 250;
/** Payouts and status inquiries have separate bounds: a rail that hangs on inquiries delays no payout. */
const MAX_AT_ONCE = 32;

export interface StartPayoutsDeps {
  /** The configured LIVE rails, in their order. */
  readonly rails: readonly Rail[];
  readonly isOn: KillSwitches['isOn'];
  readonly onAnswer: PayoutDeps['onAnswer'];
  /** Aborted when calls under way must end. */
  readonly giveUp: AbortSignal;
}

export function startPayouts(
  { config, log, lifecycle }: Process,
  { rails, isOn, onAnswer, giveUp }: StartPayoutsDeps,
): { stop: () => Promise<void> } {
  const sql = openPostgres(config.databaseUrl, 'payouts', CONNECTIONS);
  lifecycle.onStop('postgres of payouts', () => closePostgres(sql));
  return new PayoutScheduler({
    sql,
    rails: createPayoutRails(rails, isOn),
    isOn,
    timeoutMs: config.rails.timeoutMs,
    stepsMs: config.rails.syncSeconds.map((seconds) => seconds * 1000),
    log,
    onAnswer,
    giveUp,
  });
}

interface PayoutSchedulerDeps extends PayoutDeps {
  readonly rails: PayoutRails;
  readonly isOn: KillSwitches['isOn'];
}

type UnderWay = Map<string, Promise<void>>;

class PayoutScheduler {
  readonly #deps: PayoutSchedulerDeps;
  readonly #sending: UnderWay = new Map();
  readonly #inquiring: UnderWay = new Map();
  readonly #loops: readonly Loop[];

  constructor(deps: PayoutSchedulerDeps) {
    this.#deps = deps;
    const sending = startLoop({
      name: 'payouts',
      everyMs: CHECK_EVERY_MS,
      log: deps.log,
      work: async (stopping) => {
        await this.#sendDue(stopping);
        await this.#inquireDue(stopping);
      },
    });
    this.#loops = [sending, startOverduePayouts(deps)];
  }

  /** Begins nothing more; resolves when all that is under way has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.all([...this.#sending.values(), ...this.#inquiring.values()]);
  }

  async #sendDue(stopping: AbortSignal): Promise<void> {
    const { sql, rails, isOn } = this.#deps;
    const free = MAX_AT_ONCE - this.#sending.size;
    const environments = (['TEST', 'LIVE'] as const).filter((one) => rails.pick(one) !== 'held');
    if (free <= 0 || !isOn('payouts')) return;
    const due = await loadToSend(sql, environments, MAX_AT_ONCE);
    if (stopping.aborted) return;
    for (const payout of due.slice(0, free)) {
      this.#begin(this.#sending, payout, () => this.#send(payout));
    }
  }

  async #send(due: DuePayout): Promise<void> {
    const rail = this.#deps.rails.pick(due.state.environment);
    if (rail === 'held') return;
    await (rail === 'by_hand' ? requireManual(this.#deps, due) : sendPayout(this.#deps, due, rail));
  }

  async #inquireDue(stopping: AbortSignal): Promise<void> {
    const { sql, rails } = this.#deps;
    const free = MAX_AT_ONCE - this.#inquiring.size;
    if (free <= 0) return;
    const due = await loadToInquire(sql, rails.names, MAX_AT_ONCE);
    if (stopping.aborted) return;
    for (const payout of due.slice(0, free)) {
      const rail = payout.state.rail === null ? undefined : rails.find(payout.state.rail);
      if (rail === undefined) continue;
      this.#begin(this.#inquiring, payout, () => inquirePayout(this.#deps, payout, rail));
    }
  }

  /** A payout whose step fails stays due in its row. */
  #begin(underWay: UnderWay, { state }: DuePayout, work: () => Promise<void>): void {
    if (underWay.has(state.id)) return;
    const done = work()
      .catch((error: unknown) => {
        this.#deps.log.warn(
          { err: error, payout: state.id },
          'a payout step failed; it is repeated',
        );
      })
      .finally(() => underWay.delete(state.id));
    underWay.set(state.id, done);
  }
}
