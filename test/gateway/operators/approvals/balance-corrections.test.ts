// Corrections of a merchant's balance over HTTP: one administrator proposes, another one approves. Adjustments and reserves
// move money once, whoever repeats what.
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeMerchant } from '#test/support/accounts.js';
import { countLockWaits } from '#test/support/waits/lock-waits.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  approve,
  buildCorrection,
  findFaults,
  proposeCorrection,
  readAudit,
  reject,
  showApproval,
  startCorrections,
} from '#test/support/approvals.js';

const stage = await startCorrections(t);
const { sql, databaseUrl, first, second, third, makeLive, readBalances } = stage;

const isConflict = (t: Test, answer: ApiAnswer, message: RegExp): void => {
  t.same([answer.status, answer.code], [409, 'state_conflict'], answer.text);
  t.match((answer.body['error'] as { message: string }).message, message);
};

t.test('a correction moves money only when another administrator approves it', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection(
    { kind: 'adjustment_credit', merchant_id, amount: '700' },
    'CREDIT-1',
  );
  const proposed = await proposeCorrection(first, wish);
  t.equal(proposed.status, 202, proposed.text);
  const { id } = proposed.body;
  t.match(proposed.body, { id: /^appr_/, object: 'approval', status: 'proposed', ...wish });
  t.match(proposed.body, { proposed_by: first.userId, decided_by: null, outcome: null });
  isConflict(t, await approve(first, id), /another administrator/);
  t.strictSame(await readBalances(merchant_id), { available: '0', reserved: '0' });

  const applied = await approve(second, id);
  t.match(applied, { status: 200, body: { status: 'applied', decided_by: second.userId } });
  t.strictSame(await readBalances(merchant_id), { available: '700', reserved: '0' });
  t.match(await approve(third, id), { status: 200, body: { status: 'applied' } }, 'a repeat');
  isConflict(t, await reject(third, id), /applied/);
  t.strictSame((await showApproval(third, id)).body, applied.body);
  t.strictSame(await readBalances(merchant_id), { available: '700', reserved: '0' });

  t.match(await readAudit(sql, id), [
    { actor: first.userId, action: 'approvals.insert', after: { status: 'proposed', amount: 700 } },
    { actor: second.userId, after: { status: 'approved', decided_by: second.userId } },
    { actor: second.userId, after: { status: 'applied' } },
  ]);
  t.strictSame(await findFaults(sql), []);
});

t.test(
  'a repeated proposal is the approval that exists; other fields are a conflict',
  async (t) => {
    const merchant_id = await makeLive();
    const wish = buildCorrection({ kind: 'adjustment_debit', merchant_id, amount: '50' });
    const answers = await Promise.all(
      [first, second, first].map((by) => proposeCorrection(by, wish)),
    );
    t.same(
      answers.map(({ status }) => status),
      [202, 202, 202],
    );
    const ids = new Set(answers.map(({ body }) => body['id']));
    t.equal(ids.size, 1);
    const [id] = ids;
    for (const change of [
      { amount: '51' },
      { reason: 'lain' },
      { merchant_id: await makeMerchant(sql) },
    ]) {
      isConflict(t, await proposeCorrection(third, { ...wish, ...change }), /other fields/);
    }
    const sameOfAnotherKind = await proposeCorrection(first, {
      ...wish,
      kind: 'adjustment_credit',
    });
    t.equal(sameOfAnotherKind.status, 202);
    t.match(await approve(third, id), { body: { status: 'applied' } });
    t.match(await proposeCorrection(second, wish), {
      status: 202,
      body: { id, status: 'applied' },
    });
    t.strictSame(
      await readBalances(merchant_id),
      { available: '-50', reserved: '0' },
      'taken once',
    );
    t.strictSame(await findFaults(sql), []);
  },
);

t.test('a rejected proposal does nothing and frees its reference', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection({ kind: 'adjustment_credit', merchant_id, amount: '5' });
  const one = (await proposeCorrection(first, wish)).body['id'];
  const withdrawn = await reject(first, one, 'salah nominal');
  t.match(withdrawn, {
    status: 200,
    body: { status: 'rejected', decision_reason: 'salah nominal' },
  });
  t.equal((await reject(second, one)).status, 200, 'a repeat');
  isConflict(t, await approve(second, one), /rejected/);
  const two = await proposeCorrection(first, { ...wish, amount: '6' });
  t.equal(two.status, 202, 'the reference is free');
  t.not(two.body['id'], one);
  t.strictSame(await readBalances(merchant_id), { available: '0', reserved: '0' });
  t.match(await readAudit(sql, one), [Object, { after: { status: 'rejected' } }]);
});

