// The way of callbacks from the rails to rails processes: they can be lost, late, doubled, out of order, forged, and a genuine
// one can report what is not true. A rail sends one again that was not stored.
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { CallbackOutcome } from '#store/redis/callbacks.js';
import type { World } from '../world/world.js';
import type { Report } from './orders.js';
import { encodeCallback } from './rail-port.js';
import type { RailsProcess } from './rails-process.js';

const ARRIVES_MS = [20, 1_500] as const;
const LATE_MS = [3_000, 25_000] as const;
const REPEAT_MS = 5_000;
const MAX_TRIES = 4;
/** A rail waits so long for an answer. */
const ANSWER_MS = 10_000;
const USUAL = { lost: 0.05, late: 0.05, doubled: 0.1, forged: 0.05, lying: 0.02 };

export class CallbackRoute {
  /** Shares of the callbacks; faults raise them. */
  shares = USUAL;
  readonly #world: World;
  readonly #listRails: () => readonly RailsProcess[];

  constructor(world: World, listRails: () => readonly RailsProcess[]) {
    this.#world = world;
    this.#listRails = listRails;
  }

  /** Begins a fault and returns what ends it. */
  disturb(shares: Partial<typeof USUAL>): () => void {
    this.shares = { ...this.shares, ...shares };
    return () => {
      const names = Object.keys(shares) as (keyof typeof USUAL)[];
      for (const name of names) this.shares = { ...this.shares, [name]: USUAL[name] };
    };
  }

  send(rail: RailName, report: Report): void {
    const { chance } = this.#world;
    const { lost, doubled, forged, lying } = this.shares;
    if (chance.happens(forged)) this.#sendSoon(rail, encodeCallback(lie(report), true));
    if (report.kind === 'order' && chance.happens(lying)) {
      this.#sendSoon(rail, encodeCallback(lie(report), false));
    }
    if (chance.happens(lost)) return;
    const body = encodeCallback(report, false);
    this.#sendSoon(rail, body);
    if (chance.happens(doubled)) this.#sendSoon(rail, body);
  }

  #sendSoon(rail: RailName, body: Buffer): void {
    const { chance } = this.#world;
    const [fromMs, toMs] = chance.happens(this.shares.late) ? LATE_MS : ARRIVES_MS;
    this.#world.schedule(chance.between(fromMs, toMs), () => {
      this.#deliver(rail, body, MAX_TRIES);
    });
  }

  #deliver(rail: RailName, body: Buffer, tries: number): void {
    const { process, acceptCallback } = this.#world.chance.pick(this.#listRails());
    let isOver = false;
    const end = (outcome: CallbackOutcome): void => {
      if (isOver) return;
      isOver = true;
      this.#world.trace(`${process.name} answers a callback of ${rail}: ${outcome}`);
      if (outcome !== 'unavailable' || tries === 0) return;
      this.#world.schedule(REPEAT_MS, () => {
        this.#deliver(rail, body, tries - 1);
      });
    };
    this.#world.schedule(ANSWER_MS, () => {
      end('unavailable');
    });
    process.schedule(this.#world.pickLatencyMs(), () => {
      acceptCallback(rail, body).then(end, () => {
        end('unavailable');
      });
    });
  }
}

/** Reports money that did not come, or that went back. */
const lie = (report: Report): Report => ({
  ...report,
  reports: report.reports === 'settled' ? 'reversed' : 'settled',
});
