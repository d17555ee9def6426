// Postgres whose backends are terminated again and again, and that is stopped and crashes.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Postgres } from '#store/postgres/client.js';
import { startPostgres } from '../support/servers.js';
import { underLoad } from '../support/stage.js';

const TERMINATIONS = 12;

/** Those of the service; the test keeps its own. */
async function terminateSessions(sql: Postgres): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name <> 'kasir test'`;
}

t.test('terminated backends cost no invariant', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ sql, load }) => {
    for (let times = 0; times < TERMINATIONS; times += 1) {
      // A look must not terminate: then no session of a slow machine lives until the next look.
      await waitUntil('the service has sessions', async () => {
        const sessions = await sql`
          select 1 from pg_stat_activity
           where datname = current_database() and application_name <> 'kasir test'`;
        return sessions.length >= 4;
      });
      await terminateSessions(sql);
      await load.progress(5);
    }
  }),
);

t.test('the service recovers when Postgres is restarted, and when it crashes', async (t) => {
  const postgres = await startPostgres(t);
  await underLoad(t, { gateways: 2, payments: 2, postgres }, async ({ serves, load }) => {
    await postgres.stop();
    await postgres.start();
    await serves();
    await load.progress(50);
    postgres.signal('SIGQUIT');
    await postgres.waitForEnd();
    await postgres.start();
    await serves();
  });
});

t.test('sessions that became read-only are replaced when Postgres can be written again', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ sql, gateways, serves }) => {
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      const [row] = await sql<{ name: string }[]>`select current_database() as name`;
      // A new session of the test itself may be read-only too.
      await sql.begin('read write', (tx) =>
        tx.unsafe(`alter database ${row?.name ?? ''} set default_transaction_read_only = ${value}`),
      );
    };
    await setReadOnly('on');
    await terminateSessions(sql);
    await waitUntil('no gateway is ready', async () => {
      const answers = await Promise.all(gateways.map(({ baseUrl }) => fetch(`${baseUrl}/readyz`)));
      return answers.every(({ status }) => status === 503);
    });
    await setReadOnly('off');
    await serves();
  }),
);

t.test('connections to Postgres that the network swallowed are replaced', (t) =>
  underLoad(
    t,
    { gateways: 2, payments: 2, proxied: 'postgres' },
    async ({ proxy, serves, load }) => {
      for (let times = 0; times < 2; times += 1) {
        proxy.strand();
        await serves();
        await load.progress(50);
      }
    },
  ),
);

t.test('balances that somebody holds delay the money of their merchant, and no creates', (t) =>
  underLoad(t, { gateways: 2, payments: 2 }, async ({ sql, serves, load }) => {
    await waitUntil('money has moved', async () => {
      return (await sql`select 1 from balance_rows where account like 'merchant%'`).length > 0;
    });
    const holder = await sql.reserve();
    try {
      await holder.unsafe(
        "begin; select from balance_rows where account like 'merchant%' for update",
      );
      await waitUntil('commands are deferred', async () => {
        return (await sql`select 1 from deferred_commands`).length > 0;
      });
      await serves(3_000);
      await load.progress(300);
    } finally {
      await holder`commit`;
      holder.release();
    }
    await waitUntil('they are applied', async () => {
      return (await sql`select 1 from deferred_commands`).length === 0;
    });
  }),
);