t.test('two approvals at the same time act once', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection({ kind: 'adjustment_credit', merchant_id, amount: '9' });
  const { id } = (await proposeCorrection(first, wish)).body;
  let deciding: Promise<ApiAnswer[]> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from approvals where id = ${String(id)} for update`;
    deciding = Promise.all([second, third, second, third].map((by) => approve(by, id)));
    await waitUntil('several wait', async () => (await countLockWaits(sql)) >= 2);
  });
  for (const { body, text } of (await deciding) ?? []) t.equal(body['status'], 'applied', text);
  t.strictSame(await readBalances(merchant_id), { available: '9', reserved: '0' });
  t.equal((await readAudit(sql, id)).length, 3, 'proposed, approved and applied once');
});

t.test('a repeat goes on when the process died between approved and applied', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection({ kind: 'adjustment_credit', merchant_id, amount: '3' });
  const { id } = (await proposeCorrection(first, wish)).body;
  await sql`update approvals set status = 'approved', decided_by = ${second.userId}, decided_at = now()
             where id = ${String(id)}`;
  t.match(await showApproval(third, id), { body: { status: 'approved', ended_at: null } });
  t.match(await approve(third, id), { status: 200, body: { status: 'applied' } });
  t.strictSame(await readBalances(merchant_id), { available: '3', reserved: '0' });
});

t.test('the database refuses an approval by its proposer', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection({ kind: 'adjustment_credit', merchant_id, amount: '3' });
  const { id } = (await proposeCorrection(first, wish)).body;
  const alone = sql`update approvals set status = 'approved', decided_by = proposed_by, decided_at = now()
                     where id = ${String(id)}`;
  await t.rejects(alone, /approvals_four_eyes/);
});

t.test('a proposal names what is allowed', async (t) => {
  const merchant_id = await makeLive();
  const wish = buildCorrection({ kind: 'adjustment_credit', merchant_id, amount: '3' });
  const wrong: readonly (readonly [object, string, RegExp])[] = [
    [
      { ...wish, kind: 'gift' },
      'kind',
      /must be one of settlement, reversal, refund, chargeback, adjustment_credit/,
    ],
    [{ ...wish, reference: undefined }, 'reference', /required with the kind adjustment_credit/],
    [
      { ...wish, payment_id: `pay_${'0'.repeat(26)}` },
      'payment_id',
      /takes merchant_id, amount, reference/,
    ],
    [{ ...wish, amount: '-3' }, 'amount', /amount/],
    [{ ...wish, amount: '0' }, 'amount', /amount/],
    [{ ...wish, reason: undefined }, 'reason', /reason/],
    [{ ...wish, currency: 'USD' }, 'currency', /currency/],
  ];
  for (const [body, param, message] of wrong) {
    const answer = await proposeCorrection(first, body);
    t.equal(answer.status, 400, answer.text);
    t.match(answer.body['error'], { param, message });
  }
  const unknown = { ...wish, merchant_id: `mer_${'0'.repeat(26)}` };
  t.equal((await proposeCorrection(first, unknown)).code, 'merchant_not_found');
  t.equal((await approve(second, `appr_${'0'.repeat(26)}`)).code, 'approval_not_found');
});

t.test('a broken approval is found by ledger verify', async (t) => {
  t.strictSame(await findFaults(sql), []);
  const of = `(select min(id) from approvals where kind = 'adjustment_credit' and status = 'applied')`;
  const breaks = {
    'another amount': `update approvals set amount = amount + 1 where id = ${of}`,
    'another kind': `update approvals set kind = 'reserve_hold' where id = ${of}`,
    'not approved': `update approvals set status = 'approved', ended_at = null where id = ${of}`,
    'one person': `update approvals set decided_by = proposed_by where id = ${of}`,
    'no posting': `delete from postings where cause_id = ${of}`,
    'another reason': `update postings set reason = 'gift' where cause_id = ${of}`,
    'no approval': `delete from approvals where id = ${of}`,
    'a reserve below zero': `insert into balances values ('merchant_reserve:mer_x:LIVE:IDR', 'IDR', -1)`,
  };
  for (const [index, [name, broken]] of Object.entries(breaks).entries()) {
    // A schema of its own, which is looked at first.
    await sql.unsafe(`
      create schema broken_${index};
      create table broken_${index}.postings as table public.postings;
      create table broken_${index}.balances as table public.balances;
      create table broken_${index}.approvals as table public.approvals`);
    const copy = postgres(databaseUrl, {
      max: 1,
      connection: { search_path: `broken_${index}, public` },
    });
    await copy.unsafe(broken);
    t.not((await findFaults(copy)).length, 0, name);
    await copy.end({ timeout: 1 });
  }
});
