// Passkeys in a real browser with Chromium's virtual authenticator: a person adds one, signs in and gives a role with it,
// and removes it.
import type { Page } from 'playwright-core';
import t from 'tap';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { openPostgres } from '#store/postgres/client.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { uniqueWord } from '#test/support/processes.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  startDashboard,
  waitUntilShown,
} from './stage.js';

const NAME = 'Laptop <b>kantor</b>';
const NEW_NAME = 'Kunci meja kasir';

interface Authenticator {
  /** false: the person does not give the finger, as if the question of the browser were cancelled. */
  readonly accept: (isAccepted: boolean) => Promise<void>;
}

/** An authenticator of the device that knows its user by a finger. */
async function addAuthenticator(page: Page): Promise<Authenticator> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    accept: async (isUserVerified) => {
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}

const browser = await openBrowser(t);
if (browser !== null) {
  // A passkey belongs to a name of a host, so an address with an IP address has none.
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const { databaseUrl, merchant } = await startDashboard(t, {
    variables: { PORT: String(port), BASE_URL: origin },
  });
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { email, password } = merchant.owner;
  // The wrong password, the sign-in and the invitation without a passkey.
  const failing = ['/v1/auth/login', '/v1/auth/passkeys/options', '/v1/merchants/me/users'];
  const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE }, failing);
  const authenticator = await addAuthenticator(page);
  const dialog = page.getByRole('dialog');

  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('input[type=email]').waitFor({ timeout: SHOWN_MS });
  };
  const enterPassword = async (): Promise<void> => {
    await page.locator('input[type=email]').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  /** The page of a sign-in has a heading too, so wait for the one inside the shell. */
  const waitUntilSignedIn = async (): Promise<void> => {
    await page.locator('#content h1').waitFor({ timeout: SHOWN_MS });
    await waitUntilShown(page);
  };
  const countPasskeys = async (): Promise<number> => {
    const rows = await sql`
      select 1 from passkeys join users on users.id = user_id where email = ${email}`;
    return rows.length;
  };

  t.test('a person adds a passkey, and gets recovery codes with the first', async (t) => {
    await signIn(page, origin, merchant.owner, '/account');
    await waitUntilShown(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByLabel('Name').fill(NAME);
    await dialog.getByLabel('Current password').fill('another-password');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This password is wrong.').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'passkey-add-phone');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const codes = page.locator('[data-recovery-codes] li');
    await codes.first().waitFor({ timeout: SHOWN_MS });
    t.equal(await codes.count(), 10);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText(NAME).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'passkeys-phone');
    t.equal(await countPasskeys(), 1);
  });

  t.test('it can be renamed', async (t) => {
    await page.getByRole('button', { name: `Rename ${NAME}` }).click();
    await dialog.getByLabel('Name').fill(NEW_NAME);
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: `Rename ${NEW_NAME}` }).waitFor({ timeout: SHOWN_MS });
    const [row] = await sql`
      select name from passkeys join users on users.id = user_id where email = ${email}`;
    t.equal(row?.['name'], NEW_NAME);
  });

  t.test('sign-in offers it first, without the codes of an app', async (t) => {
    await signOut();
    await enterPassword();
    const button = page.getByRole('button', { name: 'Use your passkey' });
    await button.waitFor({ timeout: SHOWN_MS });
    t.equal(await page.getByRole('button', { name: 'Use the authenticator app' }).count(), 0);
    await checkView(t, page, 'passkey-sign-in-phone');
    await button.click();
    await waitUntilSignedIn();
    const [row] = await sql`
      select last_used_at from passkeys join users on users.id = user_id where email = ${email}`;
    t.not(row?.['last_used_at'], null);
  });

  t.test('an old challenge and a cancelled question are explained, then it works', async (t) => {
    await signOut();
    await enterPassword();
    const button = page.getByRole('button', { name: 'Use your passkey' });
    await button.waitFor({ timeout: SHOWN_MS });
    await sql`update passkey_challenges set expires_at = now()`;
    await button.click();
    const alert = page.locator('main').getByRole('alert');
    await alert.getByText('The passkey was not accepted').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'passkey-expired-phone');
    await authenticator.accept(false);
    await button.click();
    await alert.getByText('No passkey was used. Try again').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'passkey-cancelled-phone');
    await authenticator.accept(true);
    await button.click();
    await waitUntilSignedIn();
  });

  t.test('a step-up takes it instead of a code', async (t) => {
    const colleague = `${uniqueWord('finance')}@example.com`;
    await showView(page, '/team');
    await page.getByRole('button', { name: 'Invite a colleague' }).click();
    await dialog.getByLabel('E-mail address').fill(colleague);
    await dialog.getByRole('radio', { name: 'Finance' }).check();
    await dialog.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('button', { name: 'Use your passkey' }).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'passkey-step-up-phone');
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByRole('table').getByText(colleague).waitFor({ timeout: SHOWN_MS });
    const [user] = await sql`select role from users where email = ${colleague}`;
    t.equal(user?.['role'], 'finance');
  });

  t.test('it is removed with the password and its own proof', async (t) => {
    await showView(page, '/account');
    await page.getByRole('button', { name: `Remove ${NEW_NAME}` }).click();
    await dialog.getByLabel('Current password').fill(password);
    await checkView(t, page, 'passkey-remove-phone');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No passkeys yet.').waitFor({ timeout: SHOWN_MS });
    t.equal(await countPasskeys(), 0);
    await signOut();
    await enterPassword();
    await waitUntilSignedIn();
    t.same(complaints, []);
  });
}
