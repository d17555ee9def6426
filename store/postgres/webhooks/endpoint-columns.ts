// A webhook endpoint as its owner sees it. Its secret is not part of it: that is shown once, by whoever made it.
import type { Environment } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { Postgres } from '../client.js';

/** What an endpoint wants to hear of; `*`: everything, also what is added later. */
export type EventFilter = readonly WebhookType[] | readonly ['*'];

export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly events: EventFilter;
  readonly active: boolean;
  readonly createdAt: Date;
  /** While a rotation overlaps: when the new secret alone will sign. */
  readonly switchAt: Date | null;
}

/** Whose endpoint: an id of another merchant is as unknown as one that never was. */
export interface EndpointKey {
  readonly id: string;
  readonly merchantId: string;
}

/** The columns of `WebhookEndpoint`, of the table `webhook_endpoints w`. */
export const selectEndpointColumns = (sql: Postgres) => sql`
  w.id, w.merchant_id as "merchantId", w.environment, w.url, to_json(w.events) as events, w.active,
  w.created_at as "createdAt", case when w.switch_at > now() then w.switch_at end as "switchAt"`;
