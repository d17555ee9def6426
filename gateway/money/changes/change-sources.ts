// The sources of changes. Postgres is asked what has happened since the last reading. Attempts and replays of deliveries
// are announced in Redis instead: a reading of them would need an index that every attempt pays for.
import { runWithDeadline } from '#ops/runtime/deadline.js';
import { findEndpointsOf } from '#store/postgres/changes/endpoint-changes.js';
import { type ReadPositions, readPaymentChanges } from '#store/postgres/changes/payment-changes.js';
import { type PayoutSnapshot, readPayoutChanges } from '#store/postgres/changes/payout-changes.js';
import type { Postgres } from '#store/postgres/client.js';
import type { RedisClient } from '#store/redis/client.js';
import { subscribeDeliveries, type WokenEndpoints } from '#store/redis/wake-up.js';
import type { ChangeSource } from './change-feed.js';

/** Without Redis the other changes are told, and deliveries once it is back. */
const SUBSCRIBE_MS = 1_000;
/** Endpoints between two readings; with more, any may have changed. */
const MAX_ENDPOINTS = 10_000;

/** `subscriber`: a connection of subscriptions. */
export const openChangeSources = (
  sql: Postgres,
  subscriber: RedisClient,
): readonly ChangeSource[] => [
  openPayments(sql),
  openPayouts(sql),
  openDeliveries(sql, subscriber),
];

function openPayments(sql: Postgres): ChangeSource {
  let after: ReadPositions = new Map();
  return {
    permission: 'read_payments',
    read: async (merchants) => {
      const { positions, ...changes } = await readPaymentChanges(sql, after, merchants);
      after = positions;
      return changes;
    },
    rest: () => {
      after = new Map();
    },
  };
}

function openPayouts(sql: Postgres): ChangeSource {
  let after: PayoutSnapshot | null = null;
  return {
    permission: 'read_payouts',
    read: async (merchants) => {
      const { snapshot, ...changes } = await readPayoutChanges(sql, after, merchants);
      after = snapshot;
      return changes;
    },
    rest: () => {
      after = null;
    },
  };
}

/** Listens while somebody follows. */
function openDeliveries(sql: Postgres, subscriber: RedisClient): ChangeSource {
  /** Since the last reading; null: any endpoint. */
  let announced: Set<string> | null = new Set();
  let unsubscribe: (() => void) | undefined;
  const note = (endpoints: WokenEndpoints): void => {
    if (announced === null) return;
    if (endpoints === undefined || announced.size > MAX_ENDPOINTS) announced = null;
    else for (const id of endpoints) announced.add(id);
  };
  const subscribe = async (): Promise<void> => {
    const subscribed = new Promise<void>((resolve) => {
      unsubscribe = subscribeDeliveries(subscriber, (endpoints) => {
        note(endpoints);
        resolve();
      });
    });
    await runWithDeadline(subscribed, SUBSCRIBE_MS).catch(() => null);
    // No page was told before this that it shows the newest state.
    announced = new Set();
  };
  return {
    permission: 'read_webhooks',
    read: async (merchants) => {
      if (unsubscribe === undefined) await subscribe();
      const read = announced;
      announced = new Set();
      if (read === null) return { changes: [], isComplete: false };
      if (read.size === 0) return { changes: [], isComplete: true };
      try {
        return { changes: await findEndpointsOf(sql, [...read], merchants), isComplete: true };
      } catch (error) {
        announced = null;
        throw error;
      }
    },
    rest: () => {
      unsubscribe?.();
      unsubscribe = undefined;
    },
  };
}
