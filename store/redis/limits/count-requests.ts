// The buckets of rate limits, which several processes share (lua/count-requests.lua).
import type { Log } from '#ops/runtime/log.js';
import { createCounter, type Registry } from '#ops/runtime/metrics.js';
import { isReady, type RedisClient } from '../client.js';
import { buildLimitKey } from '../keys.js';
import { loadScript, runScript } from '../scripts.js';

export interface BucketCount {
  readonly bucket: string;
  readonly addMs: number;
  /** The bucket never holds more. */
  readonly capMs: number;
}

const SCRIPT = loadScript('count-requests');

export interface RequestCountDeps {
  readonly redis: RedisClient;
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** `countRequests`, whose failures are counted, and logged when they begin and end. */
export function createRequestCount({
  redis,
  registry,
  log,
}: RequestCountDeps): (counts: readonly BucketCount[]) => Promise<number[]> {
  const failures = createCounter(
    registry,
    'rate_limit_failures_total',
    'Calls of Redis for rate limits that failed, so that this process counted for itself',
  );
  let isFailing = false;
  return async (counts) => {
    try {
      const levels = await countRequests(redis, counts);
      if (isFailing) log.info('Redis counts the requests of rate limits again');
      isFailing = false;
      return levels;
    } catch (error) {
      failures.inc();
      if (!isFailing) log.warn({ err: error }, FAILED);
      isFailing = true;
      throw error;
    }
  };
}

const FAILED =
  'Redis did not count the requests of rate limits, so this process counts for itself until it does. If Redis is up: its ' +
  'user needs EVAL and EVALSHA on keys that begin with {limits}, and these keys hold numbers; delete others';

/** Adds to the buckets and returns the level of each in ms. Rejects when Redis does not answer. */
export async function countRequests(
  redis: RedisClient,
  counts: readonly BucketCount[],
): Promise<number[]> {
  if (!isReady(redis)) throw new Error('Redis is not connected');
  const words: number[] = [];
  for (const { addMs, capMs } of counts) words.push(convertToMicros(addMs), convertToMicros(capMs));
  const keys = counts.map(({ bucket }) => buildLimitKey(bucket));
  const levels: unknown = await runScript(redis, SCRIPT, keys, words);
  if (!Array.isArray(levels)) throw new Error('count-requests.lua did not return a list');
  return levels.map((level) => Number(level) / 1000);
}

const convertToMicros = (ms: number): number => Math.round(ms * 1000);
