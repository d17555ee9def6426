// What the handlers of the key API and of the sandbox share.
import type { DeriveIdBytes } from '#actors/core/ids.js';
import type { KillSwitches } from '#store/postgres/operations/kill-switches.js';
import type { Dispatcher } from '../commands/dispatcher.js';
import type { AvailabilityReader } from './rail-availability.js';
import type { ListDeps } from '../lists/listing.js';

export interface ApiDeps extends ListDeps {
  /** Logs a failure that the handler answers itself. */
  readonly onError: (error: unknown) => void;
  dispatcher: Dispatcher;
  /** The stored snapshot of a payment; reads of one event-loop turn are one query. */
  readSnapshot: (id: string) => Promise<string | undefined>;
  deriveIdBytes: DeriveIdBytes;
  partitions: number;
  /** Whether operators let it be taken. */
  isSwitchedOn: KillSwitches['isOn'];
  /** What rails offer now. */
  railAvailability: AvailabilityReader;
  /** How long a LIVE create waits for its rail. */
  liveReplyWaitMs: number;
}
