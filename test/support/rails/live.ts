// A service that takes LIVE payments: real gateways and payments processes, an approved merchant, and the machinery of
// rails in the test's own process, so that a test can stop it between any two of its steps.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import { createCommandSender } from '#actors/rails/command-sender.js';
import { runFactSender } from '#actors/rails/fact-sender.js';
import { listAvailability } from '#actors/rails/rail-availability.js';
import { createBatchWriter } from '#actors/rails/batch-writer.js';
import { serveRail, type ServedRail } from '#actors/rails/serve-rail.js';
import { createLog } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { deleteFacts, loadFacts } from '#store/postgres/rails/facts.js';
import { putAvailability, pauseAvailability } from '#store/postgres/rails/rail-availability.js';
import { type CallAnswer, recordAnswers } from '#store/postgres/rails/record-answers.js';
import { type RecordedInquiry, recordInquiries } from '#store/postgres/rails/inquiries.js';
import { openRedis, type RedisClient, waitUntilReady } from '#store/redis/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from '../api.js';
import { createTestMerchant, type Service, startService } from '../processes.js';
import { createDatabase, type TestScope } from '../servers.js';
import { BASE_URL } from '../serving.js';
import type { ScriptedRail } from './scripted-rail.js';

export const PARTITIONS = 16;

export interface LiveOptions {
  readonly rails: readonly ScriptedRail[];
  readonly timeoutMs?: number;
  readonly scheduleS?: readonly number[];
  readonly variables?: Readonly<Record<string, string>>;
}

export interface LiveService extends Service {
  /** With the merchant's live key, and with its test key. */
  readonly live: Api;
  readonly test: Api;
  readonly sql: Postgres;
  readonly redisClient: RedisClient;
  readonly served: readonly ServedRail[];
  /** What the machinery has sent to payments. */
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
  const redisClient = openRedis(service.redis.url, () => {});
  const hearing = openRedis(service.redis.url, () => {});
  await waitUntilReady(redisClient, 5_000);
  const sent: PaymentCommand[] = [];
  const machinery = serveRails(options, { sql, redisClient, sent });
  subscribeRailCalls(hearing, (lanes) => {
    for (const one of machinery.served) one.wake(lanes);
  });
  t.teardown(async () => {
    await machinery.stop();
    redisClient.disconnect();
    hearing.disconnect();
    await sql.end({ timeout: 1 });
  });
  const live = openApi(service.baseUrl, merchant.liveKey);
  const test = openApi(service.baseUrl, merchant.testKey);
  await putAvailability(
    sql,
    listAvailability(
      options.rails.map(({ rail }) => rail),
      new Map(),
    ),
  );
  await waitUntil('methods are offered', 10_000, async () => {
    const { body } = await live.call('/v1/payment-methods');
    return (body['data'] as unknown[]).length >= CHARGEABLE_METHODS.length;
  });
  return { ...service, live, test, sql, redisClient, served: machinery.served, sent };
}

interface Shared {
  readonly sql: Postgres;
  readonly redisClient: RedisClient;
  readonly sent: PaymentCommand[];
}

/** As main.ts wires it. */
function serveRails(
  { rails, timeoutMs = 3_000, scheduleS = [1, 1, 1] }: LiveOptions,
  { sql, redisClient, sent }: Shared,
) {
  const log = createLog({ logLevel: 'silent' }, 'rails');
  const giveUp = new AbortController();
  const stopping = new AbortController();
  const append = createCommandSender({
    send: (frames) => sendFrames(redisClient, 'rails-test', frames),
    partitions: PARTITIONS,
    onError: () => {},
  });
  const send = (command: PaymentCommand): void => {
    sent.push(command);
    append(command);
  };
  const recordAnswer = createBatchWriter<CallAnswer>((all) => recordAnswers(sql, all));
  const recordLook = createBatchWriter<RecordedInquiry>((all) => recordInquiries(sql, all));
  const served = rails.map(({ rail }) =>
    serveRail({
      rail,
      sql,
      timeoutMs,
      scheduleS,
      bounded: (statement) => statement,
      ...{ recordAnswer, recordInquiry: recordLook },
      isSwitchedOn: () => true,
      send,
      onCircuitOpen: (restMs) => void pauseAvailability(sql, rail.name, restMs).catch(() => {}),
      onAnswer: () => {},
      giveUp: giveUp.signal,
      log,
    }),
  );
  const facts = runFactSender({
    stopping: stopping.signal,
    load: (after, limit, ageMs) => loadFacts(sql, after, limit, ageMs),
    deleteFacts: (ids) => deleteFacts(sql, ids),
    send,
    retryLoop: new RetryLoop(log, 'facts'),
    log,
  });
  return {
    served,
    stop: async () => {
      giveUp.abort();
      stopping.abort();
      await Promise.all(served.map((one) => one.stop()));
      await facts;
    },
  };
}
