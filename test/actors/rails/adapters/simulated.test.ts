// Both adapters against the simulator without faults: charge, pay, inquire, close, refund, pay out, reverse.
import t from 'tap';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { ChargeCallAnswer, Rail } from '#actors/rails/adapters/rail.js';
import {
  chargeOf,
  closeOf,
  NOBODY,
  orderOf,
  payoutOf,
  refundOf,
} from '#test/support/rails/orders.js';
import { settlementOf, simulateRails } from '#test/support/rails/simulator.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';

const METHODS: ChargeableMethod[] = [
  'QRIS',
  'VA_BCA',
  'VA_BNI',
  'VA_BRI',
  'VA_MANDIRI',
  'VA_PERMATA',
];
const { signal } = new AbortController();
const { control, midtrans, xendit, plan } = await simulateRails(t);

function accepted(answer: ChargeCallAnswer) {
  if (answer.result !== 'accepted') throw new Error(answer.result);
  const { instructions, railReference } = answer;
  const payBy = instructions?.kind === 'qr' ? instructions.payload : instructions?.number;
  return { instructions, railReference, payBy };
}

for (const [name, rail] of [
  ['midtrans', midtrans],
  ['xendit', xendit],
] as const) {
  t.test(
    `${name}: a charge of each method is paid by its instructions and found settled`,
    async (t) => {
      for (const method of METHODS) {
        const call = chargeOf(name, method);
        const { instructions, railReference, payBy } = accepted(
          await rail.charge(call, NOBODY, signal),
        );
        t.equal(instructions?.kind, method === 'QRIS' ? 'qr' : 'virtual_account', method);
        if (instructions?.kind === 'qr') t.ok(hasValidCrc(instructions.payload));
        else
          t.equal(
            instructions?.billerCode !== null,
            name === 'midtrans' && method === 'VA_MANDIRI',
          );
        const order = orderOf(call, railReference);
        t.match(await rail.inquirePayment(order, signal), {
          result: 'open',
          charge: { railReference },
        });
        await control('POST', 'pay', { pay_by: payBy });
        const settlement = settlementOf(await rail.inquirePayment(order, signal));
        t.match(settlement, {
          rail: name,
          orderId: call.orderId,
          amountMinor: 150_000n,
          currency: 'IDR',
        });
        t.equal(
          settlementOf(await rail.inquirePayment(order, signal)).railTransactionId,
          settlement.railTransactionId,
        );
      }
    },
  );

  t.test(`${name}: an open order is closed, a paid one is not`, async (t) => {
    for (const purpose of ['cancel', 'expire'] as const) {
      const call = chargeOf(name, 'VA_BNI');
      const { railReference, payBy } = accepted(await rail.charge(call, NOBODY, signal));
      t.same(await rail.close(closeOf(call, railReference, purpose), signal), { result: 'closed' });
      t.same(
        await rail.close(closeOf(call, railReference, purpose), signal),
        { result: 'closed' },
        'again',
      );
      await t.rejects(control('POST', 'pay', { pay_by: payBy }), /the order is/);
      const other = chargeOf(name, 'VA_BNI');
      const open = accepted(await rail.charge(other, NOBODY, signal));
      await control('POST', 'pay', { pay_by: open.payBy });
      t.match(await rail.close(closeOf(other, open.railReference, purpose), signal), {
        result: 'settled',
        settlement: { orderId: other.orderId },
      });
    }
  });

  t.test(
    `${name}: a QRIS payment is refunded once, however often the refund is requested`,
    async (t) => {
      const call = chargeOf(name, 'QRIS');
      const { railReference, payBy } = accepted(await rail.charge(call, NOBODY, signal));
      await control('POST', 'pay', { pay_by: payBy });
      const { railTransactionId } = settlementOf(
        await rail.inquirePayment(orderOf(call, railReference), signal),
      );
      const refund = refundOf(call, { railReference, railTransactionId });
      t.same(
        await rail.inquireRefund(refund, signal),
        { result: 'unknown', isAbsent: true },
        'none is no proof',
      );
      t.match(await rail.refund(refund, signal), { result: /succeeded|pending/ });
      t.match(await rail.refund(refund, signal), { result: /succeeded|pending/ });
      await waitUntil('the refund succeeds', async () => {
        return (await rail.inquireRefund(refund, signal)).result === 'succeeded';
      });
      t.match(await control('GET', `orders/${call.orderId}`), {
        refunds: [{ amountMinor: '50000' }],
      });
      const more = refundOf(call, { railReference, railTransactionId }, { amount: 50_001n });
      t.same(await rail.refund(more, signal), { result: 'unknown' }, 'our id with another amount');
      t.equal(
        (await rail.inquirePayment(orderOf(call, railReference), signal)).result,
        'settled',
        'the money came',
      );
    },
  );

  t.test(`${name}: a refund of a virtual account is manual_required, without a call`, async (t) => {
    await plan({ kind: 'reset', operation: 'refund' }, { kind: 'reset', operation: 'status' });
    const of = { railReference: 'r', railTransactionId: 'tx' };
    for (const method of METHODS.slice(1)) {
      const refund = refundOf(chargeOf(name, method), of);
      t.same(await rail.refund(refund, signal), { result: 'manual_required' }, method);
      t.same(await rail.inquireRefund(refund, signal), { result: 'manual_required' });
    }
    await plan();
  });
}

