// The chains of the audit log: many writers at once, each kind of tampering, and the erasure of a person.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId, type UserId } from '#actors/core/ids.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import {
  countAuditedUser,
  eraseAuditedUser,
  recordAction,
} from '#store/postgres/operations/audit.js';
import { type AuditReport, verifyAudit } from '#store/postgres/operations/verify-audit.js';
import { makeMerchant } from '#test/support/accounts.js';
import { runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const FAR_DAY = '2999-01-01';

async function openLog(t: Test, connections = 1): Promise<{ sql: Postgres; databaseUrl: string }> {
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', connections);
  t.teardown(() => sql.end({ timeout: 1 }));
  return { sql, databaseUrl };
}

const verify = (sql: Postgres): Promise<AuditReport> => verifyAudit(sql, FAR_DAY);
const makeUserId = (): UserId => makeId('usr', randomBytes(16));

async function act(sql: Postgres, userId: UserId, target: string): Promise<void> {
  const action = { merchantId: null, action: 'test.act', target, details: '{"reason":"é"}' };
  await recordAction(sql, { userId, address: '198.51.100.7' }, action);
}

/** Runs statements as somebody does who may switch triggers off. */
async function tamper(sql: Postgres, change: (tx: Postgres) => Promise<unknown>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await change(tx as unknown as Postgres);
  });
}

t.test('rows of many concurrent writers are linked without gaps or deadlocks', async (t) => {
  const { sql } = await openLog(t, 16);
  const merchants = await Promise.all(Array.from({ length: 3 }, () => makeMerchant(sql)));
  const write = (index: number): Promise<unknown> => {
    const order = index % 2 === 0 ? merchants : [...merchants].reverse();
    return sql.begin(async (tx) => {
      for (const merchant of order) {
        await tx`
          insert into webhook_endpoints (id, merchant_id, environment, url, secret)
          values (${`we_${index}_${merchant}`}, ${merchant}, 'TEST', 'https://a.example', 's')`;
      }
      if (index % 10 === 9) throw new Error('rolled back');
    });
  };
  const writes = Array.from({ length: 200 }, (_, index) => write(index));
  const outcomes = await Promise.allSettled(writes);
  const failures = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [String(one.reason)] : [],
  );
  t.strictSame(failures, Array<string>(20).fill('Error: rolled back'));
  const report = await verify(sql);
  t.match(report, { isSound: true, chains: 3, rows: 3 + 180 * 3 }, JSON.stringify(report.faults));
});

t.test('a transaction with rows of many chains is linked beside others', async (t) => {
  const { sql } = await openLog(t, 8);
  const insert = (name: string, count: number): Promise<unknown> =>
    sql`
      insert into merchants (id, business_name)
      select ${name} || i, 'Toko' from generate_series(1, ${count}::integer) as i`;
  const rename = () =>
    sql`update merchants set business_name = business_name || '!' where id = 'a1'`;
  await insert('a', 1);
  await Promise.all([insert('b', 400), rename(), insert('c', 400), insert('d', 90), rename()]);
  const report = await verify(sql);
  t.match(report, { isSound: true, chains: 891, rows: 893 }, JSON.stringify(report.faults));
});

t.test('an action of a merchant is in its chain, one of an unknown merchant in none', async (t) => {
  const { sql } = await openLog(t);
  const merchantId = await makeMerchant(sql);
  const userId = makeUserId();
  const unknownId = makeId('mer', randomBytes(16));
  for (const merchant of [merchantId, unknownId, null]) {
    const record = { merchantId: merchant, action: 'POST /v1/refunds', target: 'a', details: null };
    await recordAction(sql, { userId, address: '198.51.100.7' }, record);
  }
  const rows = await sql`select chain from audit_log where actor = ${userId} order by id`;
  t.same([...rows], [{ chain: merchantId }, { chain: '' }, { chain: '' }]);
  // The merchant's first row was written when it was made.
  t.match(await verify(sql), { isSound: true, chains: 2, rows: 4 });
});

