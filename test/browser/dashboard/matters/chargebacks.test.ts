// Chargebacks and late money in a real browser: a matter of the home page that leads to them, a badge, a filter, an entry of the
// timeline, and a mail.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { deriveOrderId, type MerchantId, type PaymentId } from '#actors/core/ids.js';
import { partitionFor } from '#actors/core/partition.js';
import { type PaymentCommand, SOURCES } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  approveMerchant,
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
} from '#test/support/accounts.js';
import { openRawSender } from '#test/support/actors/commands.js';
import { openApi } from '#test/support/api.js';
import { approve, makeAdministrators, proposeCorrection } from '#test/support/approvals.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { AMOUNT, uniqueTransaction } from '#test/support/operators.js';
import { startProcess } from '#test/support/processes.js';
import { makeLivePayment } from '#test/support/rails/live-payments.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  startDashboard,
  waitForView,
} from '../stage.js';

const PARTITIONS = 16;
/** The page asks again every ten seconds. */
const ASKED_MS = 60_000;

/** On a phone, in the first row: the amount ends before its first badge begins. */
const IS_APART = `(() => {
  const amount = document.createRange();
  amount.selectNodeContents(document.querySelector('tbody td[data-place=title]'));
  const badges = [...document.querySelectorAll('tbody tr:first-child [data-status]')];
  return badges.every((badge) => amount.getBoundingClientRect().right < badge.getBoundingClientRect().left);
})()`;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  const redis = openRedis(stage.redis.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntil('the client is ready', () => isReady(redis));
  const sender = await openRawSender(t, redis);
  const [first, second] = await makeAdministrators(sql, [baseUrl, baseUrl, baseUrl]);

  const tell = async (command: PaymentCommand): Promise<string> => {
    const partition = partitionFor(command.paymentId, PARTITIONS);
    const source = SOURCES[command.type] ?? 'gateway';
    const [outcome = ''] = await sender.send(partition, [encodeCommand(command)], source);
    return outcome;
  };
  const openOwner = async () => {
    const merchantId = await makeMerchant(sql);
    const owner = await makePerson(sql, 'owner', merchantId);
    const api = openApi(baseUrl, await beginSession(sql, owner));
    return { merchantId, owner, api, login: { email: owner.email, password: PASSWORD } };
  };
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: ASKED_MS });
  const correct = async (body: object): Promise<void> => {
    const proposed = await proposeCorrection(first, body);
    const applied = await approve(second, proposed.body['id']);
    if (applied.body['status'] !== 'applied') throw new Error(proposed.text + applied.text);
  };

  /** An administrator reads a chargeback too, and no refund. */
  const readAsAdministrator = async (t: Test, id: PaymentId): Promise<void> => {
    const { email } = await makePerson(sql, 'admin', null);
    const { page, complaints } = await openDashboard(t, browser);
    const path = '/admin/transactions';
    await signIn(page, baseUrl, { email, password: PASSWORD }, `${path}?payment_id=${id}`);
    await page.locator('tbody [data-status=charged_back]').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody [data-status=refunded]').count(), 0);
    await showView(page, `${path}/${id}`);
    await page.locator('dt', { hasText: 'Charged back' }).waitFor({ timeout: SHOWN_MS });
    t.same(complaints, []);
  };

  t.test('a chargeback has a badge, an entry of the timeline and a filter', async (t) => {
    const { merchantId, login } = await openOwner();
    await approveMerchant(sql, merchantId);
    const [id, other] = [await payLive(merchantId), await payLive(merchantId)];
    const of = { rail: 'midtrans', reason: 'uji' };
    const half = String(Number(AMOUNT) / 2);
    const taken = {
      ...of,
      kind: 'chargeback',
      payment_id: id,
      rail_transaction_id: uniqueTransaction(),
    };
    await correct({ ...taken, amount: AMOUNT });
    const back = {
      ...of,
      kind: 'refund',
      payment_id: other,
      rail_transaction_id: uniqueTransaction(),
    };
    await correct({ ...back, amount: half });
    const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE });
    await signIn(page, baseUrl, login, '/?environment=LIVE');
    await waitForText(page, 'A bank took back the money of 1 payment (chargeback).');
    await checkView(t, page, 'attention-chargeback-phone');
    await page.getByRole('link', { name: /^Look at it: A bank took back/ }).click();
    await waitForView(page, '**/payments?mark=charged_back*');
    await page.locator('tbody [data-status=charged_back]').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody tr').count(), 1, 'only this one');
    await checkView(t, page, 'payments-charged-back-phone');
    await page.locator('tbody tr a').first().click();
    await waitForView(page, `**/payments/${id}*`);
    await waitForText(page, 'Taken back by the bank (chargeback)');
    t.equal(await page.locator('[data-status=charged_back]').count(), 1);
    t.equal(await page.getByText('Refunded so far').count(), 0, 'the money went once');
    await checkView(t, page, 'payment-charged-back-phone');
    await showView(page, '/payments?mark=partly_refunded&environment=LIVE');
    await page.locator('tbody [data-status=partly_refunded]').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody tr').count(), 1);
    t.ok(await page.evaluate<boolean>(IS_APART), 'two badges leave the amount uncovered');
    t.same(complaints, []);
    await readAsAdministrator(t, id);
    const mails = await waitUntil('its mail is written, since it is on', async () => {
      const rows = await sql`
        select subject, body from mails where recipient = ${login.email} and subject like '%15.000%'`;
      return rows.length > 0 ? rows : undefined;
    });
    t.equal(mails.length, 1);
    t.match(mails[0], { subject: /^Bank menarik kembali Rp\s15\.000/, body: new RegExp(id) });
  });

  t.test('late money is a matter, with a badge and a filter, in Indonesian', async (t) => {
    const { api, login } = await openOwner();
    const body = { environment: 'TEST' };
    const { secret } = (await api.call('/v1/merchants/me/api-keys', { method: 'POST', body })).body;
    const server = openApi(baseUrl, String(secret));
    const id = String((await server.create({ amount: AMOUNT, payment_method: 'QRIS' })).body['id']);
    await server.simulate(id, 'failed');
    await settle(id as PaymentId);
    const { page, complaints } = await openDashboard(t, browser, { locale: 'id-ID' });
    await signIn(page, baseUrl, login);
    await waitForText(page, '1 pembayaran dibayar setelah berakhir.');
    await page.getByRole('link', { name: /^Lihat: 1 pembayaran dibayar/ }).click();
    await waitForView(page, '**/payments?mark=late*');
    await page.locator('tbody [data-status=late]').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'payments-late');
    t.same(complaints, []);
  });

  async function payLive(merchantId: MerchantId): Promise<PaymentId> {
    const id = await makeLivePayment(tell, merchantId);
    await correct({
      ...{ kind: 'settlement', payment_id: id, rail: 'midtrans', reason: 'uji' },
      ...{ rail_transaction_id: uniqueTransaction(), amount: AMOUNT },
    });
    return id;
  }

  /** Money that the sandbox never sends: for a payment that has ended. */
  function settle(paymentId: PaymentId): Promise<string> {
    const money = { amountMinor: makeMinor(BigInt(AMOUNT)), currency: 'IDR' } as const;
    const settlement = {
      ...({ rail: 'sandbox', railTransactionId: uniqueTransaction(), settledAtMs: null } as const),
      ...{ orderId: deriveOrderId(paymentId, 1), ...money },
    };
    return tell({ type: 'settle', paymentId, settlement });
  }
}
