// PgBouncer in transaction mode under full load: a session goes back with the last answer of a statement, so a connection that
// carries a second statement is cut off ("got packet … from server when not linked"), and creates would answer 503.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { Client, createBody } from '#test/support/load/client.js';
import {
  AUTH_TYPES,
  setRole,
  startPgbouncer,
  type TestPgbouncer,
} from '#test/support/peers/pgbouncer.js';
import { type RunningProcess, startProcess, uniqueWord } from '#test/support/processes.js';
import { startPostgres } from '#test/support/servers.js';
import { startServingService } from '#test/support/serving.js';

const CREATES = 5_000;
const CONNECTIONS = 64;
/** Of polls, leases and loops, some of which come at the same time. */
const IDLE_TRANSACTIONS = 200;
/** Fewer than the statements of a burst. */
const BURST_CONNECTIONS = 2;
const BURSTS = 100;
const WARNINGS = ['warn', 'error', 'fatal'];

/** How often each status was answered. */
async function createMany(baseUrl: string, apiKey: string): Promise<Record<string, number>> {
  const client = new Client(apiKey);
  const counts: Record<string, number> = {};
  let left = CREATES;
  const createUntilDone = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      const reference = uniqueWord();
      const result = await client.send(baseUrl, {
        method: 'POST',
        path: '/v1/payments',
        body: createBody('15000', reference),
        headers: { 'idempotency-key': reference },
      });
      const outcome = result.kind === 'answer' ? String(result.status) : result.kind;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, createUntilDone));
  await client.close();
  return counts;
}

const listCut = (pgbouncer: TestPgbouncer): string[] =>
  pgbouncer.lines().filter((line) => line.includes('not linked'));

/** Of the client of Redis: a loop that began before its connection was there. */
const isOfRedis = (line: Record<string, unknown>): boolean =>
  JSON.stringify(line).includes('enableOfflineQueue');

const listWarnings = (processes: readonly RunningProcess[]): unknown[] =>
  processes
    .flatMap((one) => one.logs())
    .filter((line) => WARNINGS.includes(String(line['level'])) && !isOfRedis(line));

for (const authType of AUTH_TYPES) {
  t.test(`behind PgBouncer with auth_type ${authType} each create is answered 201`, async (t) => {
    const postgres = await startPostgres(t);
    await setRole(postgres);
    const pgbouncer = await startPgbouncer(t, postgres.url, authType);
    const direct = await postgres.createDatabase('kasir');
    const variables = { DATABASE_URL: pgbouncer.through(direct), DATABASE_URL_DIRECT: direct };
    const service = await startServingService(t, { databaseUrl: direct, variables });
    const others = [
      await startProcess(t, 'rails', service.variables),
      await startProcess(t, 'webhooks', service.variables),
    ];
    t.strictSame(await createMany(service.baseUrl, service.merchant.testKey), { 201: CREATES });

    const sql = openPostgres(direct, 'test', 1);
    t.teardown(() => sql.end({ timeout: 1 }));
    const countTransactions = async (): Promise<number> => {
      const [row] = await sql<{ count: number }[]>`
        select xact_commit::int as count from pg_stat_database where datname = current_database()`;
      return row?.count ?? 0;
    };
    const before = await countTransactions();
    await waitUntil('the idle processes have asked Postgres', async () => {
      return (await countTransactions()) > before + IDLE_TRANSACTIONS;
    });
    const processes = [...service.gateways, ...service.payments, ...others];
    t.strictSame(listWarnings(processes), [], 'no process warns of Postgres');
    t.strictSame(listCut(pgbouncer), [], 'PgBouncer cuts no connection off');
  });
}

type Numbered = { number: number };

t.test('a pool with few connections answers a burst of statements of every kind', async (t) => {
  const postgres = await startPostgres(t);
  const pgbouncer = await startPgbouncer(t, postgres.url);
  const sql = openPostgres(pgbouncer.through(postgres.url), 'test burst', BURST_CONNECTIONS);
  t.teardown(() => sql.end({ timeout: 1 }));
  const kinds: ((number: number) => Promise<unknown>)[] = [
    // The driver cannot send it, and asks the server for a sign that it is ready again.
    () => sql`select ${undefined as unknown as string}`.catch(({ code }: { code: string }) => code),
    async () => (await sql<{ one: number }[]>`select 1 as one`)[0]?.one,
    async (number) => (await sql<Numbered[]>`select ${number}::int as number`)[0]?.number,
    async (number) => {
      const rows = await sql.begin(async (tx) => {
        await tx`select 1`;
        return tx<Numbered[]>`select ${number}::int as number`;
      });
      return rows[0]?.number;
    },
    () => sql`select 1 / 0`.catch(({ code }: { code: string }) => code),
  ];
  const expected = (number: number) => ['UNDEFINED_VALUE', 1, number, number, '22012'];
  for (let number = 0; number < BURSTS; number += 1) {
    const answers = await Promise.all(kinds.map((send) => send(number)));
    t.strictSame(answers, expected(number), `burst ${number}`);
  }
  t.strictSame(listCut(pgbouncer), [], 'PgBouncer cuts no connection off');
});
