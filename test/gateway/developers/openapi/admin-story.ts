// Administrators use the operations of their document. The merchant's story holds those that end its refunds and payouts.
import { randomBytes, randomUUID } from 'node:crypto';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Api } from '#test/support/api.js';
import type { Tree } from './documents.js';
import type { Cast } from './merchant-story.js';

export interface AdminCast extends Cast {
  readonly second: Api;
}

export async function tellAdminStory(cast: AdminCast): Promise<void> {
  const merchantId = await tellVerification(cast);
  await tellMoney(cast, merchantId);
  await tellApprovals(cast, merchantId);
  await tellRails(cast, merchantId);
  await tellOperation(cast, merchantId);
}

/** Returns the merchant of the dashboard's story. */
async function tellVerification({ recorder, admin }: Cast): Promise<unknown> {
  const { call } = recorder;
  const { data } = await call(admin, 'listMerchants', { query: '?status=PENDING' });
  const [merchant] = data as Tree[];
  const params = { merchant_id: merchant?.['id'] };
  const { kyc } = await call(admin, 'getMerchantDetails', { params });
  const [document] = (kyc as Tree)['documents'] as Tree[];
  const file = { ...params, document_id: document?.['id'] };
  await call(admin, 'downloadKycDocument', { params: file });
  await call(admin, 'decideVerification', { params, body: { status: 'APPROVED' } });
  await call(admin, 'setLiveAccess', { params, body: { enabled: true } });
  await call(admin, 'listMerchantRails', { params });
  const defaults = { payment_method: 'QRIS', rails: [] };
  await call(admin, 'setMerchantRails', { params, body: defaults });
  return merchant?.['id'];
}

async function tellMoney(cast: Cast, merchantId: unknown): Promise<void> {
  const { recorder, admin, test } = cast;
  const { call } = recorder;
  const query = `?merchant_id=${String(merchantId)}`;
  const { data } = await call(admin, 'listTransactions', { query });
  const [payment] = data as Tree[];
  const refund = { amount: '10000', reason: 'Diminta oleh merchant' };
  const asked = { params: { payment_id: payment?.['id'] }, body: refund, key: 'refund-by-hand-1' };
  await call(admin, 'createAdminRefund', asked);
  await call(admin, 'createAdminRefund', asked);
  await call(admin, 'listAllRefunds', { query });
  const payouts = await call(admin, 'listAllPayouts', { query: '' });
  const [payout] = payouts['data'] as Tree[];
  await call(admin, 'getAdminPayout', { params: { payout_id: payout?.['id'] } });
  await call(admin, 'listAllPayouts', { query });

  const { body } = await test.create({ amount: '10094', payment_method: 'QRIS' });
  await waitUntil('it is paid', async () => {
    return (await test.get(body['id'])).body['status'] === 'paid';
  });
  const open = await test.call('/v1/refunds', { method: 'POST', body: { payment_id: body['id'] } });
  await waitUntil('the task is open', async () => {
    const tasks = await call(admin, 'listTasks', { query: '?environment=TEST&status=open' });
    return (tasks['data'] as Tree[]).length === 1;
  });
  const params = { refund_id: open.body['id'] };
  await call(admin, 'completeRefund', { params, body: { external_reference: 'TRF-3' } });
  await call(admin, 'getAdminRefund', { params });
  const taskId = await openDifference(cast, String(body['id']));
  await call(admin, 'getTask', { params: { task_id: taskId } });
  await call(admin, 'resolveTask', {
    params: { task_id: taskId },
    body: { action: 'acknowledge', note: 'Laporan sudah diperbaiki' },
  });
}

