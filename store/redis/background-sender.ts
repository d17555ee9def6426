// Sends background commands: those for which nobody waits (expiries, ends of holds, erasures, repeats). Each loop that
// sends them has a sender, and each partition holds a few of its commands at a time. So an interactive command waits for few
// of them, however many are due, and a stream whose partition makes no progress does not grow.
//
//   FREE ──send──▶ BUSY ──the committed position has passed the frame, or Redis has lost it──▶ FREE
//
// A partition that is BUSY for long is stuck. docs/decisions/0036-background-commands.md has the reasons.
import { comparePositions, partitionFor, type Position } from '#actors/core/partition.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import type { RedisClient } from './client.js';
import { findMissingFrames, sendFrames } from './commands.js';
import type { FramedCommand, FrameSender } from './frames.js';

/** Commands of one sender in all partitions, at least one in each. A create waits for a batch with all of them at most. */
export const MAX_UNDER_WAY = 64;
/** A frame is committed within milliseconds; after this time it is looked for. */
const STUCK_AFTER_MS = 3_000;

export interface BackgroundSenderDeps {
  readonly redis: RedisClient;
  readonly sender: FrameSender;
  /** The present number of partitions. It may grow at any moment. */
  readonly countPartitions: () => number;
  /** The committed positions of these partitions. */
  readonly readPositions: (partitions: number[]) => Promise<readonly CommittedPosition[]>;
  /** The system's by default. */
  readonly clock?: Clock;
}

export interface CommittedPosition {
  readonly partition: number;
  readonly position: Position;
}

/** The free places of the partitions in one round. */
export interface Room {
  /** Takes one place; false: the partition takes no more commands now. */
  readonly take: (paymentId: string) => boolean;
  /** A frame of its partition is neither committed nor lost. */
  readonly isUnderWay: (paymentId: string) => boolean;
  /** The partition has made no progress for long, while others have room. */
  readonly isStuck: (paymentId: string) => boolean;
  readonly hasAny: boolean;
}

interface FrameUnderWay {
  readonly sentAtMs: number;
  /** undefined: Redis did not answer, so the frame may be in the stream or not. */
  position: Position | undefined;
}

export class BackgroundSender {
  readonly #deps: BackgroundSenderDeps;
  readonly #clock: Clock;
  readonly #underWay = new Map<number, FrameUnderWay>();

  constructor(deps: BackgroundSenderDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? SYSTEM_CLOCK;
  }

  /** Rejects when Postgres or Redis does not answer. */
  async readRoom(): Promise<Room> {
    await this.#forgetEnded();
    const partitions = this.#deps.countPartitions();
    const perPartition = Math.ceil(MAX_UNDER_WAY / partitions);
    const taken = new Map<number, number>();
    const nowMs = this.#clock.monotonicMs();
    return {
      take: (paymentId) => {
        const partition = partitionFor(paymentId, partitions);
        const count = taken.get(partition) ?? 0;
        if (this.#underWay.has(partition) || count >= perPartition) return false;
        taken.set(partition, count + 1);
        return true;
      },
      isUnderWay: (paymentId) => this.#underWay.has(partitionFor(paymentId, partitions)),
      isStuck: (paymentId) => {
        const frame = this.#underWay.get(partitionFor(paymentId, partitions));
        return frame !== undefined && nowMs - frame.sentAtMs > STUCK_AFTER_MS;
      },
      hasAny: this.#underWay.size < partitions,
    };
  }

  /** Sends commands that have taken their places. Returns the payments whose command Redis has not refused. */
  async send(commands: readonly PaymentCommand[]): Promise<Set<string>> {
    const { redis, sender, countPartitions } = this.#deps;
    const partitions = countPartitions();
    const frames = new Map<number, FramedCommand[]>();
    for (const command of commands) {
      const partition = partitionFor(command.paymentId, partitions);
      const frame = frames.get(partition) ?? [];
      frame.push({ correlation: '', text: encodeCommand(command) });
      frames.set(partition, frame);
    }
    if (frames.size === 0) return new Set();
    const positions = new Map<number, Position>();
    const results = await sendFrames(redis, sender, frames, (partition, position) => {
      positions.set(partition, position);
    });
    const sentAtMs = this.#clock.monotonicMs();
    for (const [partition, result] of results) {
      if (result === 'refused') continue;
      this.#underWay.set(partition, { sentAtMs, position: positions.get(partition) });
    }
    const isSent = (id: string): boolean => results.get(partitionFor(id, partitions)) !== 'refused';
    return new Set(commands.map(({ paymentId }) => paymentId).filter(isSent));
  }

  async #forgetEnded(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const committed = await this.#deps.readPositions([...this.#underWay.keys()]);
    for (const { partition, position } of committed) {
      const sent = this.#underWay.get(partition)?.position;
      if (sent !== undefined && comparePositions(position, sent) >= 0) {
        this.#underWay.delete(partition);
      }
    }
    await this.#forgetLost();
  }

  async #forgetLost(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const late = new Map<number, Position>();
    for (const [partition, { sentAtMs, position }] of this.#underWay) {
      if (nowMs - sentAtMs <= STUCK_AFTER_MS) continue;
      if (position === undefined) this.#underWay.delete(partition);
      else late.set(partition, position);
    }
    if (late.size === 0) return;
    const missing = await findMissingFrames(this.#deps.redis, late);
    for (const partition of missing) this.#underWay.delete(partition);
  }
}
