// Notes in Postgres when the pauses of endpoints end, so that pages can show them: the breakers are in the memory of this process.
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { EndpointPause } from '#store/postgres/webhooks/record-attempts.js';
import type { DeliveryStore } from './ports.js';

/** Pauses that one statement notes. */
const MAX_PAUSES = 256;

interface PauseNoteDeps {
  readonly store: Pick<DeliveryStore, 'notePauses'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The notes are for people: one that is lost is made again with the next pause. */
export function createPauseNotes({
  store,
  clock,
  log,
}: PauseNoteDeps): (endpointId: string, pauseMs: number) => void {
  const note = createBatcher<EndpointPause, void>({
    ...{ maxItems: MAX_PAUSES, isSerial: true, clock },
    run: async (pauses) => {
      try {
        await store.notePauses(pauses);
      } catch (error) {
        log.warn(
          { err: error },
          'noting the pauses of endpoints failed; the next pause is noted anew',
        );
      }
      return pauses.map(() => undefined);
    },
  });
  return (endpointId, pauseMs) => void note({ endpointId, pauseMs });
}
