// Whether a payout has been ended by an administrator under a reference, whatever its status is now.
import type { PayoutId } from '#actors/core/ids.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import type { Postgres } from '../client.js';

export async function hasEvent(
  sql: Postgres,
  id: PayoutId,
  types: readonly PayoutEvent['type'][],
  externalReference: string,
): Promise<boolean> {
  const rows = await sql`
    select from payout_events
     where payout_id = ${id} and type = any(${[...types]}::text[])
       and event::jsonb ->> 'externalReference' = ${externalReference}
     limit 1`;
  return rows.length > 0;
}
