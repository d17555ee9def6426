// The area developers in a real browser: a new merchant makes a key, creates a payment with the program of the page, pays
// it, registers an endpoint that fails at a real HTTPS receiver, reads why, repairs it, replays, and sees it arrive.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
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
import {
  checkView,
  confirm,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
} from './stage.js';

const RETURN_PAGE = '/thanks';
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
  const waitForStep = (page: Page, step: string): Promise<void> =>
    page.locator(`[data-step=${step}][data-done=true]`).waitFor({ timeout: SHOWN_MS });
  /** Reads the secret that is shown once, and closes its dialog. */
  const takeSecret = async (page: Page): Promise<string> => {
    const secret = await page.locator('[data-secret]').innerText();
    await confirm(page, 'I have stored it');
    await page.locator('[data-secret]').waitFor({ state: 'detached' });
    return secret;
  };
  /** Runs a program for Node that the person copies from the page, and returns what it prints. */
  const runProgram = async (program: string): Promise<string> => {
    const args = ['--input-type=module', '--eval', program];
    return (await promisify(execFile)(process.execPath, args)).stdout.trim();
  };
  const payOnCheckout = async (page: Page): Promise<void> => {
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the payment page' }).click();
    const checkout = await opened;
    await checkout.getByRole('button', { name: 'Simulate paid' }).click();
    await checkout.locator('[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
    await checkout.close();
  };
  const beginWithKey = async (t: Test, page: Page): Promise<string> => {
    await waitForText(page, '0 of 6 done');
    await checkView(t, page, 'first-steps-empty');
    await press(page, 'Make a TEST key');
    await waitForStep(page, 'key');
    return takeSecret(page);
  };
  const addFailingEndpoint = async (page: Page): Promise<void> => {
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill('http://localhost/hook');
    await confirm(page, 'Add an endpoint');
    await waitForText(page, 'must be an https URL');
    await page.getByLabel('Address').fill(receiver.url.replace('/hook', RETURN_PAGE));
    await confirm(page, 'Add an endpoint');
  };

  t.test('from the first key to a webhook that fails, is repaired and arrives', async (t) => {
    const owner = await makePerson(sql, 'owner', await makeMerchant(sql, 'Toko <b>Baru</b>'));
    const { page, complaints, strangers } = await openDashboard(t, browser);
    await signIn(page, baseUrl, { email: owner.email, password: PASSWORD }, '/first-steps');
    const key = await beginWithKey(t, page);
    t.match(key, /^sk_test_/);
    await page.getByRole('tab', { name: 'Node' }).click();
    const program = await page.locator('pre', { hasText: 'node first-payment' }).innerText();
    t.match(program, `Bearer ${key}`);
    const checkoutUrl = await runProgram(program);
    t.match(checkoutUrl, /\/checkout\/pay_/);
    t.equal(
      await runProgram(program),
      checkoutUrl,
      'the same program again makes no other payment',
    );
    await waitForStep(page, 'payment');
    await waitForText(page, 'POST /v1/payments');
    await payOnCheckout(page);
    await waitForStep(page, 'paid');
    await checkView(t, page, 'first-steps');

    const step = page.locator('[data-step=endpoint]');
    await step.getByRole('link', { name: 'Add an endpoint' }).click();
    await addFailingEndpoint(page);
    t.match(await takeSecret(page), /^whsec_/);
    await press(page, 'Send a test event');
    await confirm(page, 'Send');
    await page.waitForURL('**/webhooks/deliveries/del_*');
    await waitForText(page, 'POST not allowed (405)');
    await page.locator('[data-status=dead]').waitFor({ timeout: SHOWN_MS });
    await waitForText(page, 'HTTP 405');
    const links = page.locator('main a[href*="/payments/"]');
    t.equal(await links.count(), 0, 'the payment of a test event does not exist');
    await checkView(t, page, 'delivery-dead');

    const api = openApi(baseUrl, key);
    const { id } = (await api.create({ amount: '150000', payment_method: 'QRIS' })).body;
    await api.simulate(id, 'paid');
    await page.locator('main').getByRole('link', { name: RETURN_PAGE }).click();
    // A delivery that still has an attempt left would arrive by itself after the repair.
    await page.locator('tbody [data-status=dead]').nth(1).waitFor({ timeout: SHOWN_MS });
    await press(page, 'Actions');
    await page.getByRole('menuitem', { name: 'Change the endpoint' }).click();
    await page.getByLabel('Address').fill(receiver.url);
    await confirm(page, 'Save');
    await waitForText(page, '/hook');
    await checkView(t, page, 'endpoint');

    await showView(page, '/webhooks/dead-letters');
    await page.locator('tbody tr').nth(1).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'dead-letters');
    const replay = page.getByRole('button', { name: /^Replay: payment.paid/ });
    await replay.first().click();
    await confirm(page, 'Replay');
    await page.waitForURL('**/webhooks/deliveries/del_*');
    await page.locator('[data-status=delivered]').first().waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'delivery-delivered');
    await showView(page, '/webhooks/dead-letters');
    await press(page, 'Replay all');
    await confirm(page, 'Replay 1');
    await waitForText(page, 'Replay is complete');
    await waitForText(page, '1 of 1 sent again.');
    await waitForText(page, 'No dead letters');
    await checkView(t, page, 'dead-letters-replayed');
    await showView(page, '/first-steps');
    await waitForStep(page, 'webhook');
    const arrived = receiver.received.filter(({ path }) => path === '/hook');
    t.equal(new Set(arrived.map(({ id }) => id)).size, 2, 'both events arrived');
    const unexpected = complaints.filter((text) => !text.includes('400'));
    t.same({ unexpected, strangers }, { unexpected: [], strangers: [] });
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

  t.test('an endpoint is deleted with the keyboard, after a question', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/webhooks');
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill(receiver.url);
    await page.keyboard.press('Enter');
    await takeSecret(page);
    await page.waitForURL('**/webhooks/we_*');
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

  t.test('a LIVE key is made with a code of the second factor', async (t) => {
    const developer = await makePerson(sql, 'developer', merchant.merchantId);
    const session = openApi(baseUrl, await beginSession(sql, developer));
    const makeCode = await enrolSecondFactor(sql, session, developer.userId);
    const { page, complaints } = await openDashboard(t, browser);
    const login = { email: developer.email, password: PASSWORD, makeCode };
    await signIn(page, baseUrl, login, '/api-keys?environment=LIVE');
    await press(page, 'Make a key');
    t.equal(await page.getByLabel('Payouts').count(), 0, 'the role may not give this right');
    await confirm(page, 'Make a key');
    await page.getByLabel('Code', { exact: true }).fill(await makeCode());
    await confirm(page, 'Confirm');
    t.match(await takeSecret(page), /^sk_live_/);
    const unexpected = complaints.filter((text) => !text.includes('403') && !text.includes('401'));
    t.same(unexpected, []);
  });

  t.test('a viewer sees neither keys nor webhooks', async (t) => {
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD }, '/api-keys');
    await waitForText(page, 'Your role may not see this');
    const { length } = await page.locator('nav a', { hasText: /keys|Webhooks|logs|steps/ }).all();
    t.equal(length, 0, 'the navigation does not lead there');
    t.equal(await page.getByRole('button', { name: 'Make a key' }).count(), 0);
    await checkView(t, page, 'viewer-api-keys');
    const unexpected = complaints.filter((text) => !text.includes('403'));
    t.same(unexpected, []);
  });
}
