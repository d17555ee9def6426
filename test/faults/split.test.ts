// Partitions are split under load, from 16 to 64 and 256. The command is killed at many moments and repeated; processes of each kind
// are killed with `kill -9` at the moment of the split. The gateways go on with the former number for a while.
import { execFile } from 'node:child_process';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { KASIR, runKasir } from '#test/support/kasir.js';
import { readMetrics, startProcess } from '#test/support/processes.js';
import { type Stage, underLoad } from '#test/support/stage.js';

/** From before the command has read its configuration to after it is done. */
const KILLED_AFTER_MS = [150, 250, 300, 350, 400, 450, 500, 600, 800];

const readAddresses = ({ databaseUrl, redis }: Stage) => ({
  ...{ DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
});

/** Resolves when the command has ended by itself, or was killed. */
function splitAndKill(stage: Stage, count: number, afterMs: number): Promise<void> {
  const env = { PATH: process.env['PATH'], ...readAddresses(stage) };
  const words = [KASIR, 'partitions', 'split', String(count)];
  return new Promise((resolve) => {
    const options = { env, timeout: afterMs, killSignal: 'SIGKILL' } as const;
    execFile(process.execPath, words, options, () => {
      resolve();
    });
  });
}

interface Count {
  readonly stored: number;
  readonly rows: number;
  readonly cursors: number;
  /** That name another number. */
  readonly other: number;
}

async function readCount({ sql }: Stage): Promise<Count> {
  const [row] = await sql<Count[]>`
    select i.partitions as stored, (select count(*)::int from partitions) as rows,
           (select count(*)::int from webhook_cursors) as cursors,
           (select count(*)::int from partitions where counts[cardinality(counts)] <> i.partitions) as other
      from installation i`;
  if (row === undefined) throw new Error('no installation');
  return row;
}

/** Events that a follower has not passed, and payments that cannot be searched. */
async function countUnfollowed({ sql }: Stage): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with behind as (
      select c.* from (select 1 as f, * from webhook_cursors union all select 2, * from payment_follower_cursors
                       union all select 3, * from payment_totals_cursors) c
        join payment_events e on e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index))
    select ((select count(*) from behind)
            + (select count(*) from payments p where not exists (
                 select from payment_search s where s.payment_id = p.id)))::int as count`;
  return row?.count ?? -1;
}

async function countForwarded({ payments }: Stage): Promise<number> {
  const pages = await Promise.all(payments.map(readMetrics));
  return pages
    .flatMap(
      (page) =>
        /^kasir_commands_total\{type="moved",outcome="forwarded"\} (\d+)$/m.exec(page)?.[1] ?? [],
    )
    .reduce((sum, count) => sum + Number(count), 0);
}

const isSplitInto = async (stage: Stage, count: number): Promise<boolean> =>
  (await readCount(stage)).stored === count;

t.test('partitions are split under load, whatever is killed', async (t) => {
  let used: Stage | undefined;
  await underLoad(t, { gateways: 2, payments: 3 }, async (stage) => {
    used = stage;
    const { payments, gateways, serves, load, variables } = stage;
    await startProcess(t, 'webhooks', variables);
    for (const afterMs of KILLED_AFTER_MS) {
      await splitAndKill(stage, 64, afterMs);
      const { stored, rows, cursors, other } = await readCount(stage);
      t.ok(stored === 16 || stored === 64, `killed after ${afterMs} ms: ${stored} partitions`);
      t.strictSame({ rows, cursors, other }, { rows: stored, cursors: stored, other: 0 });
      await load.progress(10);
    }
    const first = await runKasir(readAddresses(stage), 'partitions', 'split', '64');
    t.match(first, { code: 0, stdout: /3 payments process\(es\) own 64 of them/ });
    t.comment(`${await countForwarded(stage)} commands were forwarded`);
    await load.progress(100);

    const splitting = runKasir(readAddresses(stage), 'partitions', 'split', '256');
    await payments[0]?.kill();
    await waitUntil('256 partitions', () => isSplitInto(stage, 256));
    await Promise.all([payments[1]?.kill(), gateways[1]?.kill()]);
    await Promise.all([payments[0]?.start(), payments[1]?.start(), gateways[1]?.start()]);
    t.match(await splitting, { stdout: /split 64 partitions into 256/, stderr: '' });
    await serves();
    await load.progress(200);
    t.comment(`${await countForwarded(stage)} commands were forwarded`);

    const again = await runKasir(readAddresses(stage), 'partitions', 'split', '256');
    t.match(again, { code: 0, stdout: /has 256 partitions already; 3 payments/ }, 'it is repeated');
    const listed = await runKasir(readAddresses(stage), 'partitions', 'list');
    t.equal(listed.code, 0, 'each partition has an owner, and none is stuck');
  });
  if (used === undefined) return;
  const stage = used;
  await waitUntil('all followers are done', async () => (await countUnfollowed(stage)) === 0);
  const { sql } = stage;
  const [row] = await sql`
    select (select sum(events)::int from payment_totals where outcome in ('paid', 'failed', 'cancelled')) as counted,
           (select count(*)::int from payment_events
             where type in ('payment_paid', 'payment_failed', 'payment_cancelled') and envelope is not null) as events`;
  t.equal(row?.['counted'], row?.['events'], 'each event is in the totals once');
});
