// Lua scripts of lua/, read once from the source tree and called by their digest.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../ops/runtime/package-root.js';
import type { RedisClient } from './client.js';

export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** The script `lua/<verb>.lua`. */
export function loadScript(verb: string): Script {
  const text = readFileSync(join(packageRoot(), 'store', 'redis', 'lua', `${verb}.lua`), 'utf8');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/** Runs it; a server that does not know it (yet, or since a restart) gets its text. */
export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  words: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(script.digest, keys.length, ...keys, ...words);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(script.text, keys.length, ...keys, ...words);
  }
}
