// A passkey in a real browser with Chromium's virtual authenticator: a page registers it, signs in with it, and proves it.
import type { Page } from 'playwright-core';
import t from 'tap';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '../support/accounts.js';
import { openBrowser, openPage, WIDE } from '../support/browser.js';

const PATH = '/v1/auth/passkeys';

interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Called by a script of the page. */
const post = (page: Page, path: string, body?: object): Promise<Heard> =>
  page.evaluate<Heard>(`(async () => {
    const body = ${body === undefined ? 'undefined' : JSON.stringify(JSON.stringify(body))};
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(${JSON.stringify(path)}, { method: 'POST', headers, body });
    return { status: answer.status, body: await answer.json().catch(() => ({})) };
  })()`);

const create = (page: Page, options: object): Promise<object> =>
  page.evaluate<object>(`(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`);

const get = (page: Page, options: object): Promise<object> =>
  page.evaluate<object>(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
    return (await navigator.credentials.get({ publicKey })).toJSON();
  })()`);

/** An authenticator of the device that knows its user by a finger. */
async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const browser = await openBrowser(t);
if (browser !== null) {
  const { sql, gateways } = await startGateways(t, 1);
  const own = `http://localhost:${gateways[0]?.port}`;
  const person = await makePerson(sql, 'owner', await makeMerchant(sql));
  const login = { email: person.email, password: PASSWORD, cookie: true };

  t.test('a user registers a passkey, signs in with it and makes a LIVE key', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    await page.goto(`${own}/docs`);
    await addAuthenticator(page);
    t.equal((await post(page, '/v1/auth/login', login)).status, 200);

    const begun = await post(page, `${PATH}/options`, { current_password: PASSWORD });
    t.equal(begun.status, 201);
    const made = await create(page, begun.body);
    const registered = await post(page, PATH, { name: 'Laptop', passkey: made });
    t.equal(registered.status, 201, JSON.stringify(registered.body));
    t.equal((registered.body['recovery_codes'] as unknown[]).length, 10);

    t.equal((await post(page, '/v1/auth/logout')).status, 204);
    const asked = await post(page, '/v1/auth/login', login);
    t.equal(asked.status, 401);
    const { passkey_options: options, param } = asked.body['error'] as {
      passkey_options: object;
      param: string;
    };
    t.equal(param, 'passkey');
    const passkey = await get(page, options);
    const signedIn = await post(page, '/v1/auth/login', { ...login, passkey });
    t.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
    const again = await post(page, '/v1/auth/login', { ...login, passkey });
    t.equal(again.status, 401, 'the same answer works once');

    const challenge = await post(page, `${PATH}/challenge`);
    const proof = await post(page, `${PATH}/code`, { passkey: await get(page, challenge.body) });
    t.equal(proof.status, 201, JSON.stringify(proof.body));
    const key = { environment: 'LIVE', totp_code: proof.body['code'] };
    t.equal((await post(page, '/v1/merchants/me/api-keys', key)).status, 201);
    const [row] = await sql`
      select sign_count::integer as count, to_json(transports) as transports from passkeys where user_id = ${person.userId}`;
    t.match(row, { count: /^[1-9]/, transports: ['internal'] });
  });
}
