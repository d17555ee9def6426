// An endpoint of the demo and of tests, put where it belongs whatever stands there. Secrets come as ciphertexts only.
import type { Postgres } from '../client.js';

export interface NewEndpoint {
  id: string;
  merchantId: string;
  environment: 'TEST' | 'LIVE';
  url: string;
  /** Event types, or `['*']`. */
  events: readonly string[];
  sealedSecret: string;
}

/** Stores an active endpoint; one that is there already keeps everything but its address. */
export async function putEndpoint(sql: Postgres, endpoint: NewEndpoint): Promise<void> {
  const { id, merchantId, environment, url, events, sealedSecret } = endpoint;
  await sql`
    insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
    values (${id}, ${merchantId}, ${environment}, ${url}, ${[...events]}::text[], ${sealedSecret})
    on conflict (id) do update set url = excluded.url`;
}
