// Xendit's list of transactions: entries as documented, and entries that must not be skipped.
import t from 'tap';
import { doubts, scriptRails } from '#test/support/rails/scripted.js';
import { ORDER, UNKNOWN } from '#test/support/rails/xendit.js';

const { signal } = new AbortController();
const { xendit, midtrans, asked, say } = await scriptRails(t);
const FROM_MS = Date.parse('2026-08-01T17:00:00Z');
const PATH =
  '/transactions?types=PAYMENT&limit=50&created%5Bgte%5D=2026-08-01T17%3A00%3A00.000Z' +
  '&created%5Blte%5D=2026-08-02T16%3A59%3A59.999Z';
const ENTRY = {
  id: 'txn_c8baac85-5f3d-4e82-b9f6-b9a94b53b9bc',
  product_id: 'py-1fdaf346-dd2e-4b6c-b938-124c7167a822',
  type: 'PAYMENT',
  status: 'SUCCESS',
  channel_category: 'VIRTUAL_ACCOUNT',
  channel_code: 'BNI',
  reference_id: ORDER,
  account_identifier: '999964652719',
  currency: 'IDR',
  amount: 150_000,
  net_amount: 145_005,
  cashflow: 'MONEY_IN',
  settlement_status: 'SETTLED',
  created: '2026-08-02T07:54:33.600Z',
  updated: '2026-08-02T07:54:36.923Z',
};
const list = (after: string | null = null) =>
  xendit.listTransactions?.({ fromMs: FROM_MS, toMs: FROM_MS + 86_400_000, after }, signal);
const page = (data: unknown, hasMore: unknown = false) => ({ body: { has_more: hasMore, data } });

t.test('a page lists payments as documented, with the cursor of the next page', async (t) => {
  say({
    [`GET ${PATH}`]: page([ENTRY, { ...ENTRY, status: 'REVERSED', product_id: 'pr-1' }], true),
  });
  t.same(await list(), {
    result: 'page',
    transactions: [
      {
        state: 'settled',
        orderId: ORDER,
        railTransactionId: ENTRY.product_id,
        railReference: ENTRY.product_id,
        amountMinor: 150_000n,
        currency: 'IDR',
      },
      {
        state: 'reversed',
        orderId: ORDER,
        railTransactionId: null,
        railReference: 'pr-1',
        amountMinor: 150_000n,
        currency: 'IDR',
      },
    ],
    next: ENTRY.id,
  });
  t.equal(asked.length, 1);
  say({ [`GET ${PATH}&after_id=${ENTRY.id}`]: page([]) });
  t.same(await list(ENTRY.id), { result: 'page', transactions: [], next: null });
  const noMoney = ['PENDING', 'FAILED', 'VOIDED'].map((status) => ({ ...ENTRY, status }));
  const other = { ...ENTRY, product_id: 'qrpy_1', currency: 'USD' };
  say({ [`GET ${PATH}`]: page([...noMoney, other]) });
  t.match(await list(), {
    transactions: [{ railTransactionId: null, railReference: null, currency: 'USD' }],
  });
});

t.test('a page with an entry that is not understood is unknown', async (t) => {
  const pages = [
    page([{ ...ENTRY, reference_id: '' }]),
    page([{ ...ENTRY, amount: '150000.50' }]),
    page([{ ...ENTRY, type: 'REFUND' }]),
    page([ENTRY, {}]),
    page([], true),
    page([ENTRY], 'no'),
    page('none'),
  ];
  for (const answer of [...pages, ...Object.values(doubts(page([ENTRY]).body))]) {
    say({ [`GET ${PATH}`]: answer });
    t.same(await list(), UNKNOWN, JSON.stringify(answer).slice(0, 80));
  }
});

t.test('Midtrans has no list', (t) => {
  t.equal(midtrans.listTransactions, null);
  t.end();
});