t.test('midtrans: a denial before the settlement is a failure, after it a reversal', async (t) => {
  const call = chargeOf('midtrans', 'VA_PERMATA');
  const { railReference } = accepted(await midtrans.charge(call, NOBODY, signal));
  await control('POST', `orders/${call.orderId}/deny`);
  t.same(await midtrans.inquirePayment(orderOf(call, railReference), signal), {
    result: 'failed',
    failureCode: 'declined',
  });
  t.same(await midtrans.inquirePayment(orderOf(call, railReference, railReference), signal), {
    result: 'reversed',
    railTransactionId: railReference,
  });
  const paid = chargeOf('midtrans', 'VA_MANDIRI');
  await midtrans.charge(paid, NOBODY, signal);
  await control('POST', 'pay', { order_id: paid.orderId });
  const { railTransactionId } = settlementOf(await midtrans.inquirePayment(orderOf(paid), signal));
  await control('POST', `orders/${paid.orderId}/reverse`);
  t.same(await midtrans.inquirePayment(orderOf(paid), signal), {
    result: 'reversed',
    railTransactionId,
  });
});

t.test('midtrans: an expired order has failed, no later than the expiry requested', async (t) => {
  const expiresAtMs = Date.now() + 2_500;
  const call = chargeOf('midtrans', 'QRIS', { expiresAtMs });
  await midtrans.charge(call, NOBODY, signal);
  const { expiresAtMs: theirs } = (await control('GET', `orders/${call.orderId}`)) as {
    expiresAtMs: number;
  };
  t.ok(theirs <= expiresAtMs && theirs > expiresAtMs - 2_100);
  await waitUntil('it expires', async () => {
    return (await midtrans.inquirePayment(orderOf(call), signal)).result === 'failed';
  });
  t.match(await midtrans.inquirePayment(orderOf(call), signal), { failureCode: 'expired' });
});

t.test('xendit: a late or second payment is found under its own id', async (t) => {
  const call = chargeOf('xendit', 'VA_BRI', { expiresAtMs: Date.now() + 1_000 });
  const { railReference } = accepted(await xendit.charge(call, NOBODY, signal));
  const order = orderOf(call, railReference);
  await waitUntil('it expires', async () => {
    return (await xendit.inquirePayment(order, signal)).result === 'failed';
  });
  await control('POST', 'pay', { order_id: call.orderId, forced: true });
  const first = settlementOf(await xendit.inquirePayment(order, signal));
  t.match(first, { amountMinor: 150_000n, settledAtMs: Number });
  await control('POST', 'pay', { order_id: call.orderId, forced: true, amount: '7' });
  const second = settlementOf(await xendit.inquirePayment(order, signal));
  t.equal(second.amountMinor, 7n, 'what was captured, not what was asked');
  t.not(second.railTransactionId, first.railTransactionId);
  await plan({ kind: 'server_error', operation: 'status', times: 1 });
  t.same(await xendit.inquirePayment(order, signal), { result: 'unknown' });
  await plan();
});

t.test('xendit: a payout ends as the bank decides, once for one id', async (t) => {
  const endings = {
    '1234567890': { result: 'completed' },
    '123456': { result: 'failed', failureCode: 'bank_unavailable' },
    '999999': { result: 'failed', failureCode: 'rejected_by_bank' },
    '121212': { result: 'failed', failureCode: 'account_invalid' },
    '654321': { result: 'reversed' },
    '131313': { result: 'pending' },
  };
  for (const [accountNumber, ending] of Object.entries(endings)) {
    const order = payoutOf({ accountNumber });
    t.match(await xendit.payOut(order, signal), { result: 'pending' });
    await xendit.payOut(order, signal);
    await waitUntil(`a payout to ${accountNumber} ends`, async () => {
      return (await xendit.inquirePayout(order, signal)).result === ending.result;
    });
    t.match(await xendit.inquirePayout(order, signal), ending);
  }
  const all = (await control('GET', 'payouts')) as { data: unknown[] };
  t.equal(all.data.length, Object.keys(endings).length);
  t.same(
    await xendit.inquirePayout(payoutOf(), signal),
    { result: 'unknown', isAbsent: true },
    'none is no proof',
  );
  t.match(await xendit.payOut(payoutOf({ bankCode: 'NOWHERE' }), signal), { result: 'failed' });
});

t.test('midtrans: a payout is rejected as a bug', async (t) => {
  t.equal(midtrans.capabilities.canPayOut, false);
  await t.rejects(midtrans.payOut(payoutOf(), signal));
  await t.rejects(midtrans.inquirePayout(payoutOf(), signal));
});

t.test('a charge without time left is refused without a call', async (t) => {
  await plan({ kind: 'reset', operation: 'charge' });
  for (const [name, rail] of Object.entries<Rail>({ midtrans, xendit })) {
    const call = chargeOf(rail.name, 'QRIS', { expiresAtMs: Date.now() + 100 });
    t.same(
      await rail.charge({ ...call, expiresAtMs: Date.now() - 1 }, NOBODY, signal),
      { result: 'refused' },
      name,
    );
  }
  await plan();
});