/** As the reconciliation writes it; the sandbox has no lists that could differ. */
async function openDifference({ sql }: Cast, paymentId: string): Promise<string> {
  const id = `task_${randomBytes(13).toString('hex')}`;
  const details = {
    ...{ rail: 'sandbox', orderId: randomUUID(), day: '2026-08-02' },
    ...{ difference: 'differing', field: 'status', ours: 'paid', theirs: 'pending' },
  };
  await sql`
    insert into operator_tasks (id, kind, payment_id, details, opened_at)
    values (${id}, 'rail_difference', ${paymentId}, ${JSON.stringify(details)}::text, now())`;
  return id;
}

/** As rails processes write it; the sandbox is no rail that they offer or compare. */
async function tellRails({ recorder, admin, sql }: Cast, merchantId: unknown): Promise<void> {
  const { call } = recorder;
  await sql`
    insert into rail_offers (rail, method, rank, min_amount, max_amount, max_expires_in,
                             is_refundable, seen_at)
    values ('sandbox', 'QRIS', 1, 1500, 10000000, 86400, true, now() - interval '1 hour')`;
  await sql`
    insert into rail_reconciliations (rail, day, due_at, matched, ended_at)
    values ('sandbox', '2026-08-02', null, 1204, now() + interval '1 second')`;
  await sql`
    insert into rail_differences (rail, day, order_id, kind, field, ours, theirs)
    values ('sandbox', '2026-08-02', 'order-1204', 'differing', 'status', 'paid', 'pending')`;
  await sql`
    insert into balance_rows (account, currency, amount)
    values (${`suspense:${String(merchantId)}:LIVE:IDR`}, 'IDR', 15000)`;
  await call(admin, 'listRails');
  await call(admin, 'listReconciliations');
  const query = '?rail=sandbox&day=2026-08-02';
  await call(admin, 'listReconciliationDifferences', { query });
  await call(admin, 'listSuspense');
}

async function tellApprovals(
  { recorder, admin, second }: AdminCast,
  merchantId: unknown,
): Promise<void> {
  const { call } = recorder;
  const correction = {
    kind: 'adjustment_credit',
    merchant_id: merchantId,
    amount: '15000',
    reference: '2026-08-FEE-REFUND-2',
    reason: 'Biaya Agustus terpotong dua kali',
  };
  const wrong = await call(admin, 'proposeCorrection', { body: correction });
  const reason = 'Nominal tidak cocok dengan laporan bank';
  await call(second, 'rejectProposal', {
    params: { approval_id: wrong['id'] },
    body: { reason },
  });
  const body = { ...correction, reference: '2026-08-FEE-REFUND' };
  const { id } = await call(admin, 'proposeCorrection', { body });
  const params = { approval_id: id };
  await call(second, 'getApproval', { params });
  await call(second, 'approveProposal', { params });
  await call(second, 'listApprovals');
}

async function tellOperation({ recorder, admin }: Cast, merchantId: unknown): Promise<void> {
  const { call } = recorder;
  const params = { merchant_id: merchantId };
  const body = { environment: 'TEST', customer_email: 'siti@example.com' };
  const { id } = await call(admin, 'eraseMerchantCustomer', { params, body });
  const erasure = { ...params, erasure_id: id };
  await waitUntil('nothing is left to erase', async () => {
    const shown = await call(admin, 'getMerchantErasure', { params: erasure });
    return shown['status'] === 'completed';
  });
  const turned = { name: 'method:QRIS', enabled: false };
  await call(admin, 'setSwitch', { body: { ...turned, reason: 'Rail tidak menjawab' } });
  await call(admin, 'setSwitch', {
    body: { ...turned, enabled: true, reason: 'Rail menjawab lagi' },
  });
  await call(admin, 'listSwitches');
  await call(admin, 'listAuditLog', { query: '?limit=2' });
  const { data } = await call(admin, 'listAdministrators');
  const other = (data as Tree[]).find(({ email }) => email === 'dewi@kasir.example');
  const colleague = { user_id: other?.['id'] };
  await call(admin, 'disableAdministrator', { params: colleague });
  await call(admin, 'enableAdministrator', { params: colleague });
}
