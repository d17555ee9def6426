// What the handlers of the key API and of the sandbox share.
import type { DeriveIdBytes } from '#actors/core/ids.js';
import type { SwitchBoard } from '#store/postgres/operations/kill-switches.js';
import type { Dispatcher } from '../commands/dispatcher.js';
import type { LiveOffers } from './rail-availability.js';
import type { StoreParts } from '../routing/ask-store.js';

export interface ApiParts extends StoreParts {
  dispatcher: Dispatcher;
  /** The stored snapshot of a payment; reads of one event-loop turn are one query. */
  readSnapshot: (id: string) => Promise<string | undefined>;
  deriveIdBytes: DeriveIdBytes;
  partitions: number;
  baseUrl: string;
  /** Whether operators let it be taken. */
  isSwitchedOn: SwitchBoard['isOn'];
  /** What rails offer now. */
  live: LiveOffers;
  /** How long a LIVE create waits for its rail. */
  liveWaitMs: number;
}
