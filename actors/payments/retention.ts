// How long committed frames stay in their streams, so that they are applied again when a failover of Postgres loses
// their commits. Frames stay for `retainMs` from their commit. They give way earlier when Redis fills up, but never
// before Postgres has confirmed their positions some time after their commit: while it is away, nothing more is confirmed.
import type { Position } from '../core/partition.js';
import type { OwnedPartition } from './owned-partition.js';

/** A standby may lag behind for so long while Redis has no memory for more. */
const CONFIRMED_AFTER_MS = 1_000;

export interface RetentionLimits {
  readonly nowMs: number;
  readonly retainMs: number;
  readonly isMemoryShort: boolean;
  /** When Postgres last confirmed the positions of this process. */
  readonly confirmedAtMs: number;
}

/** A position, and when it was committed at the latest, by the monotonic clock. */
interface Checkpoint {
  readonly position: Position;
  readonly atMs: number;
}

/** The positions that a process has committed in a partition, noted at every maintenance of the streams. */
export class Retention {
  readonly #checkpoints = new WeakMap<OwnedPartition, Checkpoint[]>();

  /** Notes the partition's position. Returns the position up to which frames may be trimmed; undefined: none may. */
  advance(owned: OwnedPartition, limits: RetentionLimits): Position | undefined {
    const { nowMs, retainMs, isMemoryShort, confirmedAtMs } = limits;
    const checkpoints = this.#checkpoints.get(owned) ?? [];
    this.#checkpoints.set(owned, checkpoints);
    if (checkpoints.at(-1)?.position !== owned.position) {
      checkpoints.push({ position: owned.position, atMs: nowMs });
    }
    const retainedSinceMs = nowMs - retainMs;
    const sinceMs = isMemoryShort
      ? Math.max(retainedSinceMs, confirmedAtMs - CONFIRMED_AFTER_MS)
      : retainedSinceMs;
    const count = checkpoints.findIndex(({ atMs }) => atMs > sinceMs);
    const over = checkpoints.splice(0, count < 0 ? checkpoints.length : count);
    return over.at(-1)?.position;
  }
}
