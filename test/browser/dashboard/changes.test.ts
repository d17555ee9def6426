// The stream of changes in a real browser: views that cannot poll show payouts, deliveries and replays, also after the stream
// was refused.
import type { Page, Response } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openBrowser, SHOWN_MS } from '#test/support/browser.js';
import { openPostgres } from '#store/postgres/client.js';
import { startProcess } from '#test/support/processes.js';
import { makePaid, openKey, payOut } from '#test/support/rails/payouts.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { confirm, openDashboard, press, signIn, startDashboard, waitForView } from './stage.js';

const STREAM = '/v1/merchants/me/changes?environment=TEST';
const STREAMS_PER_MERCHANT = 50;
const ASKS_AGAIN_MS = 30_000;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t, {
    variables: { WEBHOOK_RETRY_SCHEDULE: '3600', ...(await receiverVariables(t)) },
  });
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));

  /** Query polls with `setInterval`. */
  const stopPolls = (page: Page): Promise<unknown> =>
    page.addInitScript('window.setInterval = () => 0');
  const waitForStatus = (page: Page, status: string): Promise<void> =>
    page.locator(`main [data-status=${status}]`).first().waitFor({ timeout: SHOWN_MS });

  t.test('a payout that is cancelled elsewhere shows it', async (t) => {
    await makePaid(api, '100000');
    const key = await openKey(baseUrl, sql, merchant.merchantId, 'TEST', ['payouts', 'read']);
    const { body } = await payOut(key, { amount: '20000' }, 'followed');
    const { page, complaints } = await openDashboard(t, browser);
    await stopPolls(page);
    await signIn(page, baseUrl, merchant.owner, `/payouts/${String(body['id'])}`);
    await waitForStatus(page, 'PENDING');
    await key.call(`/v1/payouts/${String(body['id'])}/cancel`, { method: 'POST' });
    await waitForStatus(page, 'FAILED');
    t.same(complaints, []);
  });

  /** So that nobody waits for the time of the next attempt, which is stored with the failure of the one before. */
  const attemptNow = (endpointId: string) =>
    waitUntil('the failed attempt is stored', async () => {
      const { count } = await sql`
        update webhook_deliveries set next_attempt_at = now()
         where endpoint_id = ${endpointId} and attempts = 1`;
      return count === 1;
    });

  t.test('a delivery whose endpoint recovers shows it', async (t) => {
    const receiver = await startReceiver(t);
    receiver.behave(answerWith(503));
    const { id } = await addEndpoint(sql, merchant.merchantId, receiver.url);
    await makePaid(api, '15000');
    const { page, complaints } = await openDashboard(t, browser);
    await stopPolls(page);
    await signIn(page, baseUrl, merchant.owner, `/webhooks/${id}`);
    await waitForStatus(page, 'pending');
    await page.locator('tbody a').first().click();
    await waitForView(page, '**/webhooks/deliveries/del_*');
    await page.getByText('HTTP 503').first().waitFor({ timeout: SHOWN_MS });
    receiver.behave(answerWith(200));
    await attemptNow(id);
    await waitForStatus(page, 'delivered');
    t.same(complaints, []);
  });

  t.test('a delivery that dies and its replay are shown', async (t) => {
    const receiver = await startReceiver(t);
    receiver.behave(answerWith(503));
    const { id } = await addEndpoint(sql, merchant.merchantId, receiver.url);
    const { page, complaints } = await openDashboard(t, browser);
    await stopPolls(page);
    await signIn(page, baseUrl, merchant.owner, '/webhooks/dead-letters');
    await page.getByText('No dead letters').waitFor({ timeout: SHOWN_MS });
    await makePaid(api, '15000');
    await attemptNow(id);
    await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
    const answers: (() => void)[] = [];
    receiver.behave((_received, response) => answers.push(() => response.writeHead(200).end()));
    await press(page, 'Replay all');
    await confirm(page, 'Replay 1');
    // That it runs is shown for a moment, which may have passed.
    await page.getByText(/^Replay is (running|complete)$/).waitFor({ timeout: SHOWN_MS });
    await waitUntil('it is sent again', () => answers.length > 0);
    for (const answer of answers) answer();
    await page.getByText('Replay is complete').waitFor({ timeout: SHOWN_MS });
    await page.getByText('No dead letters').waitFor({ timeout: SHOWN_MS });
    t.same(complaints, []);
  });

  const isStream = (answer: Response, status: number): boolean =>
    answer.url().endsWith(STREAM) && answer.status() === status;

  t.test('a page whose stream was refused asks for it again', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {}, [STREAM]);
    await page.clock.install();
    const authorization = `Bearer ${await beginSession(sql, await makePerson(sql, 'viewer', merchant.merchantId))}`;
    const leaving = new AbortController();
    t.teardown(() => leaving.abort());
    const openStream = async (signal: AbortSignal): Promise<number> => {
      const headers = { authorization, accept: 'text/event-stream' };
      return (await fetch(baseUrl + STREAM, { headers, signal })).status;
    };
    const others = await Promise.all(
      Array.from({ length: STREAMS_PER_MERCHANT }, () => openStream(leaving.signal)),
    );
    t.ok(others.every((status) => status === 200));
    const refused = page.waitForResponse((answer) => isStream(answer, 429), { timeout: SHOWN_MS });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await refused;
    const opened = page.waitForResponse((answer) => isStream(answer, 200), { timeout: SHOWN_MS });
    leaving.abort();
    await waitUntil('places are free', async () => {
      const trying = new AbortController();
      const status = await openStream(trying.signal);
      trying.abort();
      return status === 200;
    });
    await page.clock.fastForward(ASKS_AGAIN_MS);
    await opened;
    t.same(complaints, []);
  });
}
