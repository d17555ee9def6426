// The filter that lists, counts, replays and drops of dead letters share, and the audit log of replays and drops.
import type { Environment } from '#actors/core/ids.js';
import type { WebhookType } from '#actors/core/schemas/event.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import type { Postgres } from '#store/postgres/client.js';
import { selectChain } from '#store/postgres/operations/audit.js';

/** null matches every value. */
export interface DeadLetterScope {
  /** Only operators may pass null. */
  readonly merchantId: string | null;
  readonly environment: Environment | null;
  readonly endpointId: string | null;
  readonly type: WebhookType | null;
  readonly reason: DeliveryFailure | null;
  /** It died, or its latest attempt failed, at this time or later. */
  readonly from: Date | null;
  /** … at this time or earlier. */
  readonly to: Date | null;
}

export const FULL_SCOPE: DeadLetterScope = {
  ...{ merchantId: null, environment: null, endpointId: null, type: null, reason: null },
  ...{ from: null, to: null },
};

/** Conditions on `webhook_deliveries d join webhook_endpoints w`. */
export const filterDeadIn = (sql: Postgres, scope: DeadLetterScope) => sql`
  d.status = 'dead' and ${selectEndpointsIn(sql, scope)}
  and (${scope.type}::text is null or d.type = ${scope.type})
  and (${scope.reason}::text is null or d.reason = ${scope.reason})
  and d.settled_at >= coalesce(${scope.from}::timestamptz, '-infinity')
  and d.settled_at <= coalesce(${scope.to}::timestamptz, 'infinity')`;

/** Conditions on `webhook_endpoints w`. */
export const selectEndpointsIn = (
  sql: Postgres,
  { merchantId, environment, endpointId }: DeadLetterScope,
) => sql`
  (${merchantId}::text is null or w.merchant_id = ${merchantId})
  and (${environment}::text is null or w.environment = ${environment})
  and (${endpointId}::text is null or w.id = ${endpointId})`;

/** Text for the audit log and for operators. */
export function describeScope(scope: DeadLetterScope): string {
  const parts = Object.entries(scope).flatMap(([name, value]: [string, string | Date | null]) =>
    value === null ? [] : [`${name}=${value instanceof Date ? value.toISOString() : value}`],
  );
  return parts.length === 0 ? 'all' : parts.join(' ');
}

export interface DoneBy {
  /** The id of a user, or `operator <name>`. */
  readonly actor: string;
  /** The client's address; null: an operator's command. */
  readonly address: string | null;
}

/** Values of `audit_log (chain, actor, address, action, target)`. */
export const selectAuditValues = (
  sql: Postgres,
  { actor, address, merchantId }: DoneBy & { readonly merchantId: string | null },
  action: string,
  target: string,
) =>
  sql`${selectChain(sql, merchantId)}, ${actor}::text, ${address}::text, ${action}::text, ${target}::text`;
