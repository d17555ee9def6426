// Mutants of the money path: the decisions of a payment and the postings that follow from them.
import type { Mutant } from './mutant.js';

const SETTLEMENT = 'actors/core/payment/settlement.ts';
const REFUNDS = 'actors/core/payment/refunds.ts';
const POSTINGS = 'actors/core/payment/postings.ts';
const CREATE = 'actors/core/payment/create.ts';
const SETTLEMENT_TEST = 'test/core/payment/settlement.test.ts';
const REFUNDS_TEST = 'test/core/payment/refunds.test.ts';
const MATRIX_TEST = 'test/core/payment/matrix/matrix.test.ts';
const REVERSAL_TEST = 'test/core/payment/reversal.test.ts';

export const MONEY_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a rail transaction settles a payment once',
    file: SETTLEMENT,
    from: '  if (findTransaction(state, settlement) !== undefined) return UNCHANGED;\n  const attempt',
    to: '  const attempt',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a settlement of another amount goes to the suspense account',
    file: SETTLEMENT,
    from: "return settlement.amountMinor === state.request.amountMinor ? null : 'amount_differs';",
    to: 'return null;',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a settlement in another currency goes to the suspense account',
    file: SETTLEMENT,
    from: "if (settlement.currency !== state.request.currency) return 'currency_differs';",
    to: '',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a second settlement of a paid payment goes to the suspense account',
    file: SETTLEMENT,
    from: "if (state.capture !== null) return 'already_paid';",
    to: '',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a settlement of an unknown order goes to the suspense account',
    file: SETTLEMENT,
    from: 'if (attempt?.rail !== settlement.rail) {',
    to: 'if (attempt === undefined) {',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a hold is not released early',
    file: SETTLEMENT,
    from: 'if (holdUntilMs === null || nowMs < holdUntilMs) return UNCHANGED;',
    to: 'if (holdUntilMs === null) return UNCHANGED;',
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'the sandbox cannot pay LIVE payments',
    file: SETTLEMENT,
    from: "if (state.environment !== 'TEST') return reject('payment_not_found');",
    to: '',
    caughtBy: MATRIX_TEST,
  },
  {
    breaks: 'a transaction is reversed once',
    file: SETTLEMENT,
    from: "    case 'reversed':\n      return UNCHANGED;\n",
    to: "    case 'reversed':\n",
    caughtBy: REVERSAL_TEST,
  },
  {
    breaks: 'refunds never exceed the payment',
    file: REFUNDS,
    from: 'if (amountMinor <= 0n || amountMinor > refundable)',
    to: 'if (amountMinor <= 0n)',
    caughtBy: REFUNDS_TEST,
  },
  {
    breaks: 'only a paid payment is refunded',
    file: REFUNDS,
    from: "if (state.status !== 'paid') return reject('state_conflict');\n  const refundable",
    to: 'const refundable',
    caughtBy: MATRIX_TEST,
  },
  {
    breaks: 'a merchant refunds only its own payments',
    file: REFUNDS,
    from: "if (!isOfTenant(state, command)) return reject('payment_not_found');",
    to: '',
    caughtBy: MATRIX_TEST,
  },
  {
    breaks: 'a repeated refund is made once',
    file: REFUNDS,
    from: 'if (known !== undefined) return decideRepeat(state, known, command);',
    to: '',
    caughtBy: REFUNDS_TEST,
  },
  {
    breaks: 'a settlement is credited to the merchant and debited from the rail',
    file: POSTINGS,
    from: "return transfer(nameClearing(state, settlement), credit, settlement, 'payment_paid');",
    to: "return transfer(credit, nameClearing(state, settlement), settlement, 'payment_paid');",
    caughtBy: SETTLEMENT_TEST,
  },
  {
    breaks: 'a failed refund gives the reserve back',
    file: POSTINGS,
    from: "return transfer(nameAccount(state, 'refund_clearing'), credit, amount, 'refund_failed');",
    to: 'return [];',
    caughtBy: REFUNDS_TEST,
  },
  {
    breaks: 'a key with another body is a conflict',
    file: CREATE,
    from: 'if (!isOfTenant(state, command) || !isSameRequest(state, command.request)) {',
    to: 'if (!isOfTenant(state, command)) {',
    caughtBy: MATRIX_TEST,
  },
  {
    breaks: 'a refund reserves the amount that it asks for',
    file: POSTINGS,
    from: "return transfer(debit, credit, makeMoney(state, event.amountMinor), 'refund_requested');",
    to: "return transfer(credit, debit, makeMoney(state, event.amountMinor), 'refund_requested');",
    caughtBy: REFUNDS_TEST,
  },
];
