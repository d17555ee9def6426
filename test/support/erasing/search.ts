// Searches every column of every table and every Redis key for texts.
import type { Postgres } from '#store/postgres/client.js';
import type { RedisClient } from '#store/redis/client.js';

/** `<table>: <text>` for each table that holds one of the texts, however it is stored: words that are searched are in lower case. */
export async function searchTables(sql: Postgres, texts: readonly string[]): Promise<string[]> {
  const columns = await sql<{ table: string; bytes: string[] }[]>`
    select c.table_name as table,
           coalesce(json_agg(c.column_name) filter (where c.data_type = 'bytea'), '[]') as bytes
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and t.table_type = 'BASE TABLE'
     group by c.table_name order by 1`;
  const found: string[] = [];
  for (const { table, bytes } of columns) {
    for (const text of texts) {
      const inText = sql`strpos(lower(row_::text), ${text.toLowerCase()}) > 0`;
      const anywhere = bytes.reduce(
        (all, name) => sql`${all} or position(convert_to(${text}, 'UTF8') in ${sql(name)}) > 0`,
        inText,
      );
      const rows = await sql`select 1 from ${sql(table)} as row_ where ${anywhere} limit 1`;
      if (rows.length > 0) found.push(`${table}: ${text}`);
    }
  }
  return found;
}

/** `<key>: <text>` for each key that holds one of the texts, in its name or in its value. */
export async function searchRedis(redis: RedisClient, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    const value = `${key} ${JSON.stringify(await readKey(redis, key))}`;
    for (const text of texts) if (value.includes(text)) found.push(`${key}: ${text}`);
  }
  return found;
}

async function readKey(redis: RedisClient, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return redis.get(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'hash':
      return redis.hgetall(key);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return null;
  }
}

export async function isErased(sql: Postgres, id: string): Promise<boolean> {
  return (
    (await sql`select 1 from erasure_subjects where id = ${id} and erased_at is not null`).length >
    0
  );
}

/** True while the erase command of a payment waits in its stream. */
export async function hasEraseCommand(redis: RedisClient, paymentId: string): Promise<boolean> {
  const command = JSON.stringify(`"type":"erase","paymentId":"${paymentId}"`).slice(1, -1);
  return (await searchRedis(redis, [command])).length > 0;
}
