// A gateway is killed while it applies an approval: the change was made, or was not, and the repeat at another gateway stores
// the outcome without moving the money again.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  approve,
  makeAdministrators,
  proposeCorrection,
  showApproval,
} from '#test/support/approvals.js';
import { makeLivePayment } from '#test/support/rails/live-payments.js';
import { AMOUNT, startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant } from '#test/support/processes.js';

const stage = await startOperators(t);
const { service, sql, tell } = stage;
const [victim, survivor] = service.gateways;
const [payments] = service.payments;
if (victim === undefined || survivor === undefined || payments === undefined) {
  throw new Error('two gateways and a payments process run');
}
const [proposer, approver] = await makeAdministrators(sql, [survivor.baseUrl]);
const [hasty] = await makeAdministrators(sql, [victim.baseUrl]);
if (proposer === undefined || approver === undefined || hasty === undefined) {
  throw new Error('three administrators were made');
}
const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });

t.test('a gateway that is killed between approved and applied moves the money once', async (t) => {
  const payment_id = await makeLivePayment(tell, merchantId);
  const wish = { kind: 'settlement', payment_id, rail: 'midtrans', amount: AMOUNT, reason: 'uji' };
  const named = { ...wish, rail_transaction_id: uniqueTransaction() };
  const id = String((await proposeCorrection(proposer, named)).body['id']);
  const accounts = { pending: `merchant_pending:${merchantId}:LIVE:IDR` };
  const moves = await stage.movesOf(accounts, async () => {
    payments.pause();
    const lost = approve(hasty, id).then(
      ({ status }) => status,
      () => 'cut',
    );
    await waitUntil('the gateway has claimed the approval', async () => {
      const [row] = await sql<{ claim: number }[]>`select claim from approvals where id = ${id}`;
      return row?.claim === 1;
    });
    await victim.kill();
    t.equal(await lost, 'cut');
    t.match((await showApproval(approver, id)).body, { status: 'approved' });
    payments.resume();
    await sql`update approvals set claimed_until = now() where id = ${id}`;
    await waitUntil('the repeat is answered', async () => {
      const repeated = await approve(approver, id);
      return repeated.body['status'] === 'applied';
    });
  });
  t.strictSame(moves, { pending: 1 });
  const decided = { status: 'applied', proposed_by: proposer.userId, decided_by: hasty.userId };
  t.match((await showApproval(approver, id)).body, decided);
  t.strictSame(await stage.findFaults(), []);
});
