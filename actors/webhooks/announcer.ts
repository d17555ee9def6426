// Tells gateways which endpoints had attempts or replays, for pages that show them. An attempt costs an entry of a set: the endpoints of
// a moment are announced together, and a gateway listens only while such a page is open. A lost announcement costs a page
// the time until its next poll.
import type { Clock } from '#ops/runtime/clock.js';

const COLLECT_MS = 200;
/** More are announced at once. */
const MAX_ENDPOINTS = 1_000;

/** Returns the function that announces an endpoint. */
export function createAnnouncer(
  publish: (endpointIds: readonly string[]) => Promise<unknown>,
  clock: Clock,
): (endpointId: string) => void {
  let changed = new Set<string>();
  let cancel: (() => void) | undefined;
  const announce = (): void => {
    cancel?.();
    cancel = undefined;
    const ids = [...changed];
    changed = new Set();
    publish(ids).catch(() => null);
  };
  return (endpointId) => {
    changed.add(endpointId);
    if (changed.size >= MAX_ENDPOINTS) announce();
    else cancel ??= clock.startTimer(COLLECT_MS, announce);
  };
}
