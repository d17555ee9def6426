// The dashboard in a real browser: a merchant signs in and sees a payment. test/browser/ has all other stories.
import t from 'tap';
import { openBrowser, SCREENS } from '#test/support/browser.js';
import { payHostilePayment, tellSignInStory } from '#test/browser/dashboard/sign-in-story.js';
import { useService } from '#test/support/standing/service.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const service = await useService();
  const paymentId = await payHostilePayment(service);
  t.test('sign-in, the payments and one of them on a wide screen', (t) =>
    tellSignInStory(t, browser, service, { ...SCREENS[1], paymentId }),
  );
}
