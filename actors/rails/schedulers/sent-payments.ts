// The due payments whose command the leading process has sent. The memory saves the writes of a claim: when it is lost, a
// command is sent again, and a repeat changes nothing.
//
//   UNDER WAY ──its frame was committed or lost──▶ SENT ──the payment is due at the same version──▶ sent again after a wait
//                                                   └──it has changed, or FORGOTTEN_AFTER_MS passed──▶ forgotten
import type { DuePayment } from '#store/postgres/payments/due-payments.js';

/** A command that Redis lost is sent again after this time, then with doubled waits. */
const FIRST_WAIT_MS = 3_000;
/** A command that is quarantined leaves its payment due for long. */
const MAX_WAIT_MS = 3_600_000;
/** After the wait, once all that were sent before are forgotten. A payment that is still due by then begins anew. */
const FORGOTTEN_AFTER_MS = 10_000;
/** More are forgotten early. */
const MAX_SENT = 20_000;

type DueVersion = Pick<DuePayment, 'id' | 'version'>;

interface SentPayment {
  readonly version: number;
  readonly waitMs: number;
  readonly againAtMs: number;
}

export class SentPayments {
  readonly #monotonicMs: () => number;
  /** In the order in which they were sent. */
  readonly #sent = new Map<string, SentPayment>();
  #underWay = new Set<string>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Payments whose command may still take effect; `isUnderWay` says it of a payment that was sent. */
  listUnderWay(isUnderWay: (id: string) => boolean): readonly string[] {
    this.#underWay = new Set([...this.#underWay].filter(isUnderWay));
    return [...this.#underWay];
  }

  /** Milliseconds until the command of a payment may be sent again; 0: now. */
  findWaitMs({ id, version }: DueVersion): number {
    const sent = this.#sent.get(id);
    if (sent?.version !== version) return 0;
    return Math.max(0, sent.againAtMs - this.#monotonicMs());
  }

  /** The command was sent, or cannot be built; returns the milliseconds until it is tried again. */
  note({ id, version }: DueVersion, isUnderWay: boolean): number {
    const before = this.#sent.get(id);
    const isRepeat = before?.version === version;
    const waitMs = isRepeat ? Math.min(before.waitMs * 2, MAX_WAIT_MS) : FIRST_WAIT_MS;
    this.#sent.delete(id);
    this.#sent.set(id, { version, waitMs, againAtMs: this.#monotonicMs() + waitMs });
    if (isUnderWay) this.#underWay.add(id);
    this.#forgetOld();
    return waitMs;
  }

  #forgetOld(): void {
    const nowMs = this.#monotonicMs();
    for (const [id, { againAtMs }] of this.#sent) {
      if (this.#sent.size <= MAX_SENT && nowMs < againAtMs + FORGOTTEN_AFTER_MS) return;
      this.#sent.delete(id);
    }
  }
}