t.test('a row may not be changed, deleted or brought with a place of its own', async (t) => {
  const { sql } = await openLog(t);
  await act(sql, makeUserId(), 'a');
  await t.rejects(sql`update audit_log set actor = 'nobody'`, /append-only/);
  await t.rejects(sql`update audit_log set address = null`, /append-only/);
  await t.rejects(sql`update audit_log set hash = 'x'`, /append-only/);
  await t.rejects(sql`delete from audit_log`, /append-only/);
  await t.rejects(sql`delete from audit_heads`, /append-only/);
  await t.rejects(sql`truncate audit_log, audit_heads`, /append-only/);
  await sql`
    insert into audit_log (actor, action, target, personal_digest, transaction, day, number, hash)
    values ('x', 'x', 'x', 'x', '1', '2020-01-01', 1, 'x')`;
  t.match(await verify(sql), { isSound: true, rows: 2 });
});

t.test('a row of a transaction whose clock is behind keeps the order of days', async (t) => {
  const { sql } = await openLog(t);
  const userId = makeUserId();
  await act(sql, userId, 'a');
  await tamper(sql, async (tx) => {
    await tx`update audit_log set day = day + 1`;
    await tx`update audit_log a set hash = hash_audit_row('', a) where number = 1`;
    await tx`update audit_log a set hash = hash_audit_row((select hash from audit_log where number = 1), a)
              where number = 2`;
    await tx`update audit_heads h set day = day + 1,
                    hash = (select hash from audit_log a where a.number = h.number)`;
  });
  t.match(await verify(sql), { isSound: true });
  await act(sql, userId, 'b');
  t.match(await verify(sql), { isSound: true });
  const [row] = await sql`select count(distinct day)::int as days from audit_log`;
  t.equal(row?.['days'], 1);
});

/** Two days of three rows. */
async function fillLog(sql: Postgres): Promise<UserId> {
  const userId = makeUserId();
  await tamper(sql, (tx) => tx`delete from audit_log`);
  await tamper(sql, (tx) => tx`delete from audit_heads`);
  for (const target of ['a', 'b', 'c']) await act(sql, userId, target);
  await tamper(sql, async (tx) => {
    await tx`update audit_log set day = day - 1`;
    for (const number of [1, 2, 3]) {
      await tx`
        update audit_log a
           set hash = hash_audit_row(
                 coalesce((select b.hash from audit_log b where b.number = ${number} - 1), ''), a)
         where number = ${number}`;
    }
    await tx`update audit_heads h set day = day - 1,
                    hash = (select hash from audit_log a where a.number = h.number)`;
  });
  for (const target of ['d', 'e', 'f']) await act(sql, userId, target);
  return userId;
}

const TAMPERINGS: readonly (readonly [
  string,
  (tx: Postgres) => Promise<unknown>,
  string | null,
])[] = [
  ['changed', (tx) => tx`update audit_log set after = '{}' where number = 2`, '2'],
  ['backdated', (tx) => tx`update audit_log set at = at - interval '1 s' where number = 2`, '2'],
  ['given another address', (tx) => tx`update audit_log set address = '::1' where number = 2`, '2'],
  ['deleted in the middle', (tx) => tx`delete from audit_log where number = 2`, '3'],
  ['deleted as the newest', (tx) => tx`delete from audit_log where number = 6`, '5'],
  ['deleted as the last of a past day', (tx) => tx`delete from audit_log where number = 3`, '2'],
  [
    'deleted with its day and head',
    async (tx) => {
      await tx`delete from audit_log where number <= 3`;
      await tx`delete from audit_heads where number = 3`;
    },
    '4',
  ],
  [
    'swapped with another',
    async (tx) => {
      await tx`update audit_log set number = -2 where number = 2`;
      await tx`update audit_log set number = 2 where number = 3`;
      await tx`update audit_log set number = 3 where number = -2`;
    },
    '2',
  ],
  [
    'inserted in the middle',
    async (tx) => {
      await tx`update audit_log set number = -number where number > 2`;
      await tx`update audit_log set number = 1 - number where number < 0`;
      await tx`
        insert into audit_log (actor, action, target, personal_digest, transaction, day, number, hash)
        select actor, action, target, personal_digest, transaction, day, 3, hash
          from audit_log where number = 2`;
    },
    '3',
  ],
  [
    'inserted past the triggers',
    (tx) => tx`
      insert into audit_log (actor, action, target, personal_digest, transaction)
      values ('x', 'x', 'x', 'x', '1')`,
    null,
  ],
  [
    'erased without an entry',
    (tx) => tx`update audit_log set address = null, salt = null where number = 2`,
    '2',
  ],
  ['left without a head', (tx) => tx`delete from audit_heads where number = 6`, '6'],
];

