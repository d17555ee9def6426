// How often payment links can be used, whatever happens at once and whoever dies.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openRedis } from '#store/redis/client.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  CARD,
  changeLink,
  isRefused,
  makeLink,
  makeToken,
  showLink,
} from '#test/support/collecting/links.js';
import {
  getPage,
  openSeller,
  type PageAnswer,
  postForm,
  startCollecting,
} from '#test/support/collecting/stage.js';
import { createTestMerchant, startProcess, uniqueWord } from '#test/support/processes.js';
import { openKey } from '#test/support/rails/payouts.js';
import { countUncommitted } from '#test/support/stage.js';

const stage = await startCollecting(t, { gateways: 2, followers: 2 });
const { service, sql } = stage;
const redis = openRedis(service.redis.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
const addresses = service.gateways.map(({ baseUrl }) => baseUrl);
const seller = await openSeller(stage);

const slugOf = (link: ApiAnswer): string => String(link.body['url']).split('/').at(-1) ?? '';
const urlOf = (link: ApiAnswer, gateway = 0): string =>
  `${addresses[gateway] ?? ''}/pay/${slugOf(link)}`;
const use = (link: ApiAnswer, fields: object = {}, gateway = 0): Promise<PageAnswer> =>
  postForm(urlOf(link, gateway), { token: makeToken(), ...fields });
const paymentOf = ({ location }: PageAnswer): string => location.split('/').at(-1) ?? '';

async function usesReach(link: ApiAnswer, uses: number): Promise<void> {
  const id = link.body['id'];
  await waitUntil(`${uses} uses`, async () => {
    return (await showLink(seller.api, id)).body['uses'] === uses;
  });
}

async function countPayments(link: ApiAnswer): Promise<number> {
  const id = String(link.body['id']);
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from payments p
      join payment_link_uses u on u.payment_id = p.id where u.link_id = ${id}`;
  return row?.count ?? 0;
}

t.test('a form makes one payment, however often it is sent', async (t) => {
  const link = await makeLink(seller.api, {
    title: '<script>alert(1)</script>',
    success_url: 'https://toko.example/terima-kasih',
  });
  const shown = await getPage(urlOf(link));
  t.equal(shown.status, 200);
  t.ok(shown.text.includes('Rp\u00a0150.000'));
  t.ok(shown.text.includes('Toko &lt;Uji&gt; &amp; &quot;Kawan&quot;'));
  t.notMatch(shown.text, /<script|<style| style=| on[a-z]+=/, 'nothing runs, nothing is inline');
  const token = /name="token" value="([0-9a-z]{26})"/.exec(shown.text)?.[1] ?? '';
  const fields = { token, customer_name: 'Budi', customer_email: 'budi@example.com' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => use(link, fields, index % 2)),
  );
  t.same(new Set(answers.map(({ status }) => status)), new Set([303]));
  t.equal(new Set(answers.map(({ location }) => location)).size, 1);
  t.equal(await countPayments(link), 1);
  t.match((await showLink(seller.api, link.body['id'])).body, { uses: 1 });
  const again = await use(link, { ...fields, customer_name: 'Badu' });
  t.equal(again.location, answers[0]?.location);
  const checkout = await getPage(`${addresses[0] ?? ''}${again.location}`);
  t.match(checkout.text, /Budi/);
  const [row] = await sql`select snapshot from payments where id = ${paymentOf(again)}`;
  const id = String(link.body['id']);
  for (const kept of [id, 'https://toko.example/terima-kasih', `/pay/${slugOf(link)}`]) {
    t.ok(String(row?.['snapshot']).includes(kept), kept);
  }
});

t.test('an amount that the customer chooses', async (t) => {
  const bounds = { amount: null, min_amount: '10000', max_amount: '2000000' };
  const link = await makeLink(seller.api, bounds);
  for (const amount of ['150000', '150.000', 'Rp 150.000', '150,000', ' 1.500.000 ', '15 000,00']) {
    t.equal((await use(link, { amount })).status, 303, amount);
  }
  for (const amount of ['', 'abc', '1.5', '15.0', '1,5', '-1', '1e5', '15 000,50']) {
    const answer = await use(link, { amount, customer_name: 'Budi "B"' });
    t.equal(answer.status, 400, amount);
    t.match(answer.text, /Write the amount in digits/);
    t.ok(answer.text.includes('value="Budi &quot;B&quot;"'), 'what was filled in stays');
  }
  for (const amount of ['9999', '2000001', '999999999999999', '15.00', '150,00']) {
    t.match((await use(link, { amount })).text, /outside the bounds/, amount);
  }
  const card = await use(link, { amount: '10000', customer_name: CARD });
  t.equal(card.status, 400);
  t.notOk(card.text.includes('4111 1111'), 'and it is not repeated');
  t.match((await use(link, { amount: '10000', customer_email: 'x' })).text, /no e-mail address/);
  const token = makeToken();
  const both = [
    await use(link, { token, amount: '10000' }),
    await use(link, { token, amount: '20000' }),
  ];
  t.not(both[0]?.location, both[1]?.location, 'gone back and paid something else');
  await usesReach(link, 8);
  const fixed = await makeLink(seller.api);
  const paid = await use(fixed, { amount: '1' });
  const [row] = await sql`select amount from payments where id = ${paymentOf(paid)}`;
  t.equal(row?.['amount'], '150000', 'a fixed amount is fixed');
});

t.test('hidden characters of a form are removed, and never the reason to refuse it', async (t) => {
  const fields = { customer_name: 'Bu\u200bdi\u202e', customer_email: ' budi@example.com\u200b' };
  const paid = await use(await makeLink(seller.api), fields);
  t.equal(paid.status, 303);
  const [row] = await sql`
    select snapshot::json ->> 'customer_name' as name, snapshot::json ->> 'customer_email' as email
      from payments where id = ${paymentOf(paid)}`;
  t.same(row, { name: 'Budi', email: 'budi@example.com' });
  const nothing = { customer_name: '\u200b', customer_email: '\u200b ' };
  t.equal((await use(await makeLink(seller.api), nothing)).status, 303);
});

t.test('a program gets error bodies', async (t) => {
  const link = await makeLink(seller.api, { active: false });
  const path = `/pay/${slugOf(link)}`;
  const post = (body: object): Promise<ApiAnswer> =>
    seller.api.call(path, { method: 'POST', body, headers: { authorization: '' } });
  isRefused(t, await post({ token: makeToken() }), 'state_conflict');
  isRefused(t, await post({ token: 'x' }), 'field_invalid', 'token');
  isRefused(t, await post({ token: makeToken(), customer_name: CARD }), 'card_data_refused');
  isRefused(t, await seller.api.call('/pay/0000000000000000'), 'payment_link_not_found');
  const page = await getPage(`${addresses[0] ?? ''}/pay/nothing`);
  t.equal(page.status, 404);
  t.match(page.text, /Link not found/);
});

t.test('100 at once on a link for 10, and what is given back', async (t) => {
  const link = await makeLink(seller.api, { max_uses: 10 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => use(link, {}, index % 2)),
  );
  const made = answers.filter(({ status }) => status === 303);
  t.equal(made.length, 10, 'exactly ten');
  t.equal(new Set(made.map(paymentOf)).size, 10);
  t.equal(answers.filter(({ status }) => status === 409).length, 90);
  t.match(answers.find(({ status }) => status === 409)?.text, /All taken/);
  t.equal(await countPayments(link), 10);
  t.match((await getPage(urlOf(link))).text, /All taken/);
  const [first = '', second = '', third = ''] = made.map(paymentOf);
  await seller.api.simulate(first, 'failed');
  await seller.api.simulate(second, 'failed');
  await seller.api.simulate(third, 'paid');
  await usesReach(link, 8);
  const more = await Promise.all(
    Array.from({ length: 20 }, (_, index) => use(link, {}, index % 2)),
  );
  t.equal(more.filter(({ status }) => status === 303).length, 2, 'two places were open');
  await changeLink(seller.api, link.body['id'], { max_uses: 11 });
  t.equal((await use(link)).status, 303);
});

t.test('uses follow payments that expire, are paid late, or are reversed', async (t) => {
  await stage.followers[0]?.kill();
  const late = await makeLink(seller.api, { amount: '10095', max_uses: 1 });
  const payment = paymentOf(await use(late));
  await waitUntil('it is paid late', async () => {
    const [row] = await sql`select state from payment_link_uses where payment_id = ${payment}`;
    return row?.['state'] === 'paid';
  });
  await usesReach(late, 1);
  const reversed = await makeLink(seller.api, { amount: '10096', max_uses: 1 });
  t.equal((await use(reversed)).status, 303);
  await usesReach(reversed, 0);
  const expired = await makeLink(seller.api, { amount: '10093', max_uses: 1 });
  t.equal((await use(expired)).status, 303);
  await usesReach(expired, 0);
  t.equal((await use(expired)).status, 303, 'the place is open again');
});

t.test('switched off, over', async (t) => {
  const link = await makeLink(seller.api);
  const { id } = link.body;
  const token = makeToken();
  const before = await use(link, { token });
  await changeLink(seller.api, id, { active: false });
  t.match((await use(link)).text, /This link is closed/);
  t.equal((await use(link, { token })).location, before.location, 'what was made is still found');
  await changeLink(seller.api, id, { active: true });
  await sql`update payment_links set expires_at = now() where id = ${String(id)}`;
  for (const answer of [await use(link), await getPage(urlOf(link))]) {
    t.match(answer.text, /This link has ended/);
  }
});

t.test("a page on the developer's own machine is taken in TEST only", async (t) => {
  const page = { success_url: 'http://localhost:3000/thanks' };
  const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const { api } = await openSeller(stage, 'owner', merchantId);
  const message = /success_url must be an https:\/\/ URL, or in TEST an http:\/\/ URL of localhost/;
  const test = await makeLink(api, page);
  t.match(test.body, page, test.text);
  const live = await makeLink(api, { environment: 'LIVE' });
  isRefused(t, await makeLink(api, { environment: 'LIVE', ...page }), 'url_invalid', 'success_url');
  const changed = await changeLink(api, live.body['id'], page);
  t.match(changed.body, { error: { code: 'url_invalid', message } });
  t.match((await changeLink(api, test.body['id'], page)).body, page);

  const create = async (environment: 'TEST' | 'LIVE', body: object) =>
    (await openKey(service.baseUrl, sql, merchantId, environment, [])).create(
      { amount: '150000', payment_method: 'QRIS', ...body },
      uniqueWord(),
    );
  t.match((await create('TEST', page)).body, page);
  const cart = { cancel_url: 'http://127.0.0.1:3000/cart' };
  t.match((await create('TEST', cart)).body, cart);
  for (const body of [page, cart]) {
    const refused = await create('LIVE', body);
    t.equal(refused.status, 400);
    isRefused(t, refused, 'url_invalid', Object.keys(body)[0]);
  }
});

t.test('LIVE passes its gate at every use', async (t) => {
  const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const live = await openSeller(stage, 'owner', merchantId);
  const link = await makeLink(live.api, { environment: 'LIVE' });
  t.equal(link.status, 201, link.text);
  const form = { token: makeToken() };
  const paid = await use(link, form);
  t.equal(paid.status, 303);
  const [row] = await sql`select environment from payments where id = ${paymentOf(paid)}`;
  t.equal(row?.['environment'], 'LIVE');
  const isClosed = async (): Promise<boolean> => {
    const answers = [await use(link), await getPage(urlOf(link))];
    return answers.every(({ text }) => text.includes('Not taking payments yet'));
  };
  t.notOk(await isClosed());
  await sql`update merchants set live_enabled = false where id = ${merchantId}`;
  t.ok(await isClosed(), 'LIVE is off');
  await sql`update merchants set live_enabled = true, verification_status = 'SUSPENDED'
             where id = ${merchantId}`;
  t.ok(await isClosed(), 'suspended');
  await sql`update merchants set verification_status = 'APPROVED' where id = ${merchantId}`;
  for (const name of [`merchant:${merchantId}`, 'live_creates']) {
    await sql`insert into switches (name, is_on) values (${name}, false)`;
    await waitUntil(`${name} is off`, isClosed);
    if (name === 'live_creates') {
      t.equal((await use(link, form)).location, paid.location, 'what was made is still found');
    }
    await sql`delete from switches where name = ${name}`;
    await waitUntil(`${name} is on`, async () => !(await isClosed()));
  }
});

t.test('claims without a payment', async (t) => {
  const link = await makeLink(seller.api, { max_uses: 2 });
  const id = String(link.body['id']);
  const age = (seconds: number, payment: string) => sql`
    update payment_link_uses set claimed_at = now() - make_interval(secs => ${seconds})
     where payment_id = ${payment}`;
  const stateOf = async (payment: string): Promise<unknown> => {
    const [row] = await sql`select state from payment_link_uses where payment_id = ${payment}`;
    return row?.['state'];
  };

  // Its gateway died before it sent anything.
  const lost = `pay_${makeToken()}`;
  await sql`select claim_payment_link_use(${id}, ${lost})`;
  await usesReach(link, 1);
  await age(600, lost);
  await waitUntil('it is given back', async () => (await stateOf(lost)) === 'given_back');
  await usesReach(link, 0);

  // Its command stands in a stream that nobody reads, and its gateway dies.
  await Promise.all(service.payments.map((process) => process.kill()));
  const fields = { token: makeToken() };
  const waiting = use(link, fields, 1).catch(() => null);
  await waitUntil('it is claimed', async () => {
    const [row] = await sql`select count(*)::int as count from payment_link_uses
                             where link_id = ${id} and state = 'claimed'`;
    return row?.['count'] === 1;
  });
  const [claim] = await sql<{ id: string }[]>`
    select payment_id as id from payment_link_uses where link_id = ${id} and state = 'claimed'`;
  const sent = claim?.id ?? '';
  await waitUntil('it is sent', async () => (await countUncommitted(sql, redis)) > 0);
  await service.gateways[1]?.kill();
  await waiting;
  await age(600, sent);
  await waitUntil('its actor is asked', async () => {
    const [row] = await sql`select asked_at from payment_link_uses where payment_id = ${sent}`;
    return row?.['asked_at'] !== null;
  });
  t.equal(await stateOf(sent), 'claimed', 'nobody knows yet');
  await usesReach(link, 1);
  await startProcess(t, 'payments', service.variables);
  await waitUntil('it ends', async () => (await stateOf(sent)) === 'given_back');
  const [row] = await sql`select status from payments where id = ${sent}`;
  t.equal(row?.['status'], 'cancelled', 'the create came first, then the question');
  await usesReach(link, 0);
  t.equal((await use(link)).status, 303);
});
