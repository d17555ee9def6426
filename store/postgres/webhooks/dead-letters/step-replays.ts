// The steps of stored replays. All state between two steps is in the rows, so any process can take the next one
// (`step_webhook_replay` in store/postgres/functions/webhooks.sql).
import type { Postgres } from '#store/postgres/client.js';

export interface ReplayPart {
  readonly replayId: string;
  readonly endpointId: string;
}

/** Incomplete parts, least recently stepped first. */
export async function findOpenParts(sql: Postgres, limit: number): Promise<ReplayPart[]> {
  return sql<ReplayPart[]>`
    select replay_id as "replayId", endpoint_id as "endpointId" from webhook_replay_parts
     where completed_at is null order by touched_at limit ${limit}`;
}

/**
 * Makes deliveries of the part due until `window` of them wait for their attempt. Returns the waiting ones, those of
 * earlier steps included, because a process may have died before it enqueued them.
 */
export async function stepReplay(
  sql: Postgres,
  { replayId, endpointId }: ReplayPart,
  window: number,
): Promise<{ id: string; endpointId: string }[]> {
  await sql`select step_webhook_replay(${replayId}, ${endpointId}, ${window}::integer)`;
  return sql<{ id: string; endpointId: string }[]>`
    select id, endpoint_id as "endpointId" from webhook_deliveries
     where replay_id = ${replayId} and endpoint_id = ${endpointId} and status = 'pending' and step = 0
     limit ${window}`;
}

/** Completes jobs whose parts are all complete. */
export async function completeReplays(sql: Postgres): Promise<void> {
  await sql`
    update webhook_replays r set completed_at = now()
     where r.completed_at is null and not exists (
       select from webhook_replay_parts p where p.replay_id = r.id and p.completed_at is null)`;
}
