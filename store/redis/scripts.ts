// The Lua scripts of lua/, read once from the source tree and called by their digest.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import type { RedisClient } from './client.js';
import { NO_ANSWER, Pipelines } from './pipelines.js';

export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** The script `lua/<verb>.lua`, behind the functions of `lua/<shared>.lua`. */
export function loadScript(verb: string, ...shared: readonly string[]): Script {
  const text = [...shared, verb].map(readScript).join('');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

const readScript = (name: string): string =>
  readFileSync(join(findPackageRoot(), 'store', 'redis', 'lua', `${name}.lua`), 'utf8');

/** Sends the script's text only if the server does not know its digest: at first, and after a restart. */
export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  words: readonly (string | number | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(script.digest, keys.length, ...keys, ...words);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(script.text, keys.length, ...keys, ...words);
  }
}

export interface ScriptCall {
  /** Of one slot. */
  readonly keys: readonly string[];
  readonly words: readonly (string | number)[];
}

/**
 * Runs a script many times in one turn, and returns the results in the order of the calls. Rejects when one of them
 * fails; the others may have succeeded.
 */
export async function runScripts(
  redis: RedisClient,
  script: Script,
  calls: readonly ScriptCall[],
): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const pipelines = new Pipelines(redis);
  for (const { keys, words } of calls) {
    pipelines.to(keys[0] ?? '').evalsha(script.digest, keys.length, ...keys, ...words);
  }
  const answers = await pipelines.exec();
  return Promise.all(
    calls.map(({ keys, words }, index) => {
      const [error, answer] = answers[index] ?? NO_ANSWER;
      if (error === null) return answer;
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(script.text, keys.length, ...keys, ...words);
    }),
  );
}
