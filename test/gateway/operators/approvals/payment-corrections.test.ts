// Corrections of LIVE payments over HTTP: what a rail did is proposed by one administrator, approved by another one, and
// booked once by the payment's actor.
import t from 'tap';
import { deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  approve,
  makeAdministrators,
  proposeCorrection,
  readAudit,
} from '#test/support/approvals.js';
import { AMOUNT, startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant } from '#test/support/processes.js';
import { makeLivePayment } from '#test/support/rails/live-payments.js';

const stage = await startOperators(t);
const { service, sql, tell } = stage;
const baseUrls = service.gateways.map(({ baseUrl }) => baseUrl);
const [first, second, third] = await makeAdministrators(sql, baseUrls);
const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
// A rail's money is held for some days before it is available.
const PENDING = `merchant_pending:${merchantId}:LIVE:IDR`;
const SUSPENSE = `suspense:${merchantId}:LIVE:IDR`;
const CLEARING = 'rail_clearing:midtrans:LIVE:IDR';
const ACCOUNTS = { pending: PENDING, suspense: SUSPENSE, clearing: CLEARING };

const makeLive = (): Promise<PaymentId> => makeLivePayment(tell, merchantId);

const buildSettlement = (payment_id: PaymentId, rail_transaction_id: string) => ({
  ...{ kind: 'settlement', payment_id, rail: 'midtrans', rail_transaction_id },
  ...{ amount: AMOUNT, reason: 'uji' },
});

const buildReversal = (payment_id: PaymentId, rail_transaction_id: string) => ({
  ...{ kind: 'reversal', payment_id, rail: 'midtrans', rail_transaction_id, reason: 'uji' },
});

async function correct(body: object): Promise<ApiAnswer> {
  const proposed = await proposeCorrection(first, body);
  if (proposed.status !== 202) throw new Error(proposed.text);
  return approve(second, proposed.body['id']);
}

async function findStatus(id: PaymentId): Promise<string | undefined> {
  const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
  return row?.status;
}

t.test('a settlement and its reversal are booked by the payment, once', async (t) => {
  const id = await makeLive();
  const transaction = uniqueTransaction();
  const wish = buildSettlement(id, transaction);
  const moves = await stage.movesOf(ACCOUNTS, async () => {
    const proposed = await proposeCorrection(first, wish);
    t.equal(proposed.status, 202, proposed.text);
    const about = { payment_id: id, merchant_id: merchantId, amount: AMOUNT };
    t.match(proposed.body, { ...about, reference: `midtrans:${transaction}`, status: 'proposed' });
    t.equal(await findStatus(id), 'pending');
    t.equal((await approve(first, proposed.body['id'])).code, 'state_conflict');
    const deciding = [second, third, second].map((by) => approve(by, proposed.body['id']));
    for (const { status, body, text } of await Promise.all(deciding)) {
      t.ok(status === 504 || body['status'] === 'applied', text);
    }
    t.match(await approve(third, proposed.body['id']), {
      status: 200,
      body: { status: 'applied' },
    });
    t.match(await proposeCorrection(third, wish), { status: 202, body: { status: 'applied' } });
    t.equal((await readAudit(sql, proposed.body['id'])).length, 3);
  });
  t.strictSame(moves, { pending: 1, clearing: -1 });
  t.equal(await findStatus(id), 'paid');

  const back = await stage.movesOf(ACCOUNTS, async () => {
    const reversed = await correct(buildReversal(id, transaction));
    t.match(reversed, { status: 200, body: { status: 'applied', amount: AMOUNT } }, reversed.text);
  });
  t.strictSame(back, { pending: -1, clearing: 1 });
  t.equal(await findStatus(id), 'failed');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a settlement that is not the amount of the payment goes to suspense', async (t) => {
  const id = await makeLive();
  const wish = { ...buildSettlement(id, uniqueTransaction()), amount: String(2 * Number(AMOUNT)) };
  const moves = await stage.movesOf(ACCOUNTS, async () => {
    t.match(await correct(wish), { body: { status: 'applied' } });
  });
  t.strictSame(moves, { suspense: 2, clearing: -2 });
  const { body } = await first.api.call('/v1/admin/tasks?kind=settlement_suspended&limit=100');
  t.match(
    (body['data'] as { payment_id: string }[]).filter((task) => task.payment_id === id),
    [{ status: 'open' }],
  );
  t.strictSame(await stage.findFaults(), []);
});

t.test(
  'a refund and a chargeback that the rail made are booked on the merchant, once',
  async (t) => {
    const id = await makeLive();
    await correct(buildSettlement(id, uniqueTransaction()));
    const of = { payment_id: id, rail: 'midtrans', reason: 'uji' };
    for (const [kind, origin] of [
      ['refund', 'rail'],
      ['chargeback', 'chargeback'],
    ]) {
      const amount = String(Number(AMOUNT) / 5);
      const rail_transaction_id = uniqueTransaction();
      const wish = { ...of, kind, amount, rail_transaction_id };
      const moves = await stage.movesOf(ACCOUNTS, async () => {
        const applied = await correct(wish);
        t.match(applied.body, { status: 'applied', refund_id: /^ref_/, kind }, applied.text);
        t.match(await approve(third, applied.body['id']), { body: { status: 'applied' } });
        t.match(await proposeCorrection(third, wish), { status: 202, body: { status: 'applied' } });
      });
      t.strictSame(moves, { pending: -0.2, clearing: 0.2 });
      const { body } = await first.api.call('/v1/admin/refunds?environment=LIVE&limit=1');
      const shown = { status: 'SUCCEEDED', external_reference: rail_transaction_id, origin };
      t.match(body['data'], [{ payment_id: id, amount, ...shown }]);
      const other = kind === 'refund' ? 'chargeback' : 'refund';
      const twice = await proposeCorrection(first, { ...wish, kind: other });
      t.equal(twice.code, 'state_conflict', 'one movement of the rail is booked once');
    }
    const much = {
      ...of,
      kind: 'refund',
      amount: AMOUNT,
      rail_transaction_id: uniqueTransaction(),
    };
    t.equal((await proposeCorrection(first, much)).code, 'refund_exceeds_payment');
    t.strictSame(await stage.findFaults(), []);
  },
);

