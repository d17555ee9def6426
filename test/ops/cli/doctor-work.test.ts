// `kasir doctor` and the work of the processes: whether they live, and what waits.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { openRedis, waitUntilReady } from '#store/redis/client.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { runDoctor } from '#test/support/doctor.js';
import { startProcess, startService } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
const CONNECT_MS = 10_000;
const MINUTE_MS = 60_000;

t.test('a service that runs has no fault', async (t) => {
  const { variables } = await startService(t);
  await startProcess(t, 'webhooks', variables);
  const addresses = { DATABASE_URL: variables['DATABASE_URL'] ?? '' };
  const redis = { REDIS_URL: variables['REDIS_URL'] ?? '' };
  const found = await waitUntil('the processes have begun', async () => {
    const { findings } = await runDoctor({ ...addresses, ...redis });
    const bad = findings.filter(
      ({ check, level }) => /^(payments|webhooks|mail|tasks)\./.test(check) && level !== 'ok',
    );
    return bad.length === 0 ? findings : undefined;
  });
  t.match(
    found.find(({ check }) => check === 'payments.partitions'),
    { says: 'all 16 partitions have an owner' },
  );
});

t.test('a service without processes, and all that waits, are found', async (t) => {
  const databaseUrl = await createDatabase(t);
  const server = await startRedis(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  const redis = openRedis(server.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntilReady(redis, CONNECT_MS);
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  await redis.xadd(buildCommandsKey(1), `${Date.now() - MINUTE_MS}-0`, 'e', '');
  await sql`
    insert into quarantined_commands (partition, position_ms, position_seq, index, command, error)
    values (0, 1, 1, 0, '{}', 'no reason')`;
  await sql`
    insert into deferred_commands (partition, position_ms, position_seq, index, payment_id, source, sender, correlation,
                                   command, deferred_at)
    values (0, 1, 2, 0, 'pay_x', 'rails', 'x', '', '{}', now() - interval '1 hour')`;
  await sql`insert into webhook_events_set_aside (payment_id, version) values ('pay_x', 2)`;
  await sql`
    insert into mails (id, recipient, subject, body, mailbox, error)
    values ('mail_x', 'a@b.example', 'x', 'x', '', 'refused')`;
  await sql`
    insert into operator_tasks (id, kind, environment, details, opened_at)
    values ('task_x', 'unknown_order', 'LIVE', '{}', now())`;
  const { code, find } = await runDoctor({ DATABASE_URL: databaseUrl, REDIS_URL: server.url });
  t.equal(code, 1);
  const expected = {
    'payments.processes': ['problem', /no payments process has a valid lease/],
    'payments.partitions': ['problem', /2 of 2 partitions have no owner that lives: p0, p1/],
    'payments.backlog': ['problem', /commands of p1 wait, the oldest for [67]\d\.\d s/],
    'payments.quarantine': ['problem', /^1 command\(s\) are quarantined, 1 of them/],
    'payments.deferred': ['problem', /^1 command\(s\) are deferred, the oldest for 36\d\d\.\d s/],
    'webhooks.processes': ['problem', /no webhooks process lives/],
    'webhooks.backlog': ['problem', /1 cannot be read/],
    'mail.failed': ['warning', /refused 1 mail/],
    'tasks.open': ['warning', /1 unknown_order/],
  } as const;
  for (const [check, [level, says]] of Object.entries(expected)) {
    const found = find(check);
    t.match(found, { level, says }, check);
    t.ok(found?.remedy);
  }
});

t.test('a partition that waits for a newer version, and dead letters, are found', async (t) => {
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  await sql`update partitions set stopped_version = 2, stopped_at = now() where id = 1`;
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status, settled_at)
    values ('del_x', 'evt_x', 'we_x', 'pay_x', 2, 'payment.paid', 'dead', now())`;
  const { find } = await runDoctor({
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1' },
  });
  t.match(find('payments.partitions'), {
    level: 'problem',
    says: 'p1 wait for a payments process of a newer version',
  });
  t.match(find('webhooks.backlog'), { level: 'warning', remedy: /kasir dlq stats/ });
});
