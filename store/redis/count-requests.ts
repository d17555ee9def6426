// The buckets of rate limits, which several processes share (lua/count-requests.lua).
import { isReady, type RedisClient } from './client.js';
import { buildLimitKey } from './keys.js';
import { loadScript, runScript } from './scripts.js';

export interface BucketCount {
  readonly bucket: string;
  readonly addMs: number;
  /** The bucket never holds more. */
  readonly capMs: number;
}

const SCRIPT = loadScript('count-requests');

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