t.test('a chargeback that the payment does not allow any more is refused', async (t) => {
  const id = await makeLive();
  const transaction = uniqueTransaction();
  await correct(buildSettlement(id, transaction));
  const wish = { ...buildSettlement(id, uniqueTransaction()), kind: 'chargeback' };
  const proposed = await proposeCorrection(first, wish);
  await correct(buildReversal(id, transaction));
  const refused = await approve(second, proposed.body['id']);
  t.match(refused.body, { status: 'refused', outcome: { code: 'state_conflict' } }, refused.text);
  t.equal((await proposeCorrection(first, wish)).code, 'state_conflict', 'nor proposed again');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a settlement that another payment has booked is refused', async (t) => {
  const [one, two] = [await makeLive(), await makeLive()];
  const transaction = uniqueTransaction();
  const wish = await proposeCorrection(first, buildSettlement(two, transaction));
  await tell({
    ...({ type: 'settle', paymentId: one } as const),
    settlement: {
      ...({ rail: 'midtrans', railTransactionId: transaction, currency: 'IDR' } as const),
      ...{ orderId: deriveOrderId(one, 1), amountMinor: makeMinor(BigInt(AMOUNT)) },
      settledAtMs: null,
    },
  });
  const refused = await approve(second, wish.body['id']);
  t.match(
    refused.body,
    { status: 'refused', outcome: { message: /another payment/ } },
    refused.text,
  );
  t.equal(await findStatus(two), 'pending');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a settlement that the rail reports before the approval is booked once', async (t) => {
  const id = await makeLive();
  const transaction = uniqueTransaction();
  const moves = await stage.movesOf(ACCOUNTS, async () => {
    const wish = await proposeCorrection(first, buildSettlement(id, transaction));
    const settlement = { orderId: deriveOrderId(id, 1), amountMinor: makeMinor(BigInt(AMOUNT)) };
    const named = { rail: 'midtrans', railTransactionId: transaction, currency: 'IDR' } as const;
    await tell({
      ...({ type: 'settle', paymentId: id } as const),
      settlement: { ...settlement, ...named, settledAtMs: null },
    });
    t.match(await approve(second, wish.body['id']), { body: { status: 'applied' } });
  });
  t.strictSame(moves, { pending: 1, clearing: -1 });
  t.strictSame(await stage.findFaults(), []);
});

t.test('a repeat goes on when the process died between approved and applied', async (t) => {
  const id = await makeLive();
  const wish = await proposeCorrection(first, buildSettlement(id, uniqueTransaction()));
  const approval = String(wish.body['id']);
  await sql`
    update approvals set status = 'approved', decided_by = ${second.userId}, decided_at = now(), claim = 1,
           claimed_until = now() + interval '1 hour'
     where id = ${approval}`;
  t.match(await approve(third, approval), { status: 504, code: 'outcome_unknown' }, 'another acts');
  await sql`update approvals set claimed_until = now() where id = ${approval}`;
  t.match(await approve(third, approval), { status: 200, body: { status: 'applied' } });
  t.equal(await findStatus(id), 'paid');
});

t.test('a proposal about a payment names what is allowed', async (t) => {
  const id = await makeLive();
  const transaction = uniqueTransaction();
  const wish = buildSettlement(id, transaction);
  const test = await stage.makePaid();
  const wrong: readonly (readonly [object, string, RegExp])[] = [
    [{ ...wish, payment_id: test }, 'payment_id', /LIVE/],
    [{ ...wish, rail: 'xendit' }, 'rail', /must be that of this payment: midtrans/],
    [{ ...wish, kind: 'refund' }, 'rail', /no money of this payment/],
    [{ ...wish, order_id: deriveOrderId(id, 2) }, 'order_id', /order of this payment/],
    [{ ...wish, merchant_id: merchantId }, 'merchant_id', /not allowed with the kind settlement/],
    [buildReversal(id, transaction), 'rail_transaction_id', /it has none/],
    [{ ...buildReversal(id, transaction), amount: '1' }, 'amount', /not allowed/],
  ];
  for (const [body, param, message] of wrong) {
    const answer = await proposeCorrection(first, body);
    t.equal(answer.status, 400, answer.text);
    t.match(answer.body['error'], { param, message });
  }
  const unknown = { ...wish, payment_id: `pay_${'0'.repeat(26)}` };
  t.equal((await proposeCorrection(first, unknown)).code, 'payment_not_found');
  await correct(wish);
  const again = await proposeCorrection(first, { ...wish, amount: '1' });
  t.equal(again.code, 'state_conflict', 'with another amount');
});
