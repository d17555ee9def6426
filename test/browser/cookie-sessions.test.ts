// Sessions in cookies in a real browser: scripts cannot read them, other sites cannot use them, and other pages of the same
// host change nothing with them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t from 'tap';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '../support/accounts.js';
import { openBrowser, openPage, WIDE } from '../support/browser.js';

const ME = '/v1/auth/me';
const OUT = '/v1/auth/logout';

interface Heard {
  readonly status: number;
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Called by a script of the page. */
const ask = (page: Page, path: string, method = 'GET', body?: object): Promise<Heard> =>
  page.evaluate<Heard>(`(async () => {
    const body = ${JSON.stringify(JSON.stringify(body)) ?? 'undefined'};
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(${JSON.stringify(path)}, { method: ${JSON.stringify(method)}, headers, body });
    const read = await answer.json().catch(() => ({}));
    return { status: answer.status, code: read.error?.code ?? null, body: read };
  })()`);

/** A page of somebody else that submits a form to an address of the gateway. */
async function startForeignPage(test: typeof t, target: string): Promise<number> {
  const page = `<form method="post" enctype="text/plain" action="${target}"></form>
    <script>document.forms[0].submit()</script>`;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  test.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const browser = await openBrowser(t);
if (browser !== null) {
  const { sql, gateways } = await startGateways(t, 1);
  const port = gateways[0]?.port;
  const own = `http://localhost:${port}`;
  const foreignPort = await startForeignPage(t, own + OUT);
  const person = await makePerson(sql, 'owner', await makeMerchant(sql));
  const login = { email: person.email, password: PASSWORD, cookie: true };

  t.test('a page logs in, works with the cookie and logs out', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    await page.goto(`${own}/docs`);
    t.equal((await ask(page, ME)).code, 'credential_missing');
    const begun = await ask(page, '/v1/auth/login', 'POST', login);
    t.equal(begun.status, 200);
    t.notOk('token' in begun.body);
    t.equal(await page.evaluate('document.cookie'), '', 'scripts cannot read it');
    t.match(await ask(page, ME), { status: 200, body: { user: { email: person.email } } });
    t.equal(
      (await ask(page, '/v1/auth/sessions', 'DELETE')).status,
      204,
      'the browser adds Origin',
    );
    const attributes = { httpOnly: true, sameSite: 'Strict', path: '/', domain: 'localhost' };
    for (const cookie of await page.context().cookies(own)) t.match(cookie, attributes);
    t.equal((await ask(page, OUT, 'POST')).status, 204);
    t.match(
      await page.context().cookies(own),
      [{ name: 'service_device' }],
      'the browser forgot the session, and stays known',
    );
    t.equal((await ask(page, ME)).code, 'credential_missing');
  });

  t.test('pages of other origins cannot log the user out', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    await page.goto(`${own}/docs`);
    await ask(page, '/v1/auth/login', 'POST', login);
    const cases = [
      // The same site, since a site has no port: the browser sends the cookie.
      [`http://localhost:${foreignPort}/`, 'origin_not_allowed'],
      // Another site: it does not.
      [`http://127.0.0.1:${foreignPort}/`, 'credential_missing'],
    ] as const;
    for (const [address, code] of cases) {
      await page.goto(address);
      await page.waitForURL(own + OUT);
      t.match(await page.textContent('body'), `"code":"${code}"`, address);
      await page.goto(`${own}/docs`);
      t.equal((await ask(page, ME)).status, 200, 'the session goes on');
    }
  });

  t.test('the browser keeps the cookie of an https installation', async (t) => {
    const securePort = await findFreePort();
    const stage = await startGateways(t, 1, {
      PORT: String(securePort),
      BASE_URL: `https://localhost:${securePort}`,
      NODE_ENV: 'development',
    });
    const owner = await makePerson(stage.sql, 'owner', await makeMerchant(stage.sql));
    const { page } = await openPage(t, browser, { viewport: WIDE });
    // Chromium counts loopback as secure, so that the prefix can be tried without a certificate.
    const address = `http://localhost:${securePort}`;
    await page.goto(`${address}/docs`);
    const body = { email: owner.email, password: PASSWORD, cookie: true };
    t.equal((await ask(page, '/v1/auth/login', 'POST', body)).status, 200);
    const cookies = await page.context().cookies(`https://localhost:${securePort}`);
    t.same(cookies.map(({ name }) => name).sort(), [
      '__Host-service_device',
      '__Host-service_session',
    ]);
    const attributes = { secure: true, httpOnly: true, sameSite: 'Strict' };
    for (const cookie of cookies) t.match(cookie, attributes, cookie.name);
    t.equal((await ask(page, ME)).status, 200);
    t.equal((await ask(page, OUT, 'POST')).code, 'origin_not_allowed', 'http is another origin');
  });
}
