// The webhooks process creates deliveries for events and delivers them, and maintains what surrounds them. Any number
// of these processes share the work (followers/work-share.ts); each one continues the work of a process that died.
import { nanoid } from 'nanoid';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { startProcess } from '#ops/runtime/process.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openPartitionCount } from '#store/postgres/migration/partition-count.js';
import { checkSecretsKeys } from '#store/postgres/operations/sealed-values.js';
import { isFormerMaster, readClaims } from '#store/postgres/payments/partition-leases.js';
import { openFrameSender } from '#store/postgres/payments/frame-version.js';
import { subscribeDue } from '#store/postgres/webhooks/due-deliveries.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { BackgroundSender } from '#store/redis/background-sender.js';
import type { RedisClient } from '#store/redis/client.js';
import { startServerWatch } from '#store/redis/server-watch.js';
import { publishDeliveries, subscribeEvents } from '#store/redis/wake-up.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import { createAnnouncer } from './announcer.js';
import { openDeliveryStore } from './deliveries/ports.js';
import { openPoster, startDeliveries } from './deliveries/start-deliveries.js';
import {
  startFanOut,
  startPaymentFollower,
  startPaymentFollowerMetrics,
} from './followers/fan-out.js';
import { openFollowerLag } from './followers/follower-lag.js';
import { startApiLogWriter } from './followers/api-log-writer.js';
import { startReplays, startRetention } from './deliveries/dead-letters.js';
import { startEraser } from './followers/eraser.js';
import { startSearch } from './followers/search-indexing.js';
import { openStores, waitForRedis } from './stores.js';
import { startTotals } from './followers/totals.js';
import { startWorkShare } from './followers/work-share.js';

const run = await startProcess('webhooks');
const { config, log, lifecycle, registry, tracer } = run;
const consumer = `webhooks-${process.pid}-${nanoid(8)}`;
const stores = openStores(config, lifecycle, log);
const { reads, redis, commandsRedis } = stores;

const found = await checkInstallation(stores.fanOut, config);
const count = openPartitionCount(run, { sql: reads, found });
await checkSecretsKeys(reads, config.secretsKeys);
await ensureCursors(reads);
await waitForRedis(stores);

const { stopping } = lifecycle;
const clock = SYSTEM_CLOCK;
const sender = await openFrameSender(run, { name: consumer, source: 'webhooks', sql: reads });
const share = await startWorkShare({
  ...{ redis, name: consumer, countPartitions: count.read, clock, log },
  probePostgres: () => reads`select 1`,
});
const announce = createAnnouncer((ids) => publishDeliveries(commandsRedis, ids), clock);
const stopDeliveries = startDeliveries({
  store: openDeliveryStore({ ...stores, reads: stores.deliveries }, tracer !== undefined),
  poster: openPoster(config),
  ...{ redis, blockingRedis: stores.blockingRedis, config, consumer, share },
  ...{ onRecorded: announce, stopping, registry, random: Math.random, clock, log, tracer },
});
const watchServer = (asked: readonly RedisClient[], subscribed: readonly RedisClient[]) =>
  startServerWatch({
    ...{ asked, subscribed, log },
    isFormerMaster: (runIds) => isFormerMaster(reads, runIds),
  });
const fanOutFollower = startFanOut({
  ...{ redis, share, registry, clock, log },
  fanOut: (partitions) => fanOut(stores.fanOut, partitions),
});
const paymentFollower = startPaymentFollower(stores.paymentFollower, { share, clock, log });
const noteProgress = openFollowerLag(registry, clock);
const loops = [
  // Deliveries may have a server of their own.
  watchServer([commandsRedis], [stores.subscribedRedis]),
  watchServer([redis, stores.blockingRedis], []),
  fanOutFollower,
  paymentFollower,
  startPaymentFollowerMetrics(reads, registry, noteProgress, log),
  startTotals({ sql: stores.totals, share, noteProgress, clock, log }),
  startSearch({ sql: stores.search, share, noteProgress, clock, log }),
  startReplays({ sql: reads, redis, onStep: announce, log }),
  startRetention(reads, log),
  startApiLogWriter({ sql: reads, redis: commandsRedis, consumer, registry, log }),
  startEraser({
    ...{ sql: reads, config, registry, log },
    background: new BackgroundSender({
      ...{ redis: commandsRedis, sender, countPartitions: count.read },
      readPositions: (partitions) => readClaims(reads, partitions),
    }),
  }),
];
// All at once: each of them waits for its round under way.
lifecycle.onStop('background work', () =>
  Promise.all([stopDeliveries(), ...loops.map((loop) => loop.stop())]),
);
// First, so that the others take the share over while this process ends its attempts.
lifecycle.onStop('work share', () => share.stop());

subscribeEvents(stores.subscribedRedis, (partitions) => {
  fanOutFollower.wake(partitions);
  paymentFollower.wake(partitions);
});
const stopNotifications = subscribeDue(config.databaseUrlDirect, (deliveries) => {
  const own = deliveries.filter(({ endpointId }) => share.ownsEndpoint(endpointId));
  enqueueDeliveries(redis, own).catch(() => null);
});
lifecycle.onStop('notifications', stopNotifications);
lifecycle.ready();
