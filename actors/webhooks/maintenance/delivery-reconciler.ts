// Sees to it that Redis holds whatever Postgres says is due. Every second: mend what Redis has lost, take over
// entries whose worker died, then enqueue what is overdue and held nowhere (the script leaves out what is held).
// One process walks at a time, with two walks: a short one over what became due in the last seconds, which finds
// replays at once; and a long one over everything overdue, at once when something was lost, else from time to
// time, since a dead endpoint's backlog may be long. A walk that is longer than its bound goes on next time.
import type { Backlog, OverdueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import type { Queued } from '#store/redis/webhooks/due-list.js';
import type { ReadyEntry } from '#store/redis/webhooks/ready-entries.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const EVERY_MS = 1_000;
export const RECONCILER_LEASE_MS = 900;
const PAGE = 1_000;
const PAGES_AT_ONCE = 20;
/** In one round; each takes a few entries of every partition. */
const TAKE_OVERS = 8;
/** Rounds. */
const COUNT_EVERY = 5;
const JUDGE_EVERY = 10;
const DROP_EVERY = 60;
/** Rounds from the end of a long walk to the next; longer than a page, each page is another round. */
const REST = 5;
const RECENT_MS = 10_000;

/** Where a walk stands in the order of the overdue deliveries. */
export interface QueuePlace {
  at: string;
  id: string;
}

const START: QueuePlace = { at: '-infinity', id: '' };

export interface DeliveryReconcilerDeps {
  stopping: AbortSignal;
  /** Answers how many partitions had lost something. */
  repairStreams: () => Promise<number>;
  takeOver: () => Promise<ReadyEntry[]>;
  accept: (entries: readonly ReadyEntry[]) => Promise<void>;
  dropConsumers: () => Promise<unknown>;
  leads: () => Promise<boolean>;
  findOverdue: (after: QueuePlace, limit: number) => Promise<OverdueDelivery[]>;
  enqueue: (deliveries: readonly OverdueDelivery[]) => Promise<number>;
  /** Flags and disables endpoints that only fail. */
  updateFailingEndpoints: () => Promise<void>;
  /** Fans out events that had been set aside and are mended. */
  resumeQuarantined: () => Promise<void>;
  countBacklog: () => Promise<Backlog>;
  countQueued: () => Promise<Queued>;
  onRefilled: (deliveries: number) => void;
  setBacklog: (backlog: Backlog, queued: Queued) => void;
  log: Log;
}

export class DeliveryReconciler {
  readonly #parts: DeliveryReconcilerDeps;
  /** Of the long walk. */
  #after = START;
  #pages = 0;
  #restRounds = 0;
  #isLost = true;
  #ledRounds = 0;

  constructor(parts: DeliveryReconcilerDeps) {
    this.#parts = parts;
  }

  /** Something is missing in Redis: the next round walks over everything. */
  noticeLoss(): void {
    this.#isLost = true;
  }

  /** Resolves when the process stops. */
  async run(): Promise<void> {
    const { stopping, log } = this.#parts;
    const outage = new RetryLoop(log, 'reconciling');
    for (let round = 0; !stopping.aborted; round += 1) {
      await outage.retry(stopping, () => this.#round(round));
      await sleep(EVERY_MS);
    }
  }

  async #round(round: number): Promise<void> {
    const { repairStreams, leads, updateFailingEndpoints, resumeQuarantined, dropConsumers } =
      this.#parts;
    if ((await repairStreams()) > 0) this.noticeLoss();
    await this.#takeOver();
    if (await leads()) {
      await this.#refill();
      this.#ledRounds += 1;
      if (this.#ledRounds % JUDGE_EVERY === 0) {
        await updateFailingEndpoints();
        await resumeQuarantined();
      }
    }
    if (round % COUNT_EVERY === 0) await this.#count();
    if (round % DROP_EVERY === DROP_EVERY - 1) await dropConsumers();
  }

  async #count(): Promise<void> {
    const { countBacklog, countQueued, setBacklog } = this.#parts;
    setBacklog(await countBacklog(), await countQueued());
  }

  async #takeOver(): Promise<void> {
    const { takeOver, accept } = this.#parts;
    for (let time = 0; time < TAKE_OVERS; time += 1) {
      const entries = await takeOver();
      if (entries.length === 0) return;
      await accept(entries);
    }
  }

  async #refill(): Promise<void> {
    const { onRefilled, log } = this.#parts;
    if (this.#isLost) {
      this.#after = START;
      this.#restRounds = 0;
      this.#isLost = false;
    }
    const recent = new Date(Date.now() - RECENT_MS).toISOString();
    let refilled = this.#restRounds > 0 ? (await this.#walk({ at: recent, id: '' })).refilled : 0;
    this.#restRounds -= 1;
    if (this.#restRounds < 0) refilled += await this.#walkOn();
    if (refilled === 0) return;
    onRefilled(refilled);
    log.info({ deliveries: refilled }, 'deliveries that nobody held were enqueued');
  }

  /** The next part of the long walk. */
  async #walkOn(): Promise<number> {
    const { after, pages, refilled } = await this.#walk(this.#after);
    this.#after = after ?? START;
    this.#pages += pages;
    if (after === null) {
      this.#restRounds = Math.max(REST, this.#pages);
      this.#pages = 0;
    }
    return refilled;
  }

  /** `after`: where to go on; null at the end. */
  async #walk(
    from: QueuePlace,
  ): Promise<{ after: QueuePlace | null; pages: number; refilled: number }> {
    const { findOverdue, enqueue } = this.#parts;
    let after = from;
    let refilled = 0;
    for (let pages = 1; pages <= PAGES_AT_ONCE; pages += 1) {
      const overdue = await findOverdue(after, PAGE);
      if (overdue.length > 0) refilled += await enqueue(overdue);
      const last = overdue.at(-1);
      if (last === undefined || overdue.length < PAGE) return { after: null, pages, refilled };
      after = { at: last.at, id: last.id };
    }
    return { after, pages: PAGES_AT_ONCE, refilled };
  }
}
