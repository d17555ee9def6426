// How stored replays go on, a step at a time (the SQL function says how). Nothing is remembered between two
// steps but what stands in the rows, so whoever makes the next one may be another process.
import type { Postgres } from '#store/postgres/client.js';

export interface ReplayPart {
  readonly replayId: string;
  readonly endpointId: string;
}

/** Parts that are not complete, those first that nobody has looked at for longest. */
export async function findOpenDeps(sql: Postgres, limit: number): Promise<ReplayPart[]> {
  return sql<ReplayPart[]>`
    select replay_id as "replayId", endpoint_id as "endpointId" from webhook_replay_parts
     where completed_at is null order by touched_at limit ${limit}`;
}

/**
 * Makes deliveries of the part due, while fewer than `most` of it wait for their attempt. Answers those that do:
 * they are to be enqueued, also those of steps before, whose process may have died in between.
 */
export async function stepReplay(
  sql: Postgres,
  { replayId, endpointId }: ReplayPart,
  most: number,
): Promise<{ id: string; endpointId: string }[]> {
  await sql`select step_webhook_replay(${replayId}, ${endpointId}, ${most}::integer)`;
  return sql<{ id: string; endpointId: string }[]>`
    select id, endpoint_id as "endpointId" from webhook_deliveries
     where replay_id = ${replayId} and endpoint_id = ${endpointId} and status = 'pending' and step = 0
     limit ${most}`;
}

/** Ends the jobs whose parts are all complete. */
export async function completeReplays(sql: Postgres): Promise<void> {
  await sql`
    update webhook_replays r set completed_at = now()
     where r.completed_at is null and not exists (
       select from webhook_replay_parts p where p.replay_id = r.id and p.completed_at is null)`;
}
