// From events to deliveries: woken by commits, and looking by itself four times a second, since a wake-up
// can be lost. What was made goes on to the ready streams; what does not get there is found by the reconciler.
import type { FannedOut, NewDelivery } from '#store/postgres/webhooks/fan-out.js';
import type { Log } from '#ops/runtime/log.js';
import { Outage } from '#ops/runtime/retry-loop.js';

const POLL_MS = 250;

export interface FanOutParts {
  /** How its outages are told. */
  name: string;
  stopping: AbortSignal;
  fanOut: () => Promise<FannedOut>;
  enqueue: (deliveries: readonly NewDelivery[]) => Promise<unknown>;
  onEvents: (count: number) => void;
  /** `<payment> <version>` of events whose envelope cannot be read. */
  onSetAside: (events: readonly string[]) => void;
  log: Log;
}

export interface FanOut {
  wake: () => void;
  /** Resolves when the process stops. */
  run: () => Promise<void>;
}

export function createFanOut(parts: FanOutParts): FanOut {
  const outage = new Outage(parts.log, parts.name);
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
      const made = await outage.persist(parts.stopping, parts.fanOut);
      if (made === undefined) return;
      parts.onEvents(made.events);
      if (made.setAside.length > 0) parts.onSetAside(made.setAside);
      if (made.deliveries.length > 0) await parts.enqueue(made.deliveries).catch(() => null);
      if (made.events === 0) await rest();
    }
  };
  return { wake, run };
}
