// Objects whose outcome is not final although nothing keeps it from being so, each as a sentence (docs/states.md names the
// states). A refund or payout that its rail never got waits for its deadline of hours, and is listed apart.
import { isOpen, isRefundOpen } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { Postgres } from '#store/postgres/client.js';
import type { SimulatedRails } from '#test/support/rails/simulator.js';
import type { ListedOrder } from './agreement.js';

export interface LeftOpen {
  readonly started: readonly string[];
  /** Ids of refunds and payouts that their rail never got. */
  readonly unsent: readonly string[];
}

/** `isAllExpired`: payments that nobody paid have reached their expiry, so they count too. */
export async function findLeftOpen(
  sql: Postgres,
  control: SimulatedRails['control'],
  isAllExpired: boolean,
): Promise<LeftOpen> {
  const known = await listKnownAtRails(control);
  const snapshots = await sql<{ snapshot: string }[]>`select snapshot from payments`;
  const states = snapshots.map(({ snapshot }) => decodeSnapshot(snapshot));
  const payouts = await sql<{ id: string; status: string }[]>`
    select id, status from payouts where status not in ('COMPLETED', 'FAILED', 'REVERSED')`;
  const work = await sql<{ line: string }[]>`
    select 'callback about ' || subject_id || ' is ' || status as line from rail_callbacks
     where status = 'unknown_order'
    union all
    select 'command ' || id || ' has no effect yet' from rail_facts`;
  const moving = [
    ...states.flatMap(({ refunds }) => refunds.filter(isRefundOpen)),
    ...payouts.map(({ id, status }) => ({ id, status })),
  ];
  const describe = ({ id, status }: { id: string; status: string }): string => `${id} is ${status}`;
  return {
    started: [
      ...states.filter((state) => isAllExpired && isOpen(state)).map(describe),
      ...moving.filter(({ id }) => known.has(id)).map(describe),
      ...work.map(({ line }) => line),
    ],
    unsent: moving.map(({ id }) => id).filter((id) => !known.has(id)),
  };
}

/** The ids of our refunds and payouts that the simulated rails have. */
async function listKnownAtRails(control: SimulatedRails['control']): Promise<Set<string>> {
  const orders = (await control('GET', 'orders')) as { data: ListedOrder[] };
  const payouts = (await control('GET', 'payouts')) as { data: { reference: string }[] };
  return new Set([
    ...orders.data.flatMap(({ refunds }) => refunds.map(({ reference }) => reference)),
    ...payouts.data.map(({ reference }) => reference),
  ]);
}
