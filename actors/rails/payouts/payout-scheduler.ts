// Four times a second, finds payouts that are due and does for each what its state calls for, a bounded number at once.
// The loop keeps no state that matters: a payout is due in Postgres until a statement has changed it, and one of several
// processes gets it. While an operator has switched payouts off, or the rail's circuit breaker is open, pending ones are
// held: a claimed payout is never sent again, so one that is claimed during an outage would wait for a person.
import { type Environment, ENVIRONMENTS } from '#actors/core/ids.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Process } from '#ops/runtime/process.js';
import { BY_KEY, closePostgres, openPostgres } from '#store/postgres/client.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import {
  createPayoutTurns,
  type DuePayout,
  loadToInquire,
  loadToSend,
} from '#store/postgres/payouts/due-payouts.js';
import type { Rail } from '../adapters/rail.js';
import { startOverduePayouts } from './overdue-payouts.js';
import { createPayoutRails, type PayoutRails } from './payout-rails.js';
import {
  claimPayout,
  type ClaimedPayout,
  inquirePayout,
  payClaimed,
  type PayoutDeps,
  requireManual,
} from './payout-steps.js';

const CONNECTIONS = 3;
const CHECK_EVERY_MS = 250;
/** The longest rest while no payout is due: it is sent so much later at most. */
const IDLE_MS = 1_000;
/** Per environment, of payouts and of status inquiries: a rail that hangs on one of them delays no other. */
const MAX_AT_ONCE = 32;
/** Environments take turns in what is loaded, so each may fill its slots. */
const MAX_LOADED = MAX_AT_ONCE * ENVIRONMENTS.length;

export interface StartPayoutsDeps {
  /** The configured LIVE rails, in their order. */
  readonly rails: readonly Rail[];
  readonly isOn: KillSwitches['isOn'];
  readonly onAnswer: PayoutDeps['onAnswer'];
  /** Aborted when calls under way must end. */
  readonly giveUp: AbortSignal;
}

interface StartedPayouts {
  readonly stop: () => Promise<void>;
  readonly readCircuitBreakers: PayoutRails['readCircuitBreakers'];
}

export function startPayouts(
  { config, log, lifecycle }: Process,
  { rails, isOn, onAnswer, giveUp }: StartPayoutsDeps,
): StartedPayouts {
  const sql = openPostgres(config.databaseUrl, 'payouts', CONNECTIONS, { plans: BY_KEY });
  lifecycle.onStop('postgres of payouts', () => closePostgres(sql));
  const { timeoutMs } = config.rails;
  const paying = createPayoutRails({ rails, isOn, timeoutMs });
  const scheduler = new PayoutScheduler({
    sql,
    rails: paying,
    isOn,
    timeoutMs,
    stepsMs: config.rails.syncSeconds.map((seconds) => seconds * 1000),
    log,
    onAnswer,
    giveUp,
  });
  return { stop: () => scheduler.stop(), readCircuitBreakers: paying.readCircuitBreakers };
}

interface PayoutSchedulerDeps extends PayoutDeps {
  readonly rails: PayoutRails;
  readonly isOn: KillSwitches['isOn'];
}

type Slots = Readonly<Record<Environment, Map<string, Promise<void>>>>;

const createSlots = (): Slots => ({ LIVE: new Map(), TEST: new Map() });
const hasFree = ({ LIVE, TEST }: Slots): boolean => Math.min(LIVE.size, TEST.size) < MAX_AT_ONCE;

class PayoutScheduler {
  readonly #deps: PayoutSchedulerDeps;
  readonly #sending = createSlots();
  readonly #inquiring = createSlots();
  readonly #sendTurns = createPayoutTurns('send');
  readonly #inquireTurns = createPayoutTurns('inquire');
  readonly #loops: readonly Loop[];
  #lastClaim: Promise<unknown> = Promise.resolve();

  constructor(deps: PayoutSchedulerDeps) {
    this.#deps = deps;
    const rest = createIdleRest(CHECK_EVERY_MS, IDLE_MS);
    const sending = startLoop({
      name: 'payouts',
      everyMs: CHECK_EVERY_MS,
      log: deps.log,
      work: async (stopping) => {
        const sent = await this.#sendDue(stopping);
        const inquired = await this.#inquireDue(stopping);
        return rest(sent + inquired > 0);
      },
    });
    this.#loops = [sending, startOverduePayouts(deps)];
  }

  /** Begins nothing more; resolves when all that is under way has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    const slots = [this.#sending, this.#inquiring].flatMap(({ LIVE, TEST }) => [LIVE, TEST]);
    await Promise.all(slots.flatMap((underWay) => [...underWay.values()]));
  }

  /** Returns how many are due. */
  async #sendDue(stopping: AbortSignal): Promise<number> {
    const { sql, rails, isOn } = this.#deps;
    const environments = ENVIRONMENTS.filter((one) => rails.pick(one) !== 'held');
    if (!isOn('payouts') || !hasFree(this.#sending)) return 0;
    const due = await loadToSend(sql, this.#sendTurns, environments, MAX_LOADED);
    if (stopping.aborted) return 0;
    for (const payout of due) this.#begin(this.#sending, payout, () => this.#send(payout));
    return due.length;
  }

  async #send(due: DuePayout): Promise<void> {
    const isLive = due.state.environment === 'LIVE';
    const claimed = await (isLive ? this.#claimInTurn(due) : this.#claim(due));
    if (claimed !== undefined) await payClaimed(this.#deps, claimed);
  }

  /** One after another, so that calls which have failed meanwhile hold the rest, and one payout alone is the probe. */
  #claimInTurn(due: DuePayout): Promise<ClaimedPayout | undefined> {
    const claimed = this.#lastClaim.then(() => this.#claim(due));
    this.#lastClaim = claimed.catch(() => {});
    return claimed;
  }

  async #claim(due: DuePayout): Promise<ClaimedPayout | undefined> {
    const choice = this.#deps.rails.pick(due.state.environment);
    if (choice === 'held') return undefined;
    if (choice !== 'by_hand') return claimPayout(this.#deps, due, choice);
    await requireManual(this.#deps, due);
    return undefined;
  }

  async #inquireDue(stopping: AbortSignal): Promise<number> {
    const { sql, rails } = this.#deps;
    if (!hasFree(this.#inquiring)) return 0;
    const due = await loadToInquire(sql, this.#inquireTurns, rails.names, MAX_LOADED);
    if (stopping.aborted) return 0;
    for (const payout of due) {
      const rail = payout.state.rail === null ? undefined : rails.find(payout.state.rail);
      if (rail === undefined) continue;
      this.#begin(this.#inquiring, payout, () => inquirePayout(this.#deps, payout, rail));
    }
    return due.length;
  }

  /** A payout whose step fails stays due in its row, and so does one without a free slot. */
  #begin(slots: Slots, { state }: DuePayout, work: () => Promise<void>): void {
    const underWay = slots[state.environment];
    if (underWay.has(state.id) || underWay.size >= MAX_AT_ONCE) return;
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
