// The area developers in a real browser, with a real HTTPS receiver: a payment leads to its deliveries and requests, keys are
// rolled and revoked, secrets rotated, endpoints deleted, and a dead letter is dropped. sign-up.test.ts walks from the first
// key to the replay.
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
} from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, SHOWN_MS } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { isSignatureRight } from '#test/support/webhooks/verify.js';
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
  takeSecret,
  waitForView,
} from './stage.js';

const RETURN_PAGE = '/thanks';
const PAYMENT = { amount: '150000', payment_method: 'QRIS' };
const KEYS = '/v1/merchants/me/api-keys';
const HOUR_MS = 3_600_000;
/** The narrowest phones that are still sold. */
const PHONE = { width: 360, height: 780 };

const browser = await openBrowser(t);
if (browser !== null) {
  const receiver = await startReceiver(t);
  const stage = await startDashboard(t, {
    variables: { WEBHOOK_RETRY_SCHEDULE: '1', ...(await receiverVariables(t)) },
  });
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl, merchant } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  receiver.behave((received, response) => {
    answerWith(received.path === RETURN_PAGE ? 405 : 200)(received, response);
  });

  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  const chooseOverlap = async (page: Page): Promise<void> => {
    await dialog(page).getByLabel('The old one still works for').click();
    await page.getByRole('option', { name: '1 hour' }).click();
  };

  t.test('a payment leads to its deliveries and its requests, in Indonesian', async (t) => {
    const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
    const session = openApi(baseUrl, await beginSession(sql, owner));
    const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
      (await session.call(`/v1/merchants/me/${path}`, { method: 'POST', body })).body;
    const { secret } = await post('api-keys', { environment: 'TEST' });
    await post('webhooks', {
      environment: 'TEST',
      url: receiver.url.replace('/hook', RETURN_PAGE),
    });
    const api = openApi(baseUrl, String(secret));
    const [id, other] = [
      (await api.create(PAYMENT)).body['id'],
      (await api.create(PAYMENT)).body['id'],
    ];
    await api.simulate(id, 'paid');
    await api.simulate(other, 'paid');
    await api.get(id);
    await waitUntil('both requests are logged', async () => {
      return (await sql`select 1 from api_logs where payment_id = ${String(id)}`).length === 2;
    });
    const { page, complaints } = await openDashboard(t, browser, { locale: 'id-ID' });
    const login = { email: owner.email, password: PASSWORD };
    await signIn(page, baseUrl, login, `/payments/${String(id)}`);
    const deliveries = page.getByRole('table', { name: 'Kiriman webhook' });
    await deliveries.locator('[data-status=dead]').waitFor({ timeout: SHOWN_MS });
    t.match(await deliveries.innerText(), /hanya menerima GET/, 'not the words of the API');
    await checkView(t, page, 'payment-deliveries');
    await deliveries.getByRole('link', { name: 'payment.paid' }).click();
    await waitForView(page, '**/webhooks/deliveries/del_*');
    await waitForText(page, 'HTTP 405');
    await page.goBack();
    await page.getByRole('link', { name: 'Semua kiriman' }).click();
    await waitForView(page, `**/webhooks/deliveries?payment_id=${String(id)}`);
    await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody tr').count(), 1, 'none of the other payment');
    await checkView(t, page, 'deliveries-of-payment');
    await press(page, 'Hapus filter');
    await page.locator('tbody tr').nth(1).waitFor({ timeout: SHOWN_MS });

    await showView(page, `/payments/${String(id)}`);
    const requests = page.getByRole('table', { name: 'Permintaan API' });
    await requests.getByRole('link', { name: 'POST /v1/payments' }).click();
    await waitForView(page, '**/api-logs/req_*');
    await waitForText(page, '"150000"');
    await page.goBack();
    await page.getByRole('link', { name: 'Semua permintaan' }).click();
    await waitForView(page, `**/api-logs?payment_id=${String(id)}`);
    await page.locator('tbody tr').nth(1).waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody tr').count(), 2, 'its creation and one look at it');
    t.same(complaints, []);
  });

  t.test('keys and logs: every view on a phone, in Indonesian', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await openApi(baseUrl, merchant.testKey).create({ amount: 'much', reference_id: '<b>x</b>' });
    await signIn(page, baseUrl, merchant.owner, '/api-logs?status=400');
    await page.locator('tbody a').first().waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'phone-api-logs');
    await page.locator('tbody a').first().click();
    await waitForText(page, '"much"');
    await waitForText(page, 'amount_invalid');
    await checkView(t, page, 'phone-api-log');
    await page.goBack();
    const saved = await saveFile(page, 'Ekspor CSV');
    t.equal(saved.name, 'api-logs.csv');
    t.match(saved.text, /,"POST","\/v1\/payments",.*,400,.*amount_invalid/);
    for (const view of ['api-keys', 'webhooks', 'webhooks/dead-letters', 'first-steps']) {
      await showView(page, `/${view}`);
      await checkView(t, page, `phone-${view.replace('/', '-')}`);
    }
    await showView(page, '/api-keys');
    await press(page, 'Buat kunci');
    await page.getByLabel('Nama').fill('<i>Toko</i>');
    await checkView(t, page, 'phone-make-key');
    await confirm(page, 'Buat kunci');
    await confirm(page, 'Sudah saya simpan');
    await page.getByRole('button', { name: 'Cabut <i>Toko</i>' }).click();
    await confirm(page, 'Cabut');
    await page.locator('[data-status=revoked]').waitFor({ timeout: SHOWN_MS });
    t.same(complaints, []);
  });

  t.test('a key works from its addresses only, and is rolled with overlap', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const make = async (name: string, address: string): Promise<string> => {
      await press(page, 'Make a key');
      await dialog(page).getByLabel('Name').fill(name);
      await dialog(page).getByLabel('Allowed addresses').fill(address);
      await confirm(page, 'Make a key');
      return takeSecret(page);
    };
    const use = async (key: string) => openApi(baseUrl, key).call('/v1/balance');
    await signIn(page, baseUrl, merchant.owner, '/api-keys');
    t.equal((await use(await make('Elsewhere', '203.0.113.0/24'))).code, 'address_not_allowed');
    const former = await make('Here', '127.0.0.0/8');
    t.equal((await use(former)).status, 200);
    await page.getByRole('button', { name: 'Roll Here' }).click();
    await chooseOverlap(page);
    await confirm(page, 'Roll');
    await dialog(page).getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    t.equal(copied, await takeSecret(page));
    const row = page.locator('tbody tr', { has: page.locator('[data-status=expiring]') });
    t.match(await row.innerText(), /Here[^]*127\.0\.0\.0\/8/);
    await checkView(t, page, 'api-keys-rolled');
    t.same([(await use(former)).status, (await use(copied)).status], [200, 200]);
    const [ends] = await sql`select max(revoked_at) as at from api_keys`;
    t.ok(Math.abs(Number(ends?.['at']) - Date.now() - HOUR_MS) < HOUR_MS / 10, 'in an hour');
    t.same(complaints, []);
  });

  t.test('an endpoint is deleted with the keyboard, after a question', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/webhooks');
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill(receiver.url);
    await page.keyboard.press('Enter');
    await takeSecret(page);
    await waitForView(page, '**/webhooks/we_*');
    await page.getByRole('button', { name: 'Actions' }).press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'endpoint-menu');
    await page.keyboard.press('ArrowUp');
    await page.locator(':focus', { hasText: 'Delete the endpoint' }).waitFor();
    await page.keyboard.press('Enter');
    await waitForText(page, 'This cannot be undone.');
    await checkView(t, page, 'endpoint-delete');
    await confirm(page, 'Delete the endpoint');
    await waitForText(page, 'No TEST endpoints yet');
    t.same(complaints, []);
  });

  t.test('a secret is rotated with an overlap, and a dead letter is dropped', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/webhooks');
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill(receiver.url);
    await confirm(page, 'Add an endpoint');
    const former = await takeSecret(page);
    await press(page, 'Actions');
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await chooseOverlap(page);
    await confirm(page, 'Rotate');
    const next = await takeSecret(page);
    t.not(next, former);
    await waitForText(page, 'The old secret ends');
    await checkView(t, page, 'endpoint-rotated');
    await press(page, 'Send a test event');
    await confirm(page, 'Send');
    await page.locator('[data-status=delivered]').first().waitFor({ timeout: SHOWN_MS });
    const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: Buffer.from('') };
    const areRight = [former, next].map((secret) => isSignatureRight(headers, body, secret));
    t.same(areRight, [true, true], 'both sign');

    receiver.behave(answerWith(500));
    await page.locator('main').getByRole('link', { name: '/hook' }).first().click();
    await press(page, 'Send a test event');
    await confirm(page, 'Send');
    await page.locator('[data-status=dead]').waitFor({ timeout: SHOWN_MS });
    await showView(page, '/webhooks/dead-letters');
    await page.getByRole('button', { name: /^Drop: payment.paid/ }).click();
    await waitForText(page, 'is never sent to');
    await checkView(t, page, 'dead-letter-drop');
    await confirm(page, 'Drop');
    await waitForText(page, 'No dead letters');
    const left = await sql`
      select 1 from webhook_deliveries join webhook_endpoints on webhook_endpoints.id = endpoint_id
       where merchant_id = ${merchant.merchantId} and webhook_deliveries.status = 'dead'`;
    t.equal(left.length, 0);
    t.same(complaints, []);
  });

  t.test('a LIVE key is made with a code of the second factor', async (t) => {
    const developer = await makePerson(sql, 'developer', merchant.merchantId);
    const session = openApi(baseUrl, await beginSession(sql, developer));
    const makeCode = await enrolSecondFactor(sql, session, developer.userId);
    const { page, complaints } = await openDashboard(t, browser, {}, ['/v1/auth/login', KEYS]);
    const login = { email: developer.email, password: PASSWORD, makeCode };
    await signIn(page, baseUrl, login, '/api-keys?environment=LIVE');
    await press(page, 'Make a key');
    t.equal(await page.getByLabel('Payouts').count(), 0, 'the role may not give this right');
    await confirm(page, 'Make a key');
    await page.getByLabel('Code', { exact: true }).fill(await makeCode());
    await confirm(page, 'Confirm');
    t.match(await takeSecret(page), /^sk_live_/);
    t.same(complaints, []);
  });

  t.test('a viewer sees neither keys nor webhooks', async (t) => {
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const { page, complaints } = await openDashboard(t, browser, {}, [`${KEYS}?environment=TEST`]);
    await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD }, '/api-keys');
    await waitForText(page, 'Your role may not see this');
    const { length } = await page.locator('nav a', { hasText: /keys|Webhooks|logs|steps/ }).all();
    t.equal(length, 0, 'the navigation does not lead there');
    t.equal(await page.getByRole('button', { name: 'Make a key' }).count(), 0);
    await checkView(t, page, 'viewer-api-keys');
    t.same(complaints, []);
  });
}
