// A started service takes payments once its gateway is ready and a payments process has created the stream of every
// partition. Before that a create is answered 503, which is safe but a bad welcome.
import { buildCommandsKey } from '#store/redis/keys.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import { waitUntil } from './wait-until.js';

const ANSWER_MS = 2_000;

export interface ServiceAddress {
  readonly port: number;
  readonly redisUrl: string;
  readonly partitions: number;
}

/** @throws Error after `deadlineMs`; it names the missing part */
export async function waitForService(place: ServiceAddress, deadlineMs: number): Promise<void> {
  const redis = openRedis(place.redisUrl, () => {});
  try {
    await waitUntil(
      'the payments processes own every partition',
      () => hasStreams(redis, place.partitions),
      deadlineMs,
    );
  } finally {
    redis.disconnect();
  }
  await waitUntil('the gateway is ready', () => isGatewayReady(place.port), deadlineMs);
}

async function hasStreams(redis: RedisClient, partitions: number): Promise<boolean> {
  const keys = Array.from({ length: partitions }, (_, partition) => buildCommandsKey(partition));
  const found = await Promise.all(keys.map((key) => redis.exists(key)));
  return found.every((count) => count === 1);
}

async function isGatewayReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  await answer.body?.cancel();
  return answer.status === 200;
}
