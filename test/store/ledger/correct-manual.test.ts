// Books of an earlier version, which posted to the rail what was paid by hand: verification finds it, and one command corrects
// it, once.
import t from 'tap';
import { runKasir } from '#test/support/kasir.js';
import { startOperators, uniqueTransaction } from '#test/support/operators.js';

const stage = await startOperators(t);
const { sql, office, service } = stage;
const BANK = 'rail_clearing:manual:TEST:IDR';
const RAIL = 'rail_clearing:sandbox:TEST:IDR';

const resolve = async (taskId: string, body: object): Promise<void> => {
  const { status, text } = await office.call(`/v1/admin/tasks/${taskId}/resolve`, {
    method: 'POST',
    body: { note: 'uji', ...body },
  });
  t.equal(status, 200, text);
};

async function refundByHand(): Promise<void> {
  const paymentId = await stage.makePaid('10094');
  const body = { payment_id: paymentId, amount: '94' };
  const refund = await service.api.call('/v1/refunds', { method: 'POST', body });
  const { status } = await office.call(`/v1/admin/refunds/${String(refund.body['id'])}/complete`, {
    method: 'POST',
    body: { external_reference: 'TRF-1' },
  });
  t.equal(status, 200);
}

async function returnSuspense(isTakenBack: boolean): Promise<void> {
  const paymentId = await stage.makePaid();
  const transaction = uniqueTransaction();
  await stage.settle(paymentId, transaction);
  const task = await stage.findTask(paymentId, 'settlement_suspended');
  await resolve(task.id, { action: 'return', external_reference: 'TRF-2' });
  if (!isTakenBack) return;
  await stage.reverse(paymentId, transaction);
  const reversal = await stage.findTask(paymentId, 'suspense_reversed');
  await resolve(reversal.id, { action: 'match' });
}

/** Rewrites the books as the earlier version wrote them. */
async function makeOld(): Promise<void> {
  await sql`update postings set credit = ${RAIL} where credit = ${BANK}`;
  await sql`update postings set debit = ${RAIL} where debit = ${BANK}`;
  await sql`delete from balance_rows`;
  await sql`
    insert into balance_rows (account, currency, amount)
    select account, split_part(account, ':', -1), sum(amount)
      from (select debit as account, -amount as amount from postings
            union all select credit, amount from postings) as moves
     group by account`;
}

async function listCorrections(): Promise<readonly object[]> {
  const rows = await sql`
    select actor, after from audit_log where action = 'ledger.correct_manual' order by id`;
  return [...rows];
}

t.test('manual postings to a rail are found and corrected once', async (t) => {
  await refundByHand();
  await returnSuspense(false);
  await returnSuspense(true);
  t.strictSame(await stage.findFaults(), []);
  const [bank, rail] = [await stage.balanceOf(BANK), await stage.balanceOf(RAIL)];
  await makeOld();
  const kinds = (await stage.findFaults()).map((fault) => (fault as { kind: string }).kind);
  t.strictSame([...new Set(kinds)].sort(), ['payment', 'task']);

  const correct = async (...options: readonly string[]): Promise<unknown> => {
    const words = ['ledger', 'correct-manual', '--json', ...options];
    const { stdout, stderr } = await runKasir({ DATABASE_URL: service.databaseUrl }, ...words);
    return stdout === '' ? stderr : JSON.parse(stdout);
  };
  const faults = await stage.findFaults();
  t.strictSame(await correct('--dry-run'), { corrections: 4, dryRun: true });
  t.strictSame(await stage.findFaults(), faults, 'a dry run changes nothing');
  t.strictSame(await listCorrections(), []);
  t.strictSame(await correct(), { corrections: 4, dryRun: false });
  t.strictSame(await correct('--dry-run'), { corrections: 0, dryRun: true });
  t.strictSame(
    await correct(),
    { corrections: 0, dryRun: false },
    'a repeated call changes nothing',
  );
  t.strictSame(await stage.findFaults(), []);
  t.match(await listCorrections(), [{ actor: /^operator /, after: '{"postings" : 4}' }]);
  t.equal(await stage.balanceOf(BANK), bank);
  t.equal(await stage.balanceOf(RAIL), rail);
});

t.test('a sound ledger needs no correction', async (t) => {
  await refundByHand();
  await returnSuspense(true);
  const { stdout } = await runKasir(
    { DATABASE_URL: service.databaseUrl },
    'ledger',
    'correct-manual',
  );
  t.equal(stdout, '0 posting(s) corrected\n');
  t.strictSame(await stage.findFaults(), []);
});
