// The rails as operators see them: what each offers now, and how many of its calls have no known outcome.
import type { Postgres } from '../client.js';

export interface OfferedMethod {
  readonly method: string;
  /** Rails of a method are tried in this order. */
  readonly rank: number;
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly isRefundable: boolean;
}

export interface RailHealth {
  readonly rail: string;
  /** The rail takes no charges until then; null: it is not paused. */
  readonly restsUntil: Date | null;
  /** When a rails process last offered it. */
  readonly seenAt: Date;
  /** A rails process offered it within `silentMs`. */
  readonly isSeen: boolean;
  readonly methods: readonly OfferedMethod[];
  readonly unknownCalls: number;
  /** The oldest of the unknown calls. */
  readonly unknownSince: Date | null;
}

/** A rail that no rails process has offered for so long is configured no more. */
const CONFIGURED_WITHIN = '30 days';

/** Reads the rails by name. */
export async function readRailHealth(sql: Postgres, silentMs: number): Promise<RailHealth[]> {
  return sql<RailHealth[]>`
    select o.rail, max(o.rests_until) filter (where o.rests_until > now()) as "restsUntil",
           max(o.seen_at) as "seenAt",
           max(o.seen_at) > now() - ${silentMs}::float8 * interval '1 millisecond' as "isSeen",
           jsonb_agg(jsonb_build_object(
             'method', o.method, 'rank', o.rank, 'minAmount', o.min_amount::text,
             'maxAmount', o.max_amount::text, 'isRefundable', o.is_refundable)
             order by o.method) as methods,
           coalesce(max(c.calls), 0)::integer as "unknownCalls", min(c.since) as "unknownSince"
      from rail_offers o
      left join (select rail, count(*) as calls, min(unknown_at) as since from rail_calls
                  where state = 'sent' and unknown_at is not null group by rail) c
        on c.rail = o.rail
     where o.seen_at > now() - ${CONFIGURED_WITHIN}::text::interval
     group by o.rail order by o.rail`;
}
