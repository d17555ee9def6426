// The person who replays or drops dead letters. The statement that does it also writes the audit log, so both happen or
// neither does.
import type { Postgres } from '#store/postgres/client.js';

export interface DoneBy {
  /** The id of a user, or `operator <name>`. */
  readonly actor: string;
  /** The client's address; null: an operator's command. */
  readonly address: string | null;
}

/** Values of `audit_log (actor, address, action, target)`. */
export const selectAuditValues = (
  sql: Postgres,
  { actor, address }: DoneBy,
  action: string,
  target: string,
) => sql`${actor}::text, ${address}::text, ${action}::text, ${target}::text`;
