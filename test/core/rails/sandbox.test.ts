import t from 'tap';
import { makeId, deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { hasCardData } from '#actors/core/card-data.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import {
  findSandboxBehaviour,
  buildSandboxInstructions,
  answerSandboxRefund,
  buildSandboxSettlement,
} from '#actors/core/rails/sandbox.js';

const orderIds = Array.from({ length: 100 }, (_, index) =>
  deriveOrderId(
    makeId(
      'pay',
      Uint8Array.from({ length: 16 }, () => index),
    ),
    1,
  ),
);
const orderId = orderIds[0] ?? deriveOrderId(makeId('pay', new Uint8Array(16)), 1);
const amountMinor = makeMinor(150_000n);

function qrOf(amount: bigint): string {
  const shown = buildSandboxInstructions({
    orderId,
    method: 'QRIS',
    amountMinor: makeMinor(amount),
  });
  return shown?.kind === 'qr' ? shown.payload : '';
}

t.test('a sandbox QR code is well formed and has no issuer of QRIS', (t) => {
  for (const amount of [1n, 150_000n, 10_000_000n]) {
    const payload = qrOf(amount);
    t.ok(hasValidCrc(payload));
    t.match(payload, /^000201010212/, 'dynamic');
    t.notMatch(payload, /QRIS/, 'not the national issuer');
    t.match(payload, /5912TEST PAYMENT/, 'the name shows TEST');
    t.match(payload, `54${String(String(amount).length).padStart(2, '0')}${amount}`);
  }
  t.not(qrOf(1n), qrOf(2n));
  t.end();
});

t.test('a sandbox virtual account number begins with zeros', (t) => {
  const methods: readonly ChargeableMethod[] = [
    'VA_BCA',
    'VA_BNI',
    'VA_BRI',
    'VA_MANDIRI',
    'VA_PERMATA',
  ];
  for (const method of methods) {
    const shown = buildSandboxInstructions({ orderId, method, amountMinor });
    t.match(shown, {
      kind: 'virtual_account',
      number: /^000000\d{10}$/,
      billerCode: method === 'VA_MANDIRI' ? '00000' : null,
    });
  }
  const numbers = orderIds.map((order) => {
    const shown = buildSandboxInstructions({ orderId: order, method: 'VA_BCA', amountMinor });
    return shown?.kind === 'virtual_account' ? shown.number : '';
  });
  t.equal(new Set(numbers).size, orderIds.length);
  t.notOk(numbers.some(hasCardData));
  t.equal(buildSandboxInstructions({ orderId, method: null, amountMinor }), null);
  t.end();
});

t.test('the settlement of an order always has the same transaction id', (t) => {
  const money = { amountMinor, currency: 'IDR' };
  t.strictSame(buildSandboxSettlement(orderId, money), {
    rail: 'sandbox',
    railTransactionId: `sandbox-${orderId}`,
    orderId,
    amountMinor,
    currency: 'IDR',
    settledAtMs: null,
  });
  t.end();
});

t.test('only the exact magic amounts have a behaviour', (t) => {
  const behaviours = [10_090n, 10_091n, 10_092n, 10_093n, 10_094n, 10_095n, 10_096n, 10_097n].map(
    (amount) => findSandboxBehaviour(makeMinor(amount)),
  );
  t.same(behaviours, [
    'waits',
    'fails',
    'pays',
    'expires',
    'pays_and_refunds_by_hand',
    'expires_then_pays',
    'pays_then_reverses',
    'waits',
  ]);
  t.equal(answerSandboxRefund(makeMinor(10_094n)).result, 'manual_required');
  t.equal(answerSandboxRefund(makeMinor(10_092n)).result, 'succeeded');
  t.end();
});
