// Reserves of a merchant's balance, the statement that shows them, and the lists of approvals.
import t from 'tap';
import { countWaitingApprovals } from '#store/postgres/approvals/list-approvals.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import {
  approve,
  buildCorrection,
  findFaults,
  proposeCorrection,
  reject,
  startCorrections,
} from '#test/support/approvals.js';
import { uniqueWord } from '#test/support/processes.js';
import { openKey, payOut } from '#test/support/rails/payouts.js';

const stage = await startCorrections(t);
const { sql, baseUrl, first, second, third, correct, makeLive, readBalances } = stage;

t.test('a reserve cannot be paid out, and never exceeds what is available', async (t) => {
  const merchant_id = await makeLive();
  await correct({ kind: 'adjustment_credit', merchant_id, amount: '1000' });
  const tooMuch = await correct({ kind: 'reserve_hold', merchant_id, amount: '1001' });
  t.match(tooMuch, {
    status: 200,
    body: {
      status: 'refused',
      outcome: { code: 'balance_insufficient', message: /holds 1000, less than 1001/ },
    },
  });
  t.match(await correct({ kind: 'reserve_hold', merchant_id, amount: '600' }), {
    body: { status: 'applied' },
  });
  t.strictSame(await readBalances(merchant_id), { available: '400', reserved: '600' });
  const key = await openKey(baseUrl, sql, merchant_id, 'LIVE', ['read', 'payouts']);
  t.equal((await payOut(key, { amount: '401' }, uniqueWord())).code, 'balance_insufficient');
  const tooBack = await correct({ kind: 'reserve_release', merchant_id, amount: '601' });
  t.match(tooBack, { body: { status: 'refused', outcome: { code: 'balance_insufficient' } } });
  t.match(await correct({ kind: 'reserve_release', merchant_id, amount: '600' }), {
    body: { status: 'applied' },
  });
  t.strictSame(await readBalances(merchant_id), { available: '1000', reserved: '0' });
  const rows = await sql<{ reason: string }[]>`
    select reason from postings where debit like ${`%:${merchant_id}:%`} or credit like ${`%:${merchant_id}:%`} order by at`;
  t.strictSame(
    rows.map(({ reason }) => reason),
    ['adjustment_credited', 'reserve_held', 'reserve_released'],
  );
  t.strictSame(await findFaults(sql), []);
});

t.test('holds and releases at the same time never deadlock or overdraw', async (t) => {
  const merchant_id = await makeLive();
  await correct({ kind: 'adjustment_credit', merchant_id, amount: '100' });
  await correct({ kind: 'reserve_hold', merchant_id, amount: '50' });
  const kinds = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0 ? 'reserve_hold' : 'reserve_release',
  );
  const answers = await Promise.all(
    kinds.map((kind) => correct({ kind, merchant_id, amount: '40' })),
  );
  for (const { status, text } of answers) t.equal(status, 200, text);
  t.ok(answers.every(({ body }) => ['applied', 'refused'].includes(String(body['status']))));
  const { available, reserved } = await readBalances(merchant_id);
  t.equal(Number(available) + Number(reserved), 100);
  t.ok(Number(available) >= 0 && Number(reserved) >= 0);
  t.strictSame(await findFaults(sql), []);
});

t.test('the statement of the merchant names adjustments and reserves', async (t) => {
  const merchant_id = await makeLive();
  await correct({ kind: 'adjustment_credit', merchant_id, amount: '1000' });
  await correct({ kind: 'reserve_hold', merchant_id, amount: '600' });
  const owner = openApi(
    baseUrl,
    await beginSession(sql, await makePerson(sql, 'owner', merchant_id)),
  );
  const path = '/v1/merchants/me/balance';
  const statement = await owner.call(`${path}/statement?environment=LIVE&from=2020-01-01`);
  const rows = statement.text
    .split('\r\n')
    .map((line) => line.replaceAll('"', '').split(',').slice(1, 6).join(' '));
  t.strictSame(
    rows.filter((row) => !row.includes('_balance')).slice(1, -1),
    [
      'available 1000 1000 IDR adjustment_credited',
      'available -600 400 IDR reserve_held',
      'reserve 600 600 IDR reserve_held',
    ],
    statement.text,
  );
  t.match((await owner.call(`${path}?environment=LIVE`)).body['data'], [
    { available: '400', reserved: '600' },
  ]);
});

t.test('approvals that wait are counted with the age of the oldest', async (t) => {
  const merchant_id = await makeLive();
  const [one, two] = await Promise.all(
    ['1', '2'].map((amount) =>
      proposeCorrection(first, buildCorrection({ kind: 'reserve_hold', merchant_id, amount })),
    ),
  );
  await sql`update approvals set proposed_at = now() - interval '2 days' where id = ${String(one?.body['id'])}`;
  await sql`
    update approvals set status = 'approved', decided_by = ${second.userId}, decided_at = now() - interval '1 hour'
     where id = ${String(two?.body['id'])}`;
  const counted = await countWaitingApprovals(sql);
  const [proposed, approved] = ['proposed', 'approved'].map((name) =>
    counted.find(({ status }) => status === name),
  );
  t.ok(Number(proposed?.ageS) >= 2 * 86_400);
  t.match(approved, { count: 1 });
  t.ok(Number(approved?.ageS) >= 3_600 && Number(approved?.ageS) < 86_400);
  await reject(second, one?.body['id']);
  await approve(third, two?.body['id']);
  t.strictSame(
    (await countWaitingApprovals(sql)).filter(({ status }) => status === 'approved'),
    [],
  );
});

t.test('approvals are listed by status and kind, in pages', async (t) => {
  const merchant_id = await makeLive();
  const wish = { kind: 'reserve_release', merchant_id, amount: '3' };
  const made: unknown[] = [];
  for (let n = 0; n < 5; n += 1)
    made.unshift((await proposeCorrection(first, buildCorrection(wish))).body['id']);
  const seen: unknown[] = [];
  let cursor = '';
  do {
    const filter = `kind=reserve_release&status=proposed&limit=2${cursor}`;
    const { body } = await second.api.call(`/v1/admin/approvals?${filter}`);
    seen.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
    const next = body['next_cursor'];
    cursor = typeof next === 'string' ? `&cursor=${next}` : '';
  } while (cursor !== '');
  t.same(seen, made);
  t.equal((await first.api.call('/v1/admin/approvals?status=open')).status, 400);
});
