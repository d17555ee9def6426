// A webhook endpoint as its merchant sees it. The secret is shown only once, when it is created, so it is not part of it.
import type { Environment } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { Postgres } from '../client.js';

/** Event types that the endpoint receives; `*`: all types, future ones included. */
export type EventFilter = readonly WebhookType[] | readonly ['*'];

export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly environment: Environment;
  readonly url: string;
  readonly events: EventFilter;
  readonly active: boolean;
  readonly createdAt: Date;
  /** During a rotation: when the new secret becomes the only one; else null. */
  readonly switchAt: Date | null;
}

/** Another merchant's id is treated like an unknown one. */
export interface EndpointKey {
  readonly id: string;
  readonly merchantId: string;
}

/** Columns of `WebhookEndpoint`, from `webhook_endpoints w`. */
export const selectEndpointColumns = (sql: Postgres) => sql`
  w.id, w.merchant_id as "merchantId", w.environment, w.url, to_json(w.events) as events, w.active,
  w.created_at as "createdAt", case when w.switch_at > now() then w.switch_at end as "switchAt"`;
