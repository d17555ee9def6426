// The answer to INFO, which every user of ops/deploy/redis-users.acl may ask for.
import type { RedisClient } from './client.js';

/** A field by its name: `maxmemory`, `aof_enabled`. undefined: this server does not tell it. */
export type ServerInfo = (name: string) => string | undefined;

export async function readServerInfo(redis: RedisClient): Promise<ServerInfo> {
  const lines = (await redis.info()).split('\r\n').map((line) => line.split(':'));
  const fields = new Map(lines.map(([name = '', ...value]) => [name, value.join(':')]));
  return (name) => fields.get(name);
}

/** Rejects with NOPERM for the users of processes, which may not send CONFIG. */
export async function readSetting(redis: RedisClient, name: string): Promise<string | undefined> {
  const [, value] = await redis.config('GET', name);
  return value;
}
