// Stores an endpoint of the demo or of a test, without the checks of change-endpoints.ts.
import type { Postgres } from '../client.js';

export interface NewEndpoint {
  id: string;
  merchantId: string;
  environment: 'TEST' | 'LIVE';
  url: string;
  /** Event types, or `['*']` for all. */
  events: readonly string[];
  sealedSecret: string;
}

/** Creates an active endpoint; of an existing one it changes only the address. */
export async function putEndpoint(sql: Postgres, endpoint: NewEndpoint): Promise<void> {
  const { id, merchantId, environment, url, events, sealedSecret } = endpoint;
  await sql`
    insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
    values (${id}, ${merchantId}, ${environment}, ${url}, ${[...events]}::text[], ${sealedSecret})
    on conflict (id) do update set url = excluded.url`;
}
