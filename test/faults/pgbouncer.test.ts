// PgBouncer in transaction mode between all processes and Postgres, with fewer sessions than the processes have connections.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { runKasir } from '../support/kasir.js';
import { SESSIONS, setRole, startPgbouncer } from '../support/peers/pgbouncer.js';
import { prepareProcess, startProcess } from '../support/processes.js';
import { startPostgres, type TestPostgres } from '../support/servers.js';
import { underLoad } from '../support/stage.js';
import { addEndpoint } from '../support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '../support/webhooks/receiver.js';

/** Two payments processes and one webhooks process listen past PgBouncer. */
const LISTENERS = 3;

const nameDatabase = (postgres: TestPostgres): string => postgres.url.replace(/postgres$/, 'kasir');

t.test('payments and webhooks are served behind PgBouncer, also after its end', async (t) => {
  const postgres = await startPostgres(t);
  await setRole(postgres);
  const pgbouncer = await startPgbouncer(t, postgres.url);
  const direct = nameDatabase(postgres);
  const variables = {
    DATABASE_URL: pgbouncer.through(direct),
    DATABASE_URL_DIRECT: direct,
    ...(await receiverVariables(t)),
  };
  await underLoad(t, { gateways: 2, payments: 2, postgres, variables }, async (stage) => {
    const receiver = await startReceiver(t);
    const [owner] = await stage.sql<{ id: string }[]>`select id from merchants`;
    await addEndpoint(stage.sql, owner?.id ?? '', receiver.url);
    const others = [
      await startProcess(t, 'rails', stage.variables),
      await startProcess(t, 'webhooks', stage.variables),
    ];
    await waitUntil('webhooks are delivered', () => receiver.received.length > 0);
    await pgbouncer.kill();
    await pgbouncer.start();
    await stage.serves();
    const before = receiver.received.length;
    await waitUntil('more are delivered', () => receiver.received.length > before);
    for (const one of others) t.ok(one.isRunning(), `${one.name} runs`);
    const [sessions] = await stage.sql<{ count: number }[]>`
      select count(*)::int from pg_stat_activity where datname = 'kasir' and application_name <> 'kasir test'`;
    t.ok((sessions?.count ?? 99) <= SESSIONS + LISTENERS, 'a pool, and one for each that listens');
  });
});

t.test('a role without the settings of a session stops the start', async (t) => {
  const postgres = await startPostgres(t);
  const pgbouncer = await startPgbouncer(t, postgres.url);
  const direct = await postgres.createDatabase('kasir');
  const payments = await prepareProcess(t, 'payments', {
    REDIS_URL: 'redis://127.0.0.1:1',
    DATABASE_URL: pgbouncer.through(direct),
    DATABASE_URL_DIRECT: direct,
  });
  await t.rejects(payments.start());
  t.equal(payments.ended(), 78);
  t.match(
    payments.lines().join('\n'),
    /ALTER ROLE … SET plan_cache_mode = 'force_generic_plan'; ALTER ROLE … SET statement_timeout = '4000'/,
  );
});

t.test(
  'an address of PgBouncer without ?pooling=transaction is one line that says so',
  async (t) => {
    const postgres = await startPostgres(t);
    const pgbouncer = await startPgbouncer(t, postgres.url);
    const direct = await postgres.createDatabase('kasir');
    const forgotten = pgbouncer.through(direct).replace('?pooling=transaction', '');
    const variables = { REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: forgotten };
    const remedy =
      /DATABASE_URL leads to PgBouncer .*add \?pooling=transaction.*DATABASE_URL_DIRECT/;
    for (const name of ['gateway', 'payments', 'rails', 'webhooks'] as const) {
      const process = await prepareProcess(t, name, variables);
      await t.rejects(process.start());
      t.equal(process.ended(), 78, name);
      const told = process.logs().filter(({ level }) => level === 'fatal');
      t.match(told, [{ msg: remedy, err: undefined }], 'no stack');
    }
    for (const command of [['migrate'], ['dlq', 'list']]) {
      const { code, stderr } = await runKasir({ DATABASE_URL: forgotten }, ...command);
      t.equal(code, 1);
      t.match(stderr, remedy);
    }
  },
);
