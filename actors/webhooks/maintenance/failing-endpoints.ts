// Endpoints that only fail: flagged after an hour, disabled after five days, by the process that leads, a few
// times a minute.
import type { Log } from '#ops/runtime/log.js';

export interface FailingEndpointsDeps {
  /** Answers the endpoints that it flagged. */
  flagFailing: () => Promise<string[]>;
  disableFailing: () => Promise<string[]>;
  countFlagged: () => Promise<number>;
  setFlagged: (endpoints: number) => void;
  onDisabled: (endpoints: number) => void;
  log: Log;
}

export async function updateFailingEndpoints(parts: FailingEndpointsDeps): Promise<void> {
  const { flagFailing, disableFailing, countFlagged, log } = parts;
  for (const endpointId of await flagFailing()) {
    log.warn({ endpointId }, 'an endpoint has failed for an hour');
  }
  const disabled = await disableFailing();
  for (const endpointId of disabled) {
    log.warn({ endpointId }, 'an endpoint has failed for five days and was disabled');
  }
  if (disabled.length > 0) parts.onDisabled(disabled.length);
  parts.setFlagged(await countFlagged());
}
