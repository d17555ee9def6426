// The first story in the dashboard: sign in, see the payments, open one.
import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import type { SCREENS } from '#test/support/browser.js';
import type { StandingService } from '#test/support/standing/merchant.js';
import { checkView, openDashboard, signIn, waitForView, waitUntilShown } from './stage.js';

/** Creates a payment whose texts would be markup, and pays it. Returns its id. */
export async function payHostilePayment({ api }: StandingService): Promise<string> {
  const created = await api.create({
    amount: '150000',
    payment_method: 'QRIS',
    reference_id: '<b>order</b>',
    customer_name: 'Budi <script>alert(1)</script>',
  });
  const paymentId = String(created.body['id']);
  await api.simulate(paymentId, 'paid');
  return paymentId;
}

/** The cookie of a session is accepted from the origin of BASE_URL only, so pages are opened there. */
export async function tellSignInStory(
  t: Test,
  browser: Browser,
  { publicUrl: baseUrl, merchant }: StandingService,
  { name, viewport, paymentId }: (typeof SCREENS)[number] & { readonly paymentId: string },
): Promise<void> {
  const { page, complaints, strangers } = await openDashboard(t, browser, { viewport });
  await page.goto(`${baseUrl}/dashboard/payments`);
  await page.locator('input[type=email]').waitFor();
  t.match(page.url(), /\/dashboard\/sign-in\?next=/, 'views need a session');
  await checkView(t, page, `sign-in-${name}`);
  await signIn(page, baseUrl, merchant.owner, '/payments');
  t.match(page.url(), /\/dashboard\/payments$/, 'leads back to the view');
  await waitUntilShown(page);
  await page.getByText('Budi <script>alert(1)</script>').waitFor();
  t.match(await page.locator('table').innerText(), /Rp\u00a0150\.000/);
  await checkView(t, page, `payments-${name}`);
  await page.locator('tbody a').first().click();
  await waitForView(page, `**/payments/${paymentId}`);
  await page.getByText('<b>order</b>').waitFor();
  await checkView(t, page, `payment-${name}`);
  t.same({ complaints, strangers }, { complaints: [], strangers: [] });
}
