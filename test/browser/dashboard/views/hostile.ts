// A merchant and an operators' office in whose data every text that a person can write is an attack on the page.
import { randomBytes } from 'node:crypto';
import { PNG } from 'pngjs';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import type { Postgres } from '#store/postgres/client.js';
import { insertPasskey, PASSWORD, type Person, readMail } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import type { Receiver } from '#test/support/webhooks/receiver.js';

/** A magic amount of the sandbox: no rail can make its refund. */
const BY_HAND = '10094';

/** A script that runs where the text becomes HTML. `word` tells the fields apart. */
export const attack = (word: string): string =>
  `${word} <img src=x onerror="document.title='owned'">`;
/** Addresses may hold no blank. */
const ATTACKING_URL = 'https://toko.example/<img/src=x/onerror=document.title=1>';

type Fields = Readonly<Record<string, unknown>>;

async function send(
  api: Api,
  path: string,
  body?: object,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<Fields> {
  const answer = await api.call(path, { method, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

export interface HostileStage {
  readonly baseUrl: string;
  readonly sql: Postgres;
  readonly receiver: Receiver;
  /** Administrators; the first one's API is `office`, the second one approves. */
  readonly office: Api;
  readonly second: Api;
}

export interface HostileMerchant {
  readonly email: string;
  readonly merchantId: string;
  readonly owner: Api;
  /** With a TEST key. */
  readonly server: Api;
}

export async function makeHostileMerchant(stage: HostileStage): Promise<HostileMerchant> {
  const merchant = await registerMerchant(stage);
  await describeMerchant(merchant, stage);
  await submitAndReject(merchant, stage);
  await failDeliveries(merchant, stage);
  await sell(merchant);
  await moveMoney(merchant, stage);
  await nameTeam(merchant, stage);
  await waitForLog(merchant);
  return merchant;
}

async function registerMerchant({ baseUrl, sql }: HostileStage): Promise<HostileMerchant> {
  const anonymous = openApi(baseUrl);
  const email = `${uniqueWord('owner')}@example.com`;
  const person = { email, password: PASSWORD, business_name: attack('usaha') };
  const { merchant } = await send(anonymous, '/v1/auth/register', person);
  const mail = await readMail(sql, email);
  await send(anonymous, '/v1/auth/verify', { token: mail?.token, password: PASSWORD });
  const { token } = await send(anonymous, '/v1/auth/login', { email, password: PASSWORD });
  const owner = openApi(baseUrl, String(token));
  const key = { environment: 'TEST', name: attack('kunci') };
  const { secret } = await send(owner, '/v1/merchants/me/api-keys', key);
  const merchantId = String((merchant as Fields)['id']);
  return { email, merchantId, owner, server: openApi(baseUrl, String(secret)) };
}

async function describeMerchant({ owner }: HostileMerchant, { sql }: HostileStage): Promise<void> {
  const settings = { display_name: attack('merek'), support_url: ATTACKING_URL };
  await send(owner, '/v1/merchants/me/settings', settings, 'PATCH');
  const { user } = (await owner.call('/v1/auth/me')).body;
  const userId = (user as Fields)['id'] as Person['userId'];
  const id = await insertPasskey(sql, { userId } as Person);
  await send(owner, `/v1/auth/passkeys/${id}`, { name: attack('sidik') }, 'PATCH');
}

async function submitAndReject(
  { owner, merchantId }: HostileMerchant,
  { office }: HostileStage,
): Promise<void> {
  const content = PNG.sync.write(new PNG({ width: 40, height: 30 })).toString('base64');
  const file = { purpose: 'IDENTITY', filename: attack('berkas'), content };
  const { id } = await send(owner, '/v1/merchants/kyc/documents', file);
  const { address, bank_account: account, representative } = DEMO_KYC;
  await send(owner, '/v1/merchants/kyc/submit', {
    ...DEMO_KYC,
    legal_name: attack('hukum'),
    address: {
      ...address,
      street: attack('jalan'),
      city: attack('kota'),
      province: attack('prov'),
    },
    bank_account: { ...account, account_holder: attack('pemilik') },
    representative: { ...representative, name: attack('wakil'), position: attack('jabatan') },
    document_ids: [id],
  });
  await send(office, `/v1/admin/merchants/${merchantId}/verification`, {
    status: 'REJECTED',
    reason: attack('ditolak'),
    field_reasons: { tax_id: attack('npwp') },
  });
}

/** The endpoint answers each event with a page, so that its deliveries are dead. */
async function failDeliveries(
  { owner }: HostileMerchant,
  { receiver }: HostileStage,
): Promise<void> {
  receiver.behave((_received, response) => void response.writeHead(410).end(attack('jawaban')));
  const url = `${receiver.url}?${attack('alamat').replaceAll(' ', '/')}`;
  const endpoint = { url, environment: 'TEST', events: ['*'] };
  await send(owner, '/v1/merchants/me/webhooks', endpoint);
}

async function sell({ owner }: HostileMerchant): Promise<void> {
  const link = { title: attack('tautan'), description: attack('uraian'), amount: '150000' };
  await send(owner, '/v1/merchants/me/payment-links', { environment: 'TEST', ...link });
  await send(owner, '/v1/merchants/me/invoices', {
    ...{ environment: 'TEST', customer_name: attack('pembeli'), notes: attack('catatan') },
    customer_email: 'budi@example.com',
    items: [{ description: attack('barang'), quantity: 2, unit_amount: '150000' }],
  });
}

/** The payment at the head of each list is refunded in part; its payout waits. */
async function moveMoney(
  { owner, server }: HostileMerchant,
  { office }: HostileStage,
): Promise<void> {
  const pay = async (amount: string): Promise<unknown> => {
    const { id } = await send(server, '/v1/payments', {
      ...{ amount, payment_method: 'QRIS', customer_email: 'budi@example.com' },
      ...{ customer_name: attack('pelanggan'), reference_id: attack('acuan') },
      ...{ description: attack('keterangan'), success_url: ATTACKING_URL },
      metadata: { [attack('nama')]: attack('nilai') },
    });
    await server.simulate(id, 'paid');
    return id;
  };
  const refund = { reason: attack('alasan'), reference_id: attack('acuan') };
  const byHand = await send(server, '/v1/refunds', { ...refund, payment_id: await pay(BY_HAND) });
  const ended = { external_reference: attack('transfer'), reason: attack('sebab') };
  await send(office, `/v1/admin/refunds/${String(byHand['id'])}/complete`, ended);

  const paymentId = await pay('150000');
  await send(server, '/v1/refunds', { ...refund, payment_id: paymentId, amount: '40000' });
  await send(office, `/v1/admin/payments/${String(paymentId)}/refunds`, {
    amount: '10000',
    reason: attack('alasan'),
  });
  const account = {
    bank_code: 'BCA',
    account_number: '1234567890',
    account_holder: attack('penerima'),
  };
  const payout = { ...account, reference_id: attack('acuan'), description: attack('keperluan') };
  const cancelled = await send(server, '/v1/payouts', { ...payout, amount: '20000' });
  await send(office, `/v1/admin/payouts/${String(cancelled['id'])}/cancel`, ended);
  await send(server, '/v1/payouts', { ...payout, amount: '30000' });
  const erased = { environment: 'TEST', reference_id: attack('pelanggan lama') };
  await send(owner, '/v1/merchants/me/erasures', erased);
}

async function nameTeam({ owner }: HostileMerchant, { sql }: HostileStage): Promise<void> {
  const invited = { email: `o'{{7*7}}&lt@${uniqueWord('toko')}.example`, role: 'viewer' };
  await send(owner, '/v1/merchants/me/users', invited);
  const dead = `select 1 from webhook_deliveries where status = 'dead' limit 1`;
  await waitUntil('a delivery is dead', async () => (await sql.unsafe(dead)).length > 0);
}

/** The latest request is at the head of the list, which is written in batches. */
async function waitForLog({ owner, server }: HostileMerchant): Promise<void> {
  const query = `?reference_id=${encodeURIComponent(attack('kueri'))}`;
  const body = { amount: attack('banyak'), customer_name: attack('pelanggan') };
  // An address that is longer than a phone is wide.
  const path = `/v1/payments/pay_${'0'.repeat(26)}/cancel`;
  const answer = await server.call(path + query, { method: 'POST', body });
  const id = String((answer.body['error'] as Fields)['request_id']);
  await waitUntil('the request is logged', async () => {
    const logged = await owner.call(`/v1/merchants/me/api-logs?request_id=${id}`);
    return (logged.body['data'] as unknown[]).length === 1;
  });
}

/** Tasks, a rejected correction, and a comparison with a rail, as rails processes write it. */
export async function fillOffice(
  { sql, office, second }: HostileStage,
  { merchantId }: HostileMerchant,
): Promise<void> {
  const difference = {
    rail: 'xendit',
    orderId: attack('pesanan'),
    day: '2026-08-02',
    field: 'status',
  };
  const details = {
    ...difference,
    difference: 'differing',
    ours: 'paid',
    theirs: attack('di sana'),
  };
  const openTask = async (): Promise<string> => {
    const id = `task_${randomBytes(13).toString('hex')}`;
    await sql`insert into operator_tasks (id, kind, environment, details, opened_at)
              values (${id}, 'rail_difference', 'LIVE', ${JSON.stringify(details)}, now())`;
    return id;
  };
  await openTask();
  const note = { action: 'acknowledge', note: attack('putusan') };
  await send(office, `/v1/admin/tasks/${await openTask()}/resolve`, note);

  const words = { reference: attack('koreksi'), reason: attack('dasar') };
  const correction = { kind: 'adjustment_credit', merchant_id: merchantId, amount: '15000' };
  const { id } = await send(office, '/v1/admin/corrections', { ...correction, ...words });
  await send(second, `/v1/admin/approvals/${String(id)}/reject`, { reason: attack('tolak') });

  await sql`insert into rail_reconciliations (rail, day, due_at, matched, ended_at)
            values ('xendit', '2026-08-02', null, 1204, now() + interval '1 second')`;
  await sql`insert into rail_differences (rail, day, order_id, kind, field, ours, theirs)
            values ('xendit', '2026-08-02', ${attack('pesanan')}, 'differing', 'status', 'paid',
                    ${attack('di sana')})`;
  await sql`insert into rail_offers (rail, method, rank, min_amount, max_amount, max_expires_in,
                                     is_refundable, seen_at)
            values ('xendit', 'QRIS', 1, 1500, 10000000, 86400, true, now() - interval '1 hour')`;
  await sql`insert into balance_rows (account, currency, amount)
            values (${`suspense:${merchantId}:LIVE:IDR`}, 'IDR', 15000)`;
}
