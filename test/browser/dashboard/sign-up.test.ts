// From nothing to the first webhook in a real browser, with real mails and a real HTTPS receiver: a merchant registers,
// confirms its address on its phone, signs in, makes a TEST key, creates a payment with the program of the page and pays it on
// the checkout, registers an endpoint that fails, reads why, repairs it and replays. Then it forgets its password and chooses
// another.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  PHONE,
  SCHEMES,
  shoot,
  SHOWN_MS,
} from '#test/support/browser.js';
import { startProcess, uniqueWord } from '#test/support/processes.js';
import { readMessage, startSmtp } from '#test/support/peers/smtp.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import {
  checkView,
  confirm,
  openDashboard,
  press,
  showView,
  startDashboard,
  takeSecret,
  waitForMerchant,
  waitForView,
  waitUntilShown,
} from './stage.js';

const BUSINESS = 'Warung <b>Bu Tini</b>';
const NEW_PASSWORD = 'kata-sandi-yang-baru';
const RETURN_PAGE = '/thanks';

const browser = await openBrowser(t);
if (browser !== null) {
  const smtp = await startSmtp(t);
  const receiver = await startReceiver(t);
  receiver.behave((received, response) => {
    answerWith(received.path === RETURN_PAGE ? 405 : 200)(received, response);
  });
  const stage = await startDashboard(t, {
    variables: {
      ...{ SMTP_URL: smtp.url, WEBHOOK_RETRY_SCHEDULE: '1' },
      ...(await receiverVariables(t)),
    },
  });
  const { baseUrl } = stage;
  await startProcess(t, 'webhooks', stage.variables);
  const email = `${uniqueWord('tini')}@example.com`;
  // The address of an endpoint that is refused.
  const desk = await openDashboard(t, browser, {}, ['/v1/merchants/me/webhooks']);
  const phone = await openDashboard(t, browser, { viewport: PHONE });
  let key = '';

  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  const waitForStep = (page: Page, step: string): Promise<void> =>
    page.locator(`[data-step=${step}][data-done=true]`).waitFor({ timeout: SHOWN_MS });
  /** Runs a program for Node that the person copies from the page, and returns what it prints. */
  const runProgram = async (program: string): Promise<string> => {
    const args = ['--input-type=module', '--eval', program];
    return (await promisify(execFile)(process.execPath, args)).stdout.trim();
  };
  const addFailingEndpoint = async (page: Page): Promise<void> => {
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill('http://localhost/hook');
    await confirm(page, 'Add an endpoint');
    await waitForText(page, 'must be an https URL');
    await page.getByLabel('Address').fill(receiver.url.replace('/hook', RETURN_PAGE));
    await confirm(page, 'Add an endpoint');
  };
  /** The link of the mail to the merchant that comes after `count` others. */
  const readLink = (count: number): Promise<string> =>
    waitUntil('the mail arrives', () => {
      const mails = smtp.messages.map(readMessage).filter(({ to }) => to.includes(email));
      return /http\S+\/dashboard\/\S+#\S+/.exec(mails[count]?.text ?? '')?.[0];
    });
  const signIn = async (page: Page, password: string): Promise<void> => {
    await page.locator('input[type=email]').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  /** The page of a sign-in has a heading too, so wait for the one inside the shell. */
  const waitUntilSignedIn = async (page: Page): Promise<void> => {
    await page.locator('#content h1').waitFor({ timeout: SHOWN_MS });
    await waitUntilShown(page);
  };
  /** Pages behind mailed links are no views of the dashboard: their colours follow the browser at once. */
  const checkPage = async (t: Test, page: Page, name: string): Promise<void> => {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await shoot(page, `${name}-${colorScheme}`);
      t.strictSame(await listViolations(page), [], `${name}, ${colorScheme}`);
    }
    t.ok((await measureOverflow(page)) <= 0, `${name} is not wider than the screen`);
  };

  t.test('a merchant registers, confirms the address on a phone and signs in there', async (t) => {
    const { page } = desk;
    await page.goto(`${baseUrl}/dashboard/register`);
    await page.getByLabel('Name of your business').fill(BUSINESS);
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await press(page, 'Create an account');
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor({ timeout: SHOWN_MS });

    await phone.page.goto(await readLink(0));
    await checkPage(t, phone.page, 'verify-phone');
    await phone.page.locator('input[type=password]').fill(PASSWORD);
    await phone.page.locator('button').click();
    await phone.page.locator('[data-outcome=done]').waitFor({ timeout: SHOWN_MS });
    await checkPage(t, phone.page, 'verified-phone');
    await phone.page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await signIn(phone.page, PASSWORD);
    await waitUntilSignedIn(phone.page);
    await waitForMerchant(phone.page, BUSINESS);
    await waitForText(phone.page, 'No payments yet');
  });

  t.test('the first key makes the first payment, which is paid on the checkout', async (t) => {
    const { page } = desk;
    await press(page, 'Go to the dashboard');
    await waitUntilSignedIn(page);
    await page.locator('main').getByRole('link', { name: 'First steps' }).click();
    await waitForText(page, '0 of 6 done');
    await checkView(t, page, 'first-steps-empty');
    await press(page, 'Make a TEST key');
    await waitForStep(page, 'key');
    key = await takeSecret(page);
    t.match(key, /^sk_test_/);
    await page.getByRole('tab', { name: 'Node' }).click();
    const program = await page.locator('pre', { hasText: 'node first-payment' }).innerText();
    t.match(program, `Bearer ${key}`);
    const checkoutUrl = await runProgram(program);
    t.match(checkoutUrl, /\/checkout\/pay_/);
    t.equal(await runProgram(program), checkoutUrl, 'again, it makes no other payment');
    await waitForStep(page, 'payment');
    await waitForText(page, 'POST /v1/payments');
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the payment page' }).click();
    const checkout = await opened;
    t.equal(checkout.url(), checkoutUrl);
    await checkout.getByRole('button', { name: 'Simulate paid' }).click();
    await checkout.locator('[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
    await checkout.close();
    await waitForStep(page, 'paid');
    await checkView(t, page, 'first-steps');
    // The phone has the same merchant.
    await waitForText(phone.page, '1 of 1 were paid');
    t.same([phone.complaints, phone.strangers], [[], []]);
    // The last test ends its session, and its view would complain of that.
    await phone.page.close();
  });

  t.test('the first endpoint fails, is repaired, and gets the events by replays', async (t) => {
    const { page, complaints, strangers } = desk;
    const step = page.locator('[data-step=endpoint]');
    await step.getByRole('link', { name: 'Add an endpoint' }).click();
    await addFailingEndpoint(page);
    t.match(await takeSecret(page), /^whsec_/);
    await press(page, 'Send a test event');
    await confirm(page, 'Send');
    await waitForView(page, '**/webhooks/deliveries/del_*');
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
    await waitForView(page, '**/webhooks/deliveries/del_*');
    await page.locator('[data-status=delivered]').first().waitFor({ timeout: SHOWN_MS });
    await page.locator('main').getByRole('alert').waitFor({ state: 'detached', timeout: SHOWN_MS });
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
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });

  t.test('a forgotten password is replaced with the link of a mail', async (t) => {
    const { page } = desk;
    // The former password is refused.
    const other = await openDashboard(t, browser, { viewport: PHONE }, ['/v1/auth/login']);
    await other.page.goto(`${baseUrl}/dashboard/sign-in`);
    await other.page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The page before has a field of this name too.
    await other.page.getByRole('button', { name: 'Ask for the link' }).waitFor();
    await other.page.getByLabel('E-mail address').fill('tini');
    await press(other.page, 'Ask for the link');
    await waitForText(other.page, 'Enter an e-mail address such as');
    await checkView(t, other.page, 'forgot-password-phone');
    await other.page.getByLabel('E-mail address').fill(email);
    await press(other.page, 'Ask for the link');
    await other.page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await waitForText(other.page, `If ${email} belongs to an account`);
    await checkView(t, other.page, 'forgot-password-sent-phone');

    await other.page.goto(await readLink(1));
    await checkPage(t, other.page, 'new-password-phone');
    await other.page.locator('input[type=password]').fill(NEW_PASSWORD);
    await other.page.locator('button').click();
    await other.page.locator('[data-outcome=done]').waitFor({ timeout: SHOWN_MS });
    await checkPage(t, other.page, 'new-password-done-phone');
    await other.page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await signIn(other.page, PASSWORD);
    await waitForText(other.page, 'Sign-in failed');
    await checkView(t, other.page, 'former-password-phone');
    await signIn(other.page, NEW_PASSWORD);
    await waitUntilSignedIn(other.page);
    await waitForMerchant(other.page, BUSINESS);

    await page.goto(`${baseUrl}/dashboard/payments`);
    await page.waitForURL('**/dashboard/sign-in?next=*');
    t.same([other.complaints, other.strangers], [[], []]);
  });
}
