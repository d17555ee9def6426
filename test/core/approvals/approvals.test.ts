// Approvals: their closed sets, the limit, and the postings of corrections of a balance.
import t from 'tap';
import { needsTwoPersons } from '#actors/core/approvals/four-eyes.js';
import {
  APPROVAL_KINDS,
  BALANCE_CORRECTIONS,
  isBalanceCorrection,
  isPaymentCorrection,
  LIMITED_ACTIONS,
  PAYMENT_CORRECTIONS,
} from '#actors/core/approvals/kinds.js';
import { buildApprovalPosting } from '#actors/core/approvals/posting.js';
import { makeId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';

const merchantId = makeId('mer', Buffer.alloc(16, 1));

t.test('each kind is a correction of a payment, of a balance, or an action', (t) => {
  t.strictSame(APPROVAL_KINDS.filter(isBalanceCorrection), BALANCE_CORRECTIONS);
  t.strictSame(APPROVAL_KINDS.filter(isPaymentCorrection), PAYMENT_CORRECTIONS);
  const others = APPROVAL_KINDS.filter(
    (kind) => !isBalanceCorrection(kind) && !isPaymentCorrection(kind),
  );
  t.strictSame(others, LIMITED_ACTIONS);
  t.end();
});

t.test('an amount above the limit needs two persons, in LIVE', (t) => {
  t.equal(needsTwoPersons('LIVE', 11n, 10n), true);
  t.equal(needsTwoPersons('LIVE', 10n, 10n), false, 'the limit itself needs one');
  t.equal(needsTwoPersons('LIVE', 1n, 0n), true, 'a limit of 0 needs two for every amount');
  t.equal(needsTwoPersons('TEST', 11n, 0n), false);
  t.end();
});

t.test('each correction of a balance posts between its accounts', (t) => {
  const available = `merchant_available:${merchantId}:LIVE:IDR`;
  const reserve = `merchant_reserve:${merchantId}:LIVE:IDR`;
  const adjustments = 'adjustments:LIVE:IDR';
  const money = { amountMinor: makeMinor(700n), currency: 'IDR' };
  const expected = {
    adjustment_credit: [adjustments, available, 'adjustment_credited', false],
    adjustment_debit: [available, adjustments, 'adjustment_debited', false],
    reserve_hold: [available, reserve, 'reserve_held', true],
    reserve_release: [reserve, available, 'reserve_released', true],
  } as const;
  for (const kind of BALANCE_CORRECTIONS) {
    const [debit, credit, reason, isLimited] = expected[kind];
    t.strictSame(
      buildApprovalPosting({ kind, merchantId, ...money }),
      { debit, credit, ...money, reason, isLimited },
      kind,
    );
  }
  t.end();
});
