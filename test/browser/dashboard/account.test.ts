// A person's account in a real browser: a merchant registers, confirms its address with the real mail, sets up a second
// factor, and invites a viewer, who sees no secret and may change nothing, gets another role and is removed.
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { makeMerchant, makePerson, PASSWORD, readMail } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { uniqueWord } from '#test/support/processes.js';
import {
  checkPrint,
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  showView,
  startDashboard,
  waitForMerchant,
  waitUntilShown,
} from './stage.js';

const BUSINESS = 'Toko <b>Maju</b> & Rekan';
const WRONG_CODE = '000000';

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl, databaseUrl } = await startDashboard(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const owner = `${uniqueWord('owner')}@example.com`;
  const viewer = `${uniqueWord('viewer')}@example.com`;
  // The sign-in without a code, a wrong code, and the change of a role without a code.
  const failing = [
    '/v1/auth/login',
    '/v1/auth/totp/confirm',
    /\/v1\/merchants\/me\/users\/usr_\w+$/,
  ];
  const opened = await openDashboard(t, browser, { viewport: PHONE }, failing);
  const { page, complaints, strangers } = opened;
  let totp: TOTP | undefined;
  let recoveryCodes: readonly string[] = [];

  /** The page behind the link in the newest mail. */
  const openMail = async (on: Page, email: string): Promise<void> => {
    const mail = await readMail(sql, email);
    const [, path = ''] = /(\/dashboard\/\S+)/.exec(mail?.body ?? '') ?? [];
    await on.goto(baseUrl + path);
  };
  /** A code that was not used before. */
  const makeCode = async (): Promise<string> => {
    await sql`update users set totp_step = 0 where email = ${owner}`;
    return totp?.generate() ?? '';
  };
  /** The page of a sign-in has a heading too, so wait for the one inside the shell. */
  const waitUntilSignedIn = async (on: Page): Promise<void> => {
    await on.locator('#content h1').waitFor({ timeout: SHOWN_MS });
    await waitUntilShown(on);
  };
  const fillSignIn = async (on: Page, email: string): Promise<void> => {
    await on.locator('input[type=email]').fill(email);
    await on.locator('input[type=password]').fill(PASSWORD);
    await on.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const logIn = async (credentials: object): Promise<number> => {
    const anonymous = openApi(baseUrl);
    return (await anonymous.call('/v1/auth/login', { method: 'POST', body: credentials })).status;
  };
  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('input[type=email]').waitFor({ timeout: SHOWN_MS });
  };

  t.test('a merchant registers and confirms its address with the mail', async (t) => {
    await page.goto(`${baseUrl}/dashboard/sign-in`);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name of your business').fill(BUSINESS);
    await page.getByLabel('E-mail address').fill(owner);
    await page.locator('input[type=password]').fill('short');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.locator('[data-invalid=true]').first().waitFor();
    await checkView(t, page, 'register-phone');
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page
      .getByRole('heading', { name: 'Your account is made' })
      .waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'registered-phone');
    const first = await readMail(sql, owner);
    await page.getByRole('button', { name: 'Ask for a new link' }).click();
    await page.getByText('there is a new mail with a link').waitFor({ timeout: SHOWN_MS });
    await waitUntil('the second mail', async () => {
      return (await readMail(sql, owner))?.token !== first?.token;
    });
    await page.getByRole('button', { name: 'Go to the dashboard' }).click();
    await waitUntilSignedIn(page);
    await showView(page, '/account');
    await page.getByRole('button', { name: 'Ask for a new link' }).waitFor();
    await checkView(t, page, 'account-unverified-phone');
    await openMail(page, owner);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.locator('button').click();
    await page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await waitUntilSignedIn(page);
    await waitForMerchant(page, BUSINESS);
    const [user] = await sql`select verified_at from users where email = ${owner}`;
    t.not(user?.['verified_at'], null);
  });

  /** As authenticator apps show a code. */
  const group = (code: string): string => code.replace(/^(.{3})/, '$1 ');

  t.test('a second factor is set up, and its recovery codes are shown once', async (t) => {
    await showView(page, '/account');
    await checkView(t, page, 'account-phone');
    await page.getByRole('link', { name: 'Set up' }).click();
    // The page before has a field of this name too.
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: /QR code/ }).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'second-factor-phone');
    const secret = await page.getByText(/^[A-Z2-7]{32}$/).innerText();
    totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await page.getByLabel('The six digits').fill(WRONG_CODE);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This code is wrong or was already used.').waitFor({ timeout: SHOWN_MS });
    await page.getByLabel('The six digits').fill(group(totp.generate()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    const codes = page.locator('[data-recovery-codes] li');
    await codes.first().waitFor({ timeout: SHOWN_MS });
    recoveryCodes = await codes.allInnerTexts();
    t.equal(recoveryCodes.length, 10);
    await checkView(t, page, 'recovery-codes-phone');
    await page.setViewportSize(WIDE);
    await checkPrint(t, page, 'recovery-codes');
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 of 10 recovery codes are left.').waitFor({ timeout: SHOWN_MS });
    t.notMatch(await page.content(), recoveryCodes[0] ?? '-', 'not shown again');
  });

  t.test('sign-in asks for a code, and takes a recovery code once', async (t) => {
    await signOut();
    await fillSignIn(page, owner);
    await page.getByLabel('Code', { exact: true }).fill(group(await makeCode()));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await waitUntilSignedIn(page);
    await signOut();
    await fillSignIn(page, owner);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill('0a1b-2c3d-4e5f-6g7h');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This recovery code is wrong or was already used.').waitFor();
    await checkView(t, page, 'second-step-phone');
    await page.getByLabel('Recovery code').fill((recoveryCodes[0] ?? '').replaceAll('-', ''));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await waitUntilSignedIn(page);
    await showView(page, '/account');
    await page.getByText('9 of 10 recovery codes are left.').waitFor();
  });

  t.test('an invited viewer sees no secret and may change nothing', async (t) => {
    await showView(page, '/team');
    await page.getByText('The only owner: make somebody else an owner first.').waitFor();
    await page.getByRole('button', { name: 'Invite a colleague' }).click();
    await page.getByLabel('E-mail address').fill(viewer);
    await checkView(t, page, 'invite-phone');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('table').getByText(viewer).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'team-phone');

    // Keys and endpoints are refused.
    const secrets = ['/v1/merchants/me/api-keys', '/v1/merchants/me/webhooks'];
    const refused = /\/v1\/merchants\/me\/(?:api-keys|webhooks(?:\/events)?)(?:\?|$)/;
    const other = await openDashboard(t, browser, {}, [refused]);
    await openMail(other.page, viewer);
    await other.page.locator('input[type=password]').fill(PASSWORD);
    await other.page.locator('button').click();
    await other.page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await fillSignIn(other.page, viewer);
    await waitUntilSignedIn(other.page);
    const entries = await other.page.locator('nav a').allInnerTexts();
    t.notMatch(entries.join(), /key|webhook|verification/i);
    await showView(other.page, '/team');
    await other.page.getByRole('table').getByText(owner).waitFor();
    t.equal(await other.page.locator('main').getByRole('button').count(), 0);
    for (const path of secrets) {
      const fetched = `fetch('${path}').then(({ status }) => status)`;
      t.equal(await other.page.evaluate<number>(fetched), 403);
    }
    for (const view of ['/api-keys', '/webhooks']) {
      await showView(other.page, view);
      await other.page.getByText('Your role may not see this').first().waitFor();
      t.notMatch(await other.page.locator('main').innerText(), /sk_test_|whsec_/);
    }
    t.same(other.complaints, []);
  });

  t.test('an owner gives the viewer another role with a code', async (t) => {
    await page.reload();
    await waitUntilSignedIn(page);
    await page.getByRole('button', { name: `Change role of ${viewer}` }).click();
    await page.getByRole('radio', { name: 'Finance' }).check();
    await confirm(page, 'Change role');
    await page.getByLabel('Code').fill(group(await makeCode()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('table').getByText('Finance').waitFor({ timeout: SHOWN_MS });
    const [user] = await sql`select role from users where email = ${viewer}`;
    t.equal(user?.['role'], 'finance');
  });

  t.test('a colleague is removed, and can no longer sign in', async (t) => {
    t.equal(await logIn({ email: viewer, password: PASSWORD }), 200);
    await sql`
      insert into api_keys (id, merchant_id, environment, name, prefix, last_four, digest, made_by, made_by_email)
      select 'key_' || id, merchant_id, 'TEST', 'Kasir depan', 'sk_test_', 'abcd', sha256(id::bytea), id, email
        from users where email = ${viewer}`;
    await page.getByRole('button', { name: `Remove ${viewer}` }).click();
    await dialog(page).getByText('is signed out at once').waitFor();
    await dialog(page).getByText('They know these keys: Kasir depan (TEST)').waitFor();
    await dialog(page).getByLabel('Also revoke the API keys that they made').check();
    await checkView(t, page, 'remove-colleague-phone');
    await confirm(page, 'Remove');
    await page
      .getByRole('table')
      .getByText(viewer)
      .waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.equal(await logIn({ email: viewer, password: PASSWORD }), 401);
    const keys = await sql`
      select 1 from api_keys where made_by_email = ${viewer} and revoked_at is not null`;
    t.equal(keys.length, 1);
    const open = await sql`
      select 1 from sessions join users on users.id = user_id
       where email = ${viewer} and ended_at is null`;
    t.equal(open.length, 0);
  });

  t.test('one session is ended, and then all others', async (t) => {
    const countSessions = async (): Promise<number> => {
      const rows = await sql`
        select 1 from sessions join users on users.id = user_id
         where email = ${owner} and ended_at is null`;
      return rows.length;
    };
    const logInAgain = async (): Promise<number> =>
      logIn({ email: owner, password: PASSWORD, totp_code: await makeCode() });
    const before = await countSessions();
    t.same([await logInAgain(), await logInAgain()], [200, 200]);
    await showView(page, '/account');
    const ends = page.getByRole('button', { name: /^End the session of / });
    t.equal(await ends.count(), before + 1, 'all but this one');
    await ends.first().click();
    await confirm(page, 'End');
    await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.equal(await countSessions(), before + 1);
    await press(page, 'End all others');
    await confirm(page, 'End all others');
    await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.equal(await countSessions(), 1);
    t.equal(await ends.count(), 0);
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });

  t.test('the sessions of a person name the browser and the system of each login', async (t) => {
    const person = await makePerson(sql, 'owner', await makeMerchant(sql));
    const agents = {
      'Safari, iOS':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Edge, Windows':
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
      'Chrome, Android':
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    };
    t.equal(await logIn({ email: person.email, password: PASSWORD }), 200, 'a program names none');
    for (const userAgent of Object.values(agents)) {
      const { page: own } = await openDashboard(t, browser, { userAgent, viewport: PHONE });
      await own.goto(`${baseUrl}/dashboard/sign-in`);
      await fillSignIn(own, person.email);
      await waitUntilSignedIn(own);
      await showView(own, '/account');
      const table = own.getByRole('table', { name: 'Sessions' });
      await table.waitFor({ timeout: SHOWN_MS });
      if (userAgent !== agents['Chrome, Android']) continue;
      const text = await table.innerText();
      for (const device of Object.keys(agents)) t.match(text, device);
      t.match(text, '—', 'the session of the program');
      await checkView(t, own, 'account-sessions-phone');
    }
  });
}
