// Patroni with asynchronous standbys, under load: the primary dies while they are behind. The table tells how many answered
// payments the new primary lacks, and how each is found again.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInvariants } from '#test/support/invariants/check.js';
import { loadTables } from '#test/support/invariants/evidence.js';
import { buildRow, recordRow } from '#test/support/invariants/fault-table.js';
import { runKasir } from '#test/support/kasir.js';
import {
  type Entry,
  isAnswered,
  isDecided,
  paymentOf,
  summarise,
} from '#test/support/load/history.js';
import { countUncommitted, readAll, startStage } from '#test/support/stage.js';
import type { Member } from '#test/support/engines/patroni.js';
import { measureTakeOver, printHead } from './take-over.js';
import {
  readSenders,
  startWatchedPostgres,
  type WatchedPostgres,
} from '#test/support/engines/watched-postgres.js';

const SERVES_MS = 60_000;
const PARTITIONS = 16;
/** Answered while the standbys get nothing: within two seconds. */
const BEHIND = 300;

t.setTimeout(0);
printHead();

/** SIGSTOP for what sends the log to the standbys, as when the network between them is gone. */
async function stallReplication(postgres: WatchedPostgres, primary: Member): Promise<void> {
  for (const { pid } of await readSenders(postgres.urlAt(primary, 'postgres')))
    process.kill(pid, 'SIGSTOP');
}

async function readIds(postgres: WatchedPostgres, member: Member): Promise<ReadonlySet<string>> {
  const sql = openPostgres(postgres.urlAt(member, 'kasir'), 'test', 1, { isStandbyAllowed: true });
  try {
    return new Set((await sql<{ id: string }[]>`select id from payments`).map(({ id }) => id));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const listCreated = (history: readonly Entry[]): string[] => [
  ...new Set(
    history
      .filter((entry) => entry.operation.kind === 'create')
      .filter(isAnswered)
      .flatMap((entry) => paymentOf(entry) ?? []),
  ),
];

t.test('through HAProxy: all that was lost is found again', async (t) => {
  const postgres = await startWatchedPostgres(t, false);
  const createDatabase = (name: string): Promise<string> =>
    postgres.createDatabase(name, 'HAProxy');
  const stage = await startStage(t, {
    ...{ gateways: 2, payments: 2, giveUpMs: 2 * SERVES_MS, postgres: { createDatabase } },
    variables: { LEASE_MS: '5000' },
  });
  const { load, serves, sql } = stage;
  await serves();
  await load.progress(200);
  await stallReplication(postgres, await postgres.findPrimary());
  await load.progress(BEHIND);

  let answered: string[] = [];
  const behind = new Map<Member, ReadonlySet<string>>();
  const faultMs = performance.now();
  const primary = await measureTakeOver(
    t,
    'asynchronous, HAProxy, kill -9 of the primary',
    { postgres, load },
    async (former) => {
      await former.killAll();
      answered = listCreated(load.history);
      const standbys = postgres.members.filter((member) => member !== former);
      for (const member of standbys) behind.set(member, await readIds(postgres, member));
    },
  );
  const lost = answered.filter((id) => behind.get(primary)?.has(id) !== true);
  t.ok(lost.length > 0, `${lost.length} of ${answered.length} answered payments are lost`);
  await serves(SERVES_MS);
  await waitUntil('all of them are there again', async () => {
    const rows = await sql<{ count: number }[]>`
      select count(*)::integer as count from payments where id in ${sql(lost)}`;
    return rows[0]?.count === lost.length;
  });
  await load.progress(200);
  const foundMs = performance.now();
  await load.progress(200);
  await load.stop();
  await waitUntil('the backlog drains', async () => {
    return (await countUncommitted(sql, stage.redisClient)) === 0;
  });
  await readAll(stage);
  t.comment(summarise(load.history));
  // Until the commands are applied again, a read shows what the new primary has.
  const isEarly = ({ operation, startMs, endMs }: Entry): boolean =>
    operation.kind === 'get' && endMs > faultMs && startMs < foundMs;
  const history = load.history.filter((entry) => !isEarly(entry));
  const repeated = history.filter((entry) => entry.attempt > 1 && isDecided(entry)).length;
  process.stderr.write(
    `  ${answered.length} payments answered, ${lost.length} lost: all found from the frames. ` +
      `${repeated} requests that got no answer were answered when they were repeated\n`,
  );
  const tables = await loadTables(stage.databaseUrl);
  // Positions fall with what was lost, so none were watched.
  const evidence = { history, tables, samples: [], expectedQuarantined: 0 };
  const watched = {
    ...{ engine: 'Postgres, asynchronous, HAProxy', lost: lost.length },
    ...{ fault: 'kill -9 while the standbys get nothing (all found again)' },
    ...{ fromMs: faultMs, toMs: foundMs },
  };
  t.comment(recordRow(buildRow(watched, evidence, PARTITIONS)));
  t.strictSame(checkInvariants(evidence), {}, 'invariants');
  const unrepeated = load.abandoned.filter((one) => one.kind !== 'create' || one.key !== null);
  t.strictSame(unrepeated, [], 'clients that repeat get an answer in the end');
  t.match(await runKasir({ DATABASE_URL: stage.databaseUrl }, 'ledger', 'verify'), { code: 0 });
});
