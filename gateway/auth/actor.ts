// The actor of an audit log entry. Call it before the first await: the address is empty once the client has disconnected.
import type { Actor } from '#store/postgres/operations/audit.js';
import type { Session } from '../routing/request.js';

export function buildActor({
  session,
  address,
}: {
  readonly session: Session;
  readonly address: string;
}): Actor {
  return { userId: session.userId, address, sessionId: session.id };
}
