// Dependencies of the handlers that send commands to payments and read them.
import type { DeriveIdBytes } from '#actors/core/ids.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import type { Dispatcher } from './dispatcher.js';
import type { AvailabilityReader } from './read-availability.js';
import type { ListDeps } from '../lists/listing.js';

export interface ApiDeps extends ListDeps {
  /** Logs a failure that the handler answers itself. */
  readonly onError: (error: unknown) => void;
  dispatcher: Dispatcher;
  /** The stored snapshot of a payment. Reads of one event-loop turn are batched into one query. */
  readSnapshot: (id: string) => Promise<string | undefined>;
  deriveIdBytes: DeriveIdBytes;
  isSwitchedOn: KillSwitches['isOn'];
  railAvailability: AvailabilityReader;
  /** How long a LIVE command waits for its rail. */
  liveReplyWaitMs: number;
}
