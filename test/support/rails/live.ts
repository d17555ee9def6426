// A service that takes LIVE payments: real gateway and payments processes, an approved merchant, and the calls to scripted
// rails in the test's own process, so that a test sees the commands that they send.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import { createCommandSender, startPendingCommands } from '#actors/rails/command-sender.js';
import { listAvailability } from '#actors/rails/publish-availability.js';
import { serveRails } from '#actors/rails/serve-rails.js';
import { openCallStore, openPendingCommands } from '#actors/rails/calls/ports.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { putAvailability } from '#store/postgres/rails/rail-availability.js';
import { openRedis, type RedisClient, waitUntilReady } from '#store/redis/client.js';
import { BackgroundSender } from '#store/redis/background-sender.js';
import { readClaims } from '#store/postgres/payments/partition-leases.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from '../api.js';
import { COMMAND_KEYS, createTestMerchant, type Service, startService } from '../processes.js';
import { createDatabase, type TestScope } from '../servers.js';
import { BASE_URL } from '../serving.js';
import type { ScriptedRail } from './scripted-rail.js';

const PARTITIONS = 16;
const OFFER_EVERY_MS = 5_000;

export interface LiveOptions {
  readonly rails: readonly ScriptedRail[];
  readonly timeoutMs?: number;
  readonly scheduleS?: readonly number[];
  readonly variables?: Readonly<Record<string, string>>;
}

export interface LiveService extends Service {
  /** With the merchant's live key. */
  readonly live: Api;
  readonly sql: Postgres;
  /** Commands that were sent to payments. */
  readonly sent: readonly PaymentCommand[];
}

export async function startLiveService(t: TestScope, options: LiveOptions): Promise<LiveService> {
  const databaseUrl = await createDatabase(t);
  const service = await startService(t, {
    databaseUrl,
    variables: { BASE_URL, ...options.variables },
  });
  const merchant = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
  const sql = openPostgres(databaseUrl, 'test', 4);
  const redis = openRedis(service.redis.url, () => {});
  const subscriber = openRedis(service.redis.url, () => {});
  await waitUntilReady(redis, 5_000);
  const sent: PaymentCommand[] = [];
  const served = startRails(options, { sql, redis, sent });
  subscribeRailCalls(subscriber, served.wake);
  const rails = options.rails.map(({ rail }) => rail);
  // As a rails process does: an offer that is not renewed ends.
  const offering = startLoop({
    name: 'offers of scripted rails',
    everyMs: OFFER_EVERY_MS,
    log: createLog({ logLevel: 'silent' }, 'rails'),
    work: () => putAvailability(sql, listAvailability(rails, new Map())),
  });
  t.teardown(async () => {
    await offering.stop();
    await served.stop();
    redis.disconnect();
    subscriber.disconnect();
    await sql.end({ timeout: 1 });
  });
  const live = openApi(service.baseUrl, merchant.liveKey);
  await waitUntil('methods are offered', async () => {
    const { body } = await live.call('/v1/payment-methods');
    return (body['data'] as unknown[]).length >= CHARGEABLE_METHODS.length;
  });
  return { ...service, live, sql, sent };
}

interface RailDeps {
  readonly sql: Postgres;
  readonly redis: RedisClient;
  readonly sent: PaymentCommand[];
}

/** Calls, status inquiries and pending commands, as main.ts wires them. */
function startRails(
  { rails, timeoutMs = 3_000, scheduleS = [1, 1, 1] }: LiveOptions,
  { sql, redis, sent }: RailDeps,
) {
  const log = createLog({ logLevel: 'silent' }, 'rails');
  const abandonCalls = new AbortController();
  const sender = { name: 'rails-test', source: 'rails', keys: COMMAND_KEYS.rails } as const;
  const clock = SYSTEM_CLOCK;
  const append = createCommandSender({
    ...{ redis, sender, countPartitions: () => PARTITIONS, clock, log },
  });
  const send = (command: PaymentCommand): void => {
    sent.push(command);
    append(command);
  };
  const served = serveRails(
    {
      ...{ store: openCallStore(sql), clock, timeoutMs, scheduleS, send, log },
      giveUp: abandonCalls.signal,
      isOn: () => true,
      onAnswer: () => {},
    },
    rails.map(({ rail }) => rail),
  );
  const background = new BackgroundSender({
    ...{ redis, sender, countPartitions: () => PARTITIONS },
    readPositions: (partitions) => readClaims(sql, partitions),
  });
  const pending = startPendingCommands({
    ...{ store: openPendingCommands(sql), background, clock, log },
  });
  return {
    wake: served.wake,
    stop: async () => {
      abandonCalls.abort();
      await Promise.all([served.stop(), pending.stop()]);
    },
  };
}
