// Endpoints as an attempt needs them: where to, whether at all, and the secrets that sign at this moment.
import type { StoredSecrets } from '#actors/core/webhooks/rotation.js';
import type { Postgres } from '../client.js';

/**
 * Workers use what they read for so long. Who changes secrets answers when this time is over: then every
 * attempt that begins is signed as the row says.
 */
export const LIVE_FOR_MS = 100;

/** The secrets are ciphertexts. */
export interface LiveEndpointRow extends StoredSecrets {
  id: string;
  url: string;
  active: boolean;
}

/** Those of `ids` that exist. */
export async function loadLiveEndpoints(
  sql: Postgres,
  ids: readonly string[],
): Promise<LiveEndpointRow[]> {
  return sql<LiveEndpointRow[]>`
    select id, url, active, secret, next_secret as "nextSecret",
           (extract(epoch from switch_at - now()) * 1000)::float8 as "switchInMs"
      from webhook_endpoints where id = any(split(${ids.join('\u001f')}))`;
}
