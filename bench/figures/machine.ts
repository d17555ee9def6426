// The machine that the figures were measured on, since a rate depends on it.
import { cpus, release, totalmem } from 'node:os';
import { spawnSync } from 'node:child_process';
import postgres from 'postgres';

export async function describeMachine(adminUrl: string): Promise<string> {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const redis = spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const sql = postgres(adminUrl, { max: 1 });
  const [row] = await sql<{ version: string; settings: string }[]>`
    select current_setting('server_version') as version,
           string_agg(name || ' ' || setting, ', ' order by name) as settings
      from pg_settings where name in ('fsync', 'synchronous_commit', 'shared_buffers', 'full_page_writes')`;
  await sql.end();
  return [
    `${cpus().length} × ${model}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `Postgres ${row?.version ?? '?'} (${row?.settings ?? ''})`,
    `Redis ${/v=([\d.]+)/.exec(redis)?.[1] ?? '?'} (appendfsync everysec)`,
  ].join(', ');
}
