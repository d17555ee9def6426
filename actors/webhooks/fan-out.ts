// From events to deliveries: woken by commits, and looking by itself four times a second, since a wake-up
// can be lost. What was made goes on to the ready streams; what does not get there is found by the reconciler.
import type { FannedOut, NewDelivery } from '#store/postgres/webhooks/fan-out.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';

const POLL_MS = 250;

export interface FanOutDeps {
  /** How its outages are told. */
  name: string;
  stopping: AbortSignal;
  fanOut: () => Promise<FannedOut>;
  enqueue: (deliveries: readonly NewDelivery[]) => Promise<unknown>;
  onEvents: (count: number) => void;
  /** `<payment> <version>` of events whose envelope cannot be read. */
  onQuarantined: (events: readonly string[]) => void;
  log: Log;
}

export interface FanOut {
  wake: () => void;
  /** Resolves when the process stops. */
  run: () => Promise<void>;
}

export function createFanOut(parts: FanOutDeps): FanOut {
  const outage = new RetryLoop(parts.log, parts.name);
  let isWoken = false;
  let wakeSleeper: () => void = () => {};
  const wake = (): void => {
    isWoken = true;
    wakeSleeper();
  };
  parts.stopping.addEventListener('abort', wake, { once: true });
  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      if (isWoken) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, POLL_MS);
      wakeSleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async (): Promise<void> => {
    while (!parts.stopping.aborted) {
      isWoken = false;
      const made = await outage.retry(parts.stopping, parts.fanOut);
      if (made === undefined) return;
      parts.onEvents(made.events);
      if (made.quarantined.length > 0) parts.onQuarantined(made.quarantined);
      if (made.deliveries.length > 0) await parts.enqueue(made.deliveries).catch(() => null);
      if (made.events === 0) await rest();
    }
  };
  return { wake, run };
}
