// Endpoints as an attempt needs them: where to, whether at all, and the secrets that sign at this moment.
import type { Postgres } from '../client.js';

/**
 * Workers use what they read for so long. Who changes secrets answers when this time is over: then every
 * attempt that begins is signed as the row says.
 */
export const LIVE_FOR_MS = 100;

export interface LiveEndpointRow {
  id: string;
  url: string;
  active: boolean;
  /** Ciphertexts; which of them are live is settled by the database's clock. */
  currentSecret: string;
  nextSecret: string | null;
}

/** Those of `ids` that exist. */
export async function loadLiveEndpoints(
  sql: Postgres,
  ids: readonly string[],
): Promise<LiveEndpointRow[]> {
  return sql<LiveEndpointRow[]>`
    select id, url, active,
           case when switch_at <= now() then next_secret else secret end as "currentSecret",
           case when switch_at > now() then next_secret end as "nextSecret"
      from webhook_endpoints where id = any(split(${ids.join('\u001f')}))`;
}
