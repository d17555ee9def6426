// The webhooks process with its servers, a merchant, an endpoint and its receiver.
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import {
  createTestMerchant,
  prepareProcess,
  type RunningProcess,
  type Variables,
} from '../processes.js';
import { createDatabase, startRedis, type TestRedis, type TestScope } from '../servers.js';
import { addEndpoint, addEvents, type TestEndpoint } from './outbox.js';
import { type Receiver, receiverVariables, startReceiver } from './receiver.js';

/** Short, so that a test waits only seconds for retries. */
const SCHEDULE = '1,1,1,1,2,2,2,2,4,4,4,4';

export interface WebhookStage {
  readonly merchantId: string;
  readonly redis: TestRedis;
  readonly redisClient: RedisClient;
  readonly databaseUrl: string;
  readonly sql: Postgres;
  readonly receiver: Receiver;
  readonly endpoint: TestEndpoint;
  readonly processes: readonly RunningProcess[];
  readonly variables: Variables;
  readonly emit: (count: number, type?: string) => Promise<string[]>;
}

export async function startWebhookStage(
  t: TestScope,
  options: { processes?: number; variables?: Variables; databaseUrl?: string } = {},
): Promise<WebhookStage> {
  const redis = await startRedis(t);
  const databaseUrl = options.databaseUrl ?? (await createDatabase(t));
  const { merchantId } = await createTestMerchant(databaseUrl);
  const sql = openPostgres(databaseUrl, 'test', 4);
  const redisClient = openRedis(redis.url, () => {});
  t.teardown(async () => {
    redisClient.disconnect();
    await sql.end({ timeout: 1 });
  });
  const receiver = await startReceiver(t);
  const endpoint = await addEndpoint(sql, merchantId, receiver.url);
  const variables = {
    REDIS_URL: redis.url,
    DATABASE_URL: databaseUrl,
    WEBHOOK_RETRY_SCHEDULE: SCHEDULE,
    ...(await receiverVariables(t)),
    ...options.variables,
  };
  const { processes: count = 1 } = options;
  const processes = await Promise.all(
    Array.from({ length: count }, () => prepareProcess(t, 'webhooks', variables)),
  );
  await Promise.all(processes.map((process) => process.start()));
  const emit = (many: number, type?: string) => addEvents(sql, merchantId, many, type);
  return {
    ...{ redis, redisClient, databaseUrl, sql, receiver, endpoint, processes, variables },
    ...{ merchantId, emit },
  };
}
