// Commit batches with chosen rows.
import { randomBytes } from 'node:crypto';
import { makeId } from '#actors/core/ids.js';
import type { Position } from '#actors/core/partition.js';
import { createEmptyBatch } from '#actors/payments/batch-rows.js';
import type { Postgres } from '#store/postgres/client.js';
import type {
  CommitBatch,
  EventRow,
  NewPayment,
  PositionMove,
} from '#store/postgres/payments/commit-batch.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';

export const AT_MS = Date.UTC(2026, 0, 1);

export const at = (ms: number, seq = 0): Position => ({ ms: BigInt(ms), seq: BigInt(seq) });

export function buildBatch(...positions: PositionMove[]): CommitBatch {
  return { ...createEmptyBatch(AT_MS), positions };
}

/** The move of a partition from its stored position. */
export async function buildMove(
  sql: Postgres,
  partition: number,
  to: Position,
): Promise<PositionMove> {
  const [claim] = await readClaims(sql, [partition]);
  if (claim === undefined) throw new Error(`partition ${partition} does not exist`);
  return { partition, epoch: claim.epoch, from: claim.position, to };
}

export const generatePaymentId = (): string => makeId('pay', randomBytes(16));

export function buildNewPayment(id: string, changes: Partial<NewPayment> = {}): NewPayment {
  return {
    id,
    merchantId: 'mer_1',
    environment: 'TEST',
    atMs: AT_MS,
    status: 'pending',
    amountMinor: 15_000n,
    currency: 'IDR',
    paymentMethod: null,
    referenceId: null,
    dueAtMs: null,
    version: 1,
    snapshot: '{}',
    ...changes,
  };
}

export function buildCreatedEvent(paymentId: string, position: Position, index = 0): EventRow {
  return {
    partition: 0,
    position,
    index,
    paymentId,
    version: 1,
    type: 'payment_created',
    event: '{}',
    merchantId: null,
    environment: null,
    envelope: null,
  };
}
