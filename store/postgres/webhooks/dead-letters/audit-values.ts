// Who replays or drops. It is written to the audit log by the statement that does it: neither is without the
// other.
import type { Postgres } from '#store/postgres/client.js';

export interface DoneBy {
  /** The id of a user, or `operator <name>`. */
  readonly actor: string;
  /** Of the client; null: on a machine of ours. */
  readonly address: string | null;
}

/** The values of `audit_log (actor, address, action, target)`. */
export const selectAuditValues = (
  sql: Postgres,
  { actor, address }: DoneBy,
  action: string,
  target: string,
) => sql`${actor}::text, ${address}::text, ${action}::text, ${target}::text`;
