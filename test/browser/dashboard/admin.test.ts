// An administrator's day in a real browser: verifies a merchant, pays a refund by hand, resolves a task that a second
// administrator approves, proposes a correction, stops and resumes LIVE. Sessions of merchants see nothing of it.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { makeDemoSecrets } from '#ops/dev/demo.js';
import { DEMO_KYC, drawDocument, seedVerification } from '#ops/dev/verification.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
} from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import {
  measureOverflow,
  openBrowser,
  PHONE,
  shoot,
  SHOWN_MS,
  WIDE,
} from '#test/support/browser.js';
import { secretsKeys } from '#test/support/webhooks/outbox.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  saveFile,
  showView,
  signIn,
  startDashboard,
  waitForView,
} from './stage.js';

const TASK = `task_${randomBytes(13).toString('hex')}`;
const NAME = 'Toko <b>Baru</b>';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const [first, second] = [
    await makePerson(sql, 'admin', null),
    await makePerson(sql, 'admin', null),
  ];
  const office = openApi(baseUrl, await beginSession(sql, first));
  const makeCode = await enrolSecondFactor(sql, office, first.userId);
  const merchantId = await submitKyc();
  const refundId = await requestManualRefund();
  await suspendMoney();

  /** A merchant whose verification waits. */
  async function submitKyc(): Promise<string> {
    const id = await makeMerchant(sql, NAME);
    const owner = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'owner', id)));
    const content = drawDocument().toString('base64');
    const body = { purpose: 'IDENTITY', filename: '<img src=x>.png', content };
    const path = '/v1/merchants/kyc/documents';
    const uploaded = await owner.call(path, { method: 'POST', body });
    const fields = { ...DEMO_KYC, document_ids: [uploaded.body['id']] };
    const sent = await owner.call('/v1/merchants/kyc/submit', { method: 'POST', body: fields });
    if (sent.status !== 201) throw new Error(sent.text);
    return id;
  }

  /** A magic amount of the sandbox: no rail can make its refund. */
  async function requestManualRefund(): Promise<string> {
    const { body } = await api.create({ amount: '10094' });
    await api.simulate(body['id'], 'paid');
    const asked = { method: 'POST' as const, body: { payment_id: body['id'] } };
    const refund = await api.call('/v1/refunds', asked);
    return String(refund.body['id']);
  }

  /** LIVE money above the limit, for an order that does not exist, as reconciliation finds it. */
  async function suspendMoney(): Promise<void> {
    const details = { rail: 'xendit', amount: '25000000', currency: 'IDR', orderId: 'unknown-1' };
    await sql`insert into balance_rows (account, currency, amount)
              values ('platform_suspense:LIVE:IDR', 'IDR', 25000000)`;
    await sql`insert into operator_tasks (id, kind, environment, details, opened_at)
              values (${TASK}, 'unknown_order', 'LIVE', ${JSON.stringify(details)}, now())`;
    await sql`insert into rail_reconciliations (rail, day, due_at, matched, ended_at)
              values ('xendit', '2026-08-02', null, 1204, now() + interval '1 second')`;
    await sql`insert into rail_differences (rail, day, order_id, kind, field, ours, theirs)
              values ('xendit', '2026-08-02', 'order-1', 'differing', 'status', 'paid', '<i>pending</i>')`;
    await sql`insert into rail_offers (rail, method, rank, min_amount, max_amount, max_expires_in,
                                       is_refundable, seen_at)
              values ('xendit', 'QRIS', 1, 1500, 10000000, 86400, true, now() - interval '1 hour')`;
  }

  const unknown = `/admin/merchants/mer_${'0'.repeat(26)}`;
  // The login without a code, the correction of an unknown merchant, and its view.
  const failing = ['/v1/auth/login', '/v1/admin/corrections', `/v1${unknown}`];
  const opened = await openDashboard(t, browser, { viewport: WIDE }, failing);
  const { page, complaints, strangers } = opened;
  page.setDefaultTimeout(SHOWN_MS);

  t.test('an administrator signs in with a second factor and sees what waits', async (t) => {
    await signIn(page, baseUrl, { email: first.email, password: PASSWORD, makeCode });
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor({ timeout: SHOWN_MS });
    await page.locator('[data-card=kyc]').getByText(NAME).waitFor();
    await page.locator('[data-card=tasks]').getByText('Money for an unknown order').waitFor();
    await page
      .locator('[data-card=suspense]')
      .getByText(/25\.000\.000/)
      .waitFor();
    await checkView(t, page, 'admin-home-wide');
  });

  t.test('a submitted verification is read and approved, and LIVE switched on', async (t) => {
    await page.locator('[data-card=kyc]').getByText(NAME).click();
    await page.getByText(DEMO_KYC.legal_name).first().waitFor();
    await checkView(t, page, 'admin-merchant-wide');
    await press(page, 'Show: Identity card');
    await dialog(page).locator('canvas').waitFor();
    t.equal(await dialog(page).locator('canvas').getAttribute('width'), '420');
    await shoot(page, 'admin-document-wide');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    const download = page.waitForEvent('download');
    await press(page, 'Download: Identity card');
    t.match((await download).suggestedFilename(), /^doc_[0-9a-z]+\.png$/);
    await press(page, 'Approve');
    await confirm(page, 'Approve');
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    const { body } = await office.call(`/v1/admin/merchants/${merchantId}`);
    t.match(body['merchant'], { verificationStatus: 'APPROVED', liveEnabled: false });
    await press(page, 'Switch LIVE on');
    await confirm(page, 'Switch LIVE on');
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Switch LIVE off' }).waitFor();
    const live = await office.call(`/v1/admin/merchants/${merchantId}`);
    t.match(live.body['merchant'], { liveEnabled: true });
  });

  t.test('the document of the demo opens as the picture that it is', async (t) => {
    const demo = { ...makeDemoSecrets(), merchantId: await makeMerchant(sql, 'Toko Contoh') };
    const owner = { ...demo.owner, ...(await makePerson(sql, 'owner', demo.merchantId)) };
    await seedVerification(stage.databaseUrl, { ...demo, owner }, secretsKeys);
    await showView(page, `/admin/merchants/${demo.merchantId}`);
    await press(page, 'Show: Deed');
    const canvas = dialog(page).locator('canvas');
    await canvas.waitFor();
    t.same(
      [await canvas.getAttribute('width'), await canvas.getAttribute('height')],
      ['420', '594'],
    );
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  t.test('a refund that no rail can make is completed by hand', async (t) => {
    await showView(page, `/admin/refunds/${refundId}`);
    await page.getByText('To be paid by hand').waitFor();
    await checkView(t, page, 'admin-refund-wide');
    await press(page, 'Complete');
    await dialog(page)
      .getByLabel(/Reference of the transfer/)
      .fill('TRF-2026-1');
    await confirm(page, 'Complete');
    await page.getByText('Succeeded').first().waitFor();
    const { body } = await office.call(`/v1/admin/refunds/${refundId}`);
    t.match(body, { status: 'SUCCEEDED', external_reference: 'TRF-2026-1' });
  });

  t.test('a task above the limit is resolved when a second administrator approves', async (t) => {
    await showView(page, `/admin/tasks/${TASK}`);
    await page.getByLabel(/Record the return to the payer/).check();
    await page.getByLabel(/Reference of the transfer/).fill('TRF-2026-2');
    await page.getByLabel(/^Note/).fill('Pembayar sudah menerima <script>alert(1)</script>');
    await checkView(t, page, 'admin-task-wide');
    await press(page, 'Resolve');
    await confirm(page, 'Record the return to the payer');
    await waitForView(page, '**/admin/approvals/appr_*');
    await page.getByText(/Another administrator approves it/).waitFor();
    t.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0);
    await checkView(t, page, 'admin-approval-wide');

    const other = await openDashboard(t, browser, { viewport: PHONE, locale: 'id-ID' });
    const path = new URL(page.url()).pathname.replace('/dashboard', '');
    const login = { email: second.email, password: PASSWORD };
    await signIn(other.page, baseUrl, login, path);
    await press(other.page, 'Setujui');
    await confirm(other.page, 'Setujui');
    await other.page.getByText('Sudah dilakukan').waitFor();
    await checkView(t, other.page, 'admin-approval-phone');
    const { body } = await office.call(`/v1/admin/tasks/${TASK}`);
    t.match(body, { status: 'resolved', action: 'return', external_reference: 'TRF-2026-2' });
    t.same([other.complaints, other.strangers], [[], []]);
  });

  t.test(
    'LIVE is stopped with the keyboard by typing the name of its switch, and resumed',
    async (t) => {
      const isOn = async (): Promise<unknown> => {
        const { body } = await office.call('/v1/admin/switches');
        const data = body['data'] as { name: string; enabled: boolean }[];
        return data.find(({ name }) => name === 'live_creates')?.enabled;
      };
      await showView(page, '/admin/switches');
      await page.getByRole('button', { name: 'Stop: live_creates' }).focus();
      await page.keyboard.press('Enter');
      t.equal(await dialog(page).getByRole('button', { name: 'Stop' }).isDisabled(), true);
      // The dialog takes the focus a moment after it is drawn.
      await dialog(page).locator(':focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type('The rail does not answer');
      await page.keyboard.press('Tab');
      await page.keyboard.type('live_creates');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Resume: live_creates' }).waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      t.equal(await isOn(), false);
      const focused = await page.evaluate(`document.activeElement.getAttribute('aria-label')`);
      t.equal(focused, 'Resume: live_creates', 'the focus is where it was');
      await press(page, 'Resume: live_creates');
      await dialog(page).getByLabel('Reason').fill('It answers again');
      await confirm(page, 'Resume');
      await waitUntil('it is on again', async () => (await isOn()) === true);
    },
  );

  t.test('a merchant that does not exist is an error with its request id', async (t) => {
    await showView(page, unknown);
    t.match(await page.locator('main').getByRole('alert').innerText(), /req_[0-9a-f]/);
    await checkView(t, page, 'admin-error-wide');
  });

  t.test('the lists of a merchant hold only what is its own', async (t) => {
    await showView(page, `/admin/merchants/${merchant.merchantId}`);
    await page.locator('main').getByRole('link', { name: 'Refunds' }).click();
    await waitForView(page, `**/admin/refunds?merchant_id=${merchant.merchantId}`);
    await page.locator('tbody tr').first().waitFor();
    await showView(page, `/admin/refunds?merchant_id=${merchantId}`);
    await page.getByText('Nothing matches these filters').waitFor();
    t.equal(await page.locator('tbody tr').count(), 0);
    await checkView(t, page, 'admin-empty-wide');
    await showView(page, `/admin/transactions?merchant_id=${merchant.merchantId}`);
    t.match((await saveFile(page, 'Export CSV')).text, `,"transaction","${merchant.merchantId}",`);
  });

  const VIEWS = [
    ...([
      'merchants',
      'tasks?status=resolved',
      'approvals',
      'corrections',
      'transactions',
    ] as const),
    ...([
      'refunds',
      'payouts',
      'suspense',
      'reconciliations',
      'reconciliations/xendit.2026-08-02',
    ] as const),
    ...(['rails', 'switches', 'audit-log', 'administrators'] as const),
  ];

  t.test('the other views have no finding, wide and on a phone', async (t) => {
    for (const view of VIEWS) {
      await showView(page, `/admin/${view}`);
      await checkView(t, page, `admin-${view.replace(/\W/g, '-')}-wide`);
    }
    await page.evaluate(`localStorage.setItem('dashboard.language', 'id')`);
    await page.setViewportSize({ width: 360, height: 780 });
    await page.reload();
    for (const view of [...VIEWS, 'home', `merchants/${merchantId}`, `tasks/${TASK}`]) {
      await showView(page, `/admin/${view}`);
      await shoot(page, `admin-${view.replace(/\W/g, '-').slice(0, 40)}-phone`);
      t.ok((await measureOverflow(page)) <= 0, `${view} is not wider than a phone`);
    }
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });

  t.test('an administrator who needs a second factor first reads so', async (t) => {
    const { page: own, complaints: problems } = await openDashboard(t, browser, {
      viewport: PHONE,
    });
    // Production demands it, and needs https: its answers are put in here.
    const required = { permissions: ['enrol'], second_factor_required: true };
    await own.route('**/v1/auth/me', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as object;
      await route.fulfill({ response, json: { ...body, ...(response.ok() ? required : {}) } });
    });
    const refused: string[] = [];
    for (const path of ['**/v1/auth/passkeys', '**/v1/auth/sessions']) {
      await own.route(path, (route) => {
        refused.push(route.request().url());
        return route.fulfill({ status: 403, json: {} });
      });
    }
    await signIn(own, baseUrl, { email: second.email, password: PASSWORD }, '/account');
    await own.getByText('An administrator needs a second factor').waitFor();
    await own.getByRole('button', { name: 'Add a passkey' }).waitFor();
    t.same(refused, [], 'it asks for nothing that is refused');
    await checkView(t, own, 'admin-enrol-first-phone');
    t.same(problems, []);
  });

  t.test('a session of a merchant sees nothing of it', async (t) => {
    const owner = await openDashboard(t, browser);
    const asked: string[] = [];
    owner.page.on('request', (request) => {
      if (request.url().includes('/v1/admin/')) asked.push(request.url());
    });
    await signIn(owner.page, baseUrl, merchant.owner, '/admin/home');
    t.notMatch(owner.page.url(), /admin/);
    t.equal(await owner.page.getByRole('link', { name: 'Kill switches' }).count(), 0);
    await showView(owner.page, `/admin/merchants/${merchantId}`);
    t.notMatch(owner.page.url(), /admin/);
    t.same(asked, []);
  });
}
