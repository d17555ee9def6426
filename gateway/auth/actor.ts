// Who acts, for the audit log. To be read before the first await: the address is gone with the client.
import type { Actor } from '#store/postgres/operations/audit.js';
import type { Session } from '../routing/session.js';

export function buildActor({
  session,
  address,
}: {
  readonly session: Session;
  readonly address: string;
}): Actor {
  return { userId: session.userId, address };
}