for (const [what, change, number] of TAMPERINGS) {
  t.test(`a row that was ${what} is found as the first broken one`, async (t) => {
    const { sql } = await openLog(t);
    await fillLog(sql);
    t.match(await verify(sql), { isSound: true, rows: 6, chains: 1 });
    await tamper(sql, change);
    const report = await verify(sql);
    t.match(report, { isSound: false, faults: [{ chain: '', number }] });
    await act(sql, makeUserId(), 'later');
    t.match(await verify(sql), { isSound: false }, 'writers go on, and the fault stays');
  });
}

t.test(
  'the newest rows that are deleted with the head of their day change the fingerprint',
  async (t) => {
    const { sql, databaseUrl } = await openLog(t);
    await fillLog(sql);
    const { fingerprint } = await verify(sql);
    await tamper(sql, async (tx) => {
      await tx`delete from audit_log where number > 3`;
      await tx`delete from audit_heads where number > 3`;
    });
    const report = await verify(sql);
    t.match(report, { isSound: true });
    t.not(report.fingerprint, fingerprint);
    const { code, stdout } = await runKasir({ DATABASE_URL: databaseUrl }, 'audit', 'verify');
    t.equal(code, 0);
    t.match(stdout, `${report.fingerprint}\n`, 'the day that is left is over');
  },
);

t.test('an erased person is gone from the log, and the chain still verifies', async (t) => {
  const { sql, databaseUrl } = await openLog(t);
  const merchantId = await makeMerchant(sql);
  const [gone, kept] = [makeUserId(), makeUserId()];
  await sql`
    insert into users (id, email, merchant_id, role)
    values (${gone}, 'gone@example.com', ${merchantId}, 'owner'),
           (${kept}, 'kept@example.com', ${merchantId}, 'owner')`;
  await act(sql, gone, 'a');
  await act(sql, kept, 'b');
  await sql`delete from users where id = ${gone}`;
  const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'audit', ...args);
  t.match(await run('erase', gone), { code: 0, stdout: '3 row(s) erased\n' });
  const [text] = await sql<{ text: string }[]>`
    select string_agg(a::text, ' ') as text from audit_log a where actor = ${gone} or target = ${gone}`;
  t.notMatch(text?.text, /gone@example|198\.51/);
  const [other] = await sql`select address, personal from audit_log where target = ${kept}`;
  t.match(other, { personal: /kept@example/ });
  t.match(await verify(sql), { isSound: true, erasedRows: 3 });
  t.match(await run('erase', gone), { code: 0, stdout: '0 row(s) erased\n' });
  t.equal(await countAuditedUser(sql, kept), 2);
  t.equal(await eraseAuditedUser(sql, kept), 2);
  t.equal(await countAuditedUser(sql, kept), 0);
  t.match(await verify(sql), { isSound: true, erasedRows: 5 });
});

t.test('kasir audit verify names the first broken row and exits 1', async (t) => {
  const { sql, databaseUrl } = await openLog(t);
  await fillLog(sql);
  await tamper(sql, (tx) => tx`update audit_log set actor = 'other' where number = 2`);
  const { code, stdout } = await runKasir({ DATABASE_URL: databaseUrl }, 'audit', 'verify');
  t.equal(code, 1);
  t.match(stdout, /^chain without merchant, row \d+ \(number 2\): its hash does not follow/);
  t.match(stdout, 'the audit log has 1 fault(s): 1 chains, 6 rows');
});
