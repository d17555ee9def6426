// Many payments that are due, straight in the table.
import { randomBytes } from 'node:crypto';
import { makeId, type MerchantId } from '#actors/core/ids.js';
import { decide, evolve } from '#actors/core/payment/state-machine.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { encodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Postgres } from '#store/postgres/client.js';
import { create } from '#test/core/payment/samples.js';
import { fillTables } from '../servers.js';

export interface DueRow {
  readonly id: string;
  readonly snapshot: string;
}

/** Returns open TEST payments that expired `agoMs` ago. */
export function buildExpired(merchantId: string, count: number, agoMs: number): DueRow[] {
  return Array.from({ length: count }, () => {
    const paymentId = makeId('pay', randomBytes(16));
    const command = {
      ...create('TEST', { expiresInS: 300 }),
      paymentId,
      merchantId: merchantId as MerchantId,
    };
    const { events } = decide(undefined, command, Date.now() - agoMs - 300_000);
    const state = events.reduce<PaymentState | undefined>(
      (before, event) => evolve(before, event),
      undefined,
    );
    if (state === undefined) throw new Error('the create was rejected');
    return { id: paymentId, snapshot: encodeSnapshot(state) };
  });
}

/** Inserts TEST payments of a merchant that are due since `agoMs`. */
export async function insertDue(
  sql: Postgres,
  merchantId: string,
  rows: readonly DueRow[],
  agoMs: number,
): Promise<void> {
  const [ids, snapshots] = [rows.map(({ id }) => id), rows.map(({ snapshot }) => snapshot)];
  await fillTables(
    sql,
    (tx) => tx`
      insert into payments (id, merchant_id, environment, status, amount, currency, created_at, due_at,
                            version, snapshot)
      select id, ${merchantId}, 'TEST', 'pending', 150000, 'IDR', now() - interval '1 hour',
             now() - ${agoMs}::float8 * interval '1 millisecond', 1, snapshot
        from unnest(${ids}::text[], ${snapshots}::text[]) as r (id, snapshot)`,
  );
}
