// Xendit's list of transactions: payments, refunds, chargebacks and payouts as documented, and entries that must not be
// skipped.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { doubts, scriptRails } from '#test/support/rails/scripted.js';
import { ORDER, UNKNOWN } from '#test/support/rails/xendit.js';

const { signal } = new AbortController();
const { xendit, midtrans, asked, say } = await scriptRails(t);
const FROM_MS = Date.parse('2026-08-01T17:00:00Z');
const PATH =
  '/transactions?limit=50&created%5Bgte%5D=2026-08-01T17%3A00%3A00.000Z' +
  '&created%5Blte%5D=2026-08-02T16%3A59%3A59.999Z';
const TYPES = '&types=PAYMENT&types=REFUND&types=CHARGEBACK&types=DISBURSEMENT';
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
    [`GET ${PATH}${TYPES}`]: page(
      [ENTRY, { ...ENTRY, status: 'REVERSED', product_id: 'pr-1' }],
      true,
    ),
  });
  t.same(await list(), {
    result: 'page',
    transactions: [
      {
        kind: 'payment',
        state: 'settled',
        orderId: ORDER,
        railTransactionId: ENTRY.product_id,
        railReference: ENTRY.product_id,
        otherId: null,
        amountMinor: 150_000n,
        currency: 'IDR',
      },
      {
        kind: 'payment',
        state: 'reversed',
        orderId: ORDER,
        railTransactionId: null,
        railReference: 'pr-1',
        otherId: null,
        amountMinor: 150_000n,
        currency: 'IDR',
      },
    ],
    next: ENTRY.id,
  });
  t.equal(asked.length, 1);
  say({ [`GET ${PATH}&after_id=${ENTRY.id}${TYPES}`]: page([]) });
  t.same(await list(ENTRY.id), { result: 'page', transactions: [], next: null });
  const noMoney = ['PENDING', 'FAILED', 'VOIDED'].map((status) => ({ ...ENTRY, status }));
  const other = { ...ENTRY, product_id: 'qrpy_1', currency: 'USD' };
  say({ [`GET ${PATH}${TYPES}`]: page([...noMoney, other]) });
  t.match(await list(), {
    transactions: [
      { railTransactionId: null, railReference: null, otherId: 'qrpy_1', currency: 'USD' },
    ],
  });
});

t.test('a page with an entry that is not understood is unknown', async (t) => {
  const pages = [
    page([{ ...ENTRY, reference_id: '' }]),
    page([{ ...ENTRY, amount: '150000.50' }]),
    page([{ ...ENTRY, type: 'TOPUP' }]),
    page([{ ...ENTRY, type: 'REFUND', amount: '1.50' }]),
    page([{ ...ENTRY, type: 'DISBURSEMENT', status: 'LOST' }]),
    page([ENTRY, {}]),
    page([], true),
    page([ENTRY], 'no'),
    page('none'),
  ];
  for (const answer of [...pages, ...Object.values(doubts(page([ENTRY]).body))]) {
    say({ [`GET ${PATH}${TYPES}`]: answer });
    t.same(await list(), UNKNOWN, JSON.stringify(answer).slice(0, 80));
  }
});

t.test('refunds of ours, of the dashboard, and chargebacks name their orders', async (t) => {
  const ours = makeId('ref', Buffer.alloc(16, 7));
  const refund = (id: string, reference: string) => ({
    ...{ ...ENTRY, id: `txn_${id}`, type: 'REFUND', product_id: id, reference_id: reference },
  });
  const chargeback = { ...ENTRY, type: 'CHARGEBACK', product_id: 'cb-1', amount: 2_000 };
  const named = { ...chargeback, product_data: { payment_request_id: 'pr-1' } };
  const request = {
    ...{ payment_request_id: 'pr-1', reference_id: ORDER, status: 'SUCCEEDED' },
    ...{ request_amount: 1, currency: 'IDR' },
  };
  say({
    [`GET ${PATH}${TYPES}`]: page([
      refund('rfd-1', ours),
      refund('rfd-2', 'dashboard-2'),
      refund('rfd-3', 'dashboard-3'),
      { ...refund('rfd-4', ours), status: 'FAILED' },
      ...[chargeback, { ...named, reference_id: 'dispute-1' }],
    ]),
    'GET /refunds/rfd-2': { body: { payment_request_id: 'pr-1' } },
    'GET /refunds/rfd-3': { status: 404, body: { error_code: 'DATA_NOT_FOUND' } },
    'GET /v3/payment_requests/pr-1': { body: request },
  });
  const page1 = await list();
  const refunds = page1?.result === 'page' ? page1.transactions : [];
  t.same(
    refunds.map((one) => one.kind === 'refund' && [one.orderId, one.givenBack.railRefundId]),
    [
      [null, 'rfd-1'],
      [ORDER, 'rfd-2'],
      [null, 'rfd-3'],
      [ORDER, 'cb-1'],
      [ORDER, 'cb-1'],
    ],
  );
  t.match(refunds, [
    { givenBack: { refundKey: ours, kind: 'refund', amountMinor: 150_000n } },
    { givenBack: { refundKey: 'dashboard-2' } },
    Object,
    { givenBack: { refundKey: null, kind: 'chargeback', amountMinor: 2_000n } },
  ]);
});

t.test('a page waits for the order of a refund, and needs no reference of it', async (t) => {
  const made = { ...ENTRY, id: 'txn_9', type: 'REFUND', product_id: 'rfd-9', reference_id: null };
  const pages = { [`GET ${PATH}${TYPES}`]: page([made]) };
  say({ ...pages, 'GET /refunds/rfd-9': { status: 503, body: {} } });
  t.same(await list(), { result: 'unknown' });
  say({ ...pages, 'GET /refunds/rfd-9': { status: 404, body: { error_code: 'DATA_NOT_FOUND' } } });
  t.match(await list(), {
    transactions: [{ kind: 'refund', orderId: null, givenBack: { refundKey: null } }],
  });
});

t.test('payouts are listed with their states', async (t) => {
  const states = {
    PENDING: 'pending',
    SUCCESS: 'completed',
    FAILED: 'failed',
    REVERSED: 'reversed',
  };
  const payouts = Object.keys(states).map((status) => ({
    ...{ ...ENTRY, type: 'DISBURSEMENT', product_id: 'disb-1', reference_id: 'po_1', status },
  }));
  say({ [`GET ${PATH}${TYPES}`]: page(payouts) });
  t.match(await list(), {
    transactions: Object.values(states).map((state) => ({
      ...{ kind: 'payout', payoutId: 'po_1', state, amountMinor: 150_000n },
    })),
  });
});

t.test('Midtrans has no list', (t) => {
  t.equal(midtrans.listTransactions, null);
  t.end();
});
