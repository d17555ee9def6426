// Endpoints as attempts need them: address, state, and the secrets that sign now.
import type { StoredSecrets } from '#actors/core/webhooks/rotation.js';
import type { Postgres } from '../client.js';

/**
 * Workers cache endpoints for this time. A rotation resolves after it, so that every attempt that begins later is signed
 * with the new secrets.
 */
export const LIVE_FOR_MS = 100;

/** Its secrets are ciphertexts. */
export interface LiveEndpointRow extends StoredSecrets {
  id: string;
  url: string;
  active: boolean;
}

export async function loadLiveEndpoints(
  sql: Postgres,
  ids: readonly string[],
): Promise<LiveEndpointRow[]> {
  return sql<LiveEndpointRow[]>`
    select id, url, active, secret, next_secret as "nextSecret",
           (extract(epoch from switch_at - now()) * 1000)::float8 as "switchInMs"
      from webhook_endpoints where id = any(split(${ids.join('\u001f')}))`;
}
