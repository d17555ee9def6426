// A failover of Postgres to a standby that lacks the last commits. Their commands are still in Redis, and are applied again.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Postgres } from '#store/postgres/client.js';
import { promote, startPostgres } from '../support/servers.js';
import { startStage } from '../support/stage.js';

/** Answered requests whose commits are lost. */
const LOST = 300;

/** Everything that merchants see of payments. `index` is missing: it counts within the commit, and commits differ. */
async function readPayments(sql: Postgres, ids: readonly string[]): Promise<unknown[]> {
  return [
    ...(await sql`select * from payments where id = any(${ids}) order by id`),
    ...(await sql`
      select partition, position_ms, position_seq, payment_id, version, type, at, event, envelope
        from payment_events where payment_id = any(${ids}) order by payment_id, version`),
  ];
}

t.test('payments whose commits a failover has lost are there again, to the byte', async (t) => {
  const postgres = await startPostgres(t);
  const { sql, load, serves } = await startStage(t, { gateways: 1, payments: 2, postgres });
  await serves();
  const [row] = await sql<{ folder: string }[]>`
    select current_setting('data_directory') as folder`;
  const folder = row?.folder ?? '';
  const standby = `${folder}.standby`;
  t.teardown(() => {
    rmSync(standby, { recursive: true, force: true });
  });

  await postgres.stop();
  cpSync(folder, standby, { recursive: true });
  await postgres.start();
  const known = await sql<{ id: string }[]>`select id from payments`;
  await load.progress(LOST);
  await load.stop();
  const kept = known.map(({ id }) => id);
  const lost = await sql<{ id: string }[]>`select id from payments where id <> all(${kept})`;
  const ids = lost.map(({ id }) => id);
  const first = await readPayments(sql, ids);
  t.ok(ids.length > LOST / 10, `${ids.length} payments are lost`);

  await postgres.kill();
  rmSync(folder, { recursive: true });
  cpSync(standby, folder, { recursive: true });
  writeFileSync(join(folder, 'standby.signal'), '');
  await postgres.start();
  await promote(postgres);
  await serves();
  await waitUntil('all are there again', async () => {
    return (await readPayments(sql, ids)).length >= first.length;
  });
  t.strictSame(await readPayments(sql, ids), first);
  const [now] = await sql<{ timeline: number }[]>`select read_timeline() as timeline`;
  t.equal(now?.timeline, 2, 'a promotion begins a timeline');
});
