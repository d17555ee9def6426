// A merchant whose receiver says that the signature does not match reads in a real browser which headers were sent, copies a
// signature, and sees both while a secret is rotated.
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import {
  answerWith,
  type Received,
  receiverVariables,
  startReceiver,
} from '#test/support/webhooks/receiver.js';
import { checkView, openDashboard, showView, signIn, startDashboard } from '../stage.js';

const HOOKS = '/v1/merchants/me/webhooks';
const SIGNATURES = ['X-Service-Signature', 'webhook-signature'];
const NAMES = [
  ...['Content-Type', 'Accept', 'User-Agent', 'X-Service-Timestamp', 'X-Service-Event-Id'],
  ...['X-Service-Delivery-Attempt', 'webhook-id', 'webhook-timestamp', ...SIGNATURES],
];

const browser = await openBrowser(t);
if (browser !== null) {
  const receiver = await startReceiver(t);
  receiver.behave(answerWith(401));
  const stage = await startDashboard(t, {
    variables: { WEBHOOK_RETRY_SCHEDULE: '1', ...(await receiverVariables(t)) },
  });
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
    (await session.call(HOOKS + path, { method: 'POST', body })).body;
  const { id } = await post('', { environment: 'TEST', url: receiver.url });
  const login = { email: owner.email, password: PASSWORD };

  /** Sends a test event, and returns its path in the dashboard when its last attempt has failed. */
  const sendTest = async (): Promise<string> => {
    const sent = await post(`/${String(id)}/test`, {});
    const path = `/webhooks/deliveries/${String(sent['id'])}`;
    await waitUntil('the delivery is dead', async () => {
      const { body } = await session.call(`${HOOKS}/deliveries/${String(sent['id'])}`);
      return body['status'] === 'dead';
    });
    return path;
  };
  /** The headers of the attempts, newest first. */
  const listHeaders = (page: Page): Locator => page.locator('main details');
  const findValue = (headers: Locator, name: string): Locator =>
    headers.locator('dl > div').filter({ has: headers.page().getByText(name, { exact: true }) });
  const expectSent = async (
    t: Test,
    headers: Locator,
    { names, received }: { names: readonly string[]; received: Received | undefined },
  ): Promise<void> => {
    for (const name of names) {
      const shown = await findValue(headers, name).locator('dd').innerText();
      t.equal(shown.trim(), received?.headers[name.toLowerCase()], name);
    }
  };

  t.test('the headers of an attempt are those that arrived, and are copied', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await signIn(page, baseUrl, login, await sendTest());
    const [second, first] = [listHeaders(page).nth(0), listHeaders(page).nth(1)];
    await first.waitFor({ timeout: SHOWN_MS });
    const received = receiver.received.slice(-2);
    await expectSent(t, second, { names: NAMES, received: received[1] });
    t.equal(await findValue(first, 'webhook-id').isVisible(), false, 'older ones are folded');
    await checkView(t, page, 'request-headers');
    await first.locator('summary').press('Enter');
    await expectSent(t, first, { names: NAMES, received: received[0] });
    for (const name of SIGNATURES) {
      await findValue(first, name).getByRole('button', { name: 'Copy' }).click();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      t.equal(copied, received[0]?.headers[name.toLowerCase()]);
    }
    t.equal(await page.getByText('X-Service-Signature-Next').count(), 0);
    t.equal(
      await second.getByRole('link', { name: 'How to check a signature' }).getAttribute('href'),
      '/docs/webhooks#signatures',
    );
    t.same(complaints, []);
  });

  t.test('both signatures of a rotation are shown, on a phone in Indonesian', async (t) => {
    await post(`/${String(id)}/rotate`, { overlap_seconds: 3_600 });
    const path = await sendTest();
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, login, path);
    const newest = listHeaders(page).first();
    await newest.getByText('Header permintaan').waitFor({ timeout: SHOWN_MS });
    const names = [...NAMES, 'X-Service-Signature-Next'];
    await expectSent(t, newest, { names, received: receiver.received.at(-1) });
    const both = await findValue(newest, 'webhook-signature').locator('dd').innerText();
    t.match(both.trim(), /^v1,\S+ v1,\S+$/);
    await checkView(t, page, 'phone-request-headers');
    t.same(complaints, []);
  });

  t.test('an attempt without headers says why', async (t) => {
    const before = await sendTest();
    await sql`
      update webhook_attempts set signatures = null
       where delivery_id = ${before.slice(before.lastIndexOf('/') + 1)}`;
    await receiver.stop();
    const unsent = await sendTest();
    for (const [locale, old, none] of [
      ['en-GB', 'older than the record of them', 'No request was sent'],
      ['id-ID', 'sebelum header dicatat', 'Tidak ada permintaan yang dikirim'],
    ] as const) {
      const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE, locale });
      await signIn(page, baseUrl, login, before);
      await page.getByText(old).first().waitFor({ timeout: SHOWN_MS });
      t.equal(await listHeaders(page).count(), 0);
      await checkView(t, page, `request-headers-unknown-${locale}`);
      await showView(page, unsent);
      await page.getByText(none).first().waitFor({ timeout: SHOWN_MS });
      await checkView(t, page, `request-headers-unsent-${locale}`);
      t.same(complaints, []);
    }
  });
}
