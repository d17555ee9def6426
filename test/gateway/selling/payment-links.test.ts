// Payment links over HTTP: made, changed, listed, by their merchant only.
import t from 'tap';
import type { Api, ApiAnswer } from '#test/support/api.js';
import {
  CARD,
  changeLink,
  isRefused,
  LINKS,
  makeLink,
  showLink,
} from '#test/support/collecting/links.js';
import { openSeller } from '#test/support/collecting/stage.js';
import { useGateways } from '#test/support/standing/service.js';

const { sql, baseUrl } = await useGateways(t);
const stage = { sql, baseUrl };
const seller = await openSeller(stage);

t.test('made, shown, changed', async (t) => {
  const { api } = seller;
  const made = await makeLink(api, { max_uses: 3, expires_at: '2099-01-01' });
  t.equal(made.status, 201, made.text);
  t.match(made.body, {
    id: /^plink_[0-9a-z]{26}$/,
    object: 'payment_link',
    environment: 'TEST',
    url: /^http:.*\/pay\/[0-9a-z]{16}$/,
    amount: '150000',
    min_amount: null,
    currency: 'IDR',
    max_uses: 3,
    uses: 0,
    active: true,
    expires_at: '2099-01-01T00:00:00.000Z',
    success_url: null,
  });
  const { id } = made.body;
  t.same((await showLink(api, id)).body, made.body);
  const changed = await changeLink(api, id, { title: 'Kelas', expires_at: null, max_uses: null });
  t.same(changed.body, { ...made.body, title: 'Kelas', expires_at: null, max_uses: null });
  t.same((await changeLink(api, id, {})).body, changed.body);
  const [log] = await sql`select actor, after from audit_log where target = ${String(id)}
                           and action = 'payment_links.update'`;
  t.match(log?.['actor'], /^usr_/);
  const open = await makeLink(api, { amount: null, min_amount: '5000' });
  t.match(open.body, { amount: null, min_amount: '5000', max_amount: '50000000000' });
});

t.test('an invalid link is rejected with the name of its field', async (t) => {
  const { api } = seller;
  const wrong: readonly (readonly [object, string, string])[] = [
    [{ amount: '1.5' }, 'amount_invalid', 'amount'],
    [{ amount: '0' }, 'amount_out_of_range', 'amount'],
    [{ amount: '999999999999999' }, 'amount_out_of_range', 'amount'],
    [{ min_amount: '1' }, 'field_invalid', 'min_amount'],
    [{ amount: null, min_amount: '2', max_amount: '1' }, 'field_invalid', 'max_amount'],
    [{ currency: 'USD' }, 'currency_unsupported', 'currency'],
    [{ title: ' ' }, 'field_invalid', 'title'],
    [{ title: `Kartu ${CARD}` }, 'card_data_refused', 'title'],
    [{ description: CARD }, 'card_data_refused', 'description'],
    [{ max_uses: 0 }, 'field_invalid', 'max_uses'],
    [{ max_uses: 1.5 }, 'field_invalid', 'max_uses'],
    [{ expires_at: '2020-01-01' }, 'field_invalid', 'expires_at'],
    [{ success_url: 'http://toko.example' }, 'url_invalid', 'success_url'],
    [{ slug: 'mine' }, 'body_invalid', 'slug'],
    [{ environment: 'LIVE' }, 'live_not_enabled', ''],
  ];
  for (const [body, code, param] of wrong) {
    const answer = await makeLink(api, body);
    t.equal(answer.status, 400, JSON.stringify(body));
    isRefused(t, answer, code, ...(param === '' ? [] : [param]));
    t.notOk(answer.text.includes('4111 1111'));
  }
  const { id } = (await makeLink(api)).body;
  isRefused(t, await changeLink(api, id, { amount: '1' }), 'body_invalid', 'amount');
  isRefused(t, await changeLink(api, id, { title: CARD }), 'card_data_refused', 'title');
});

t.test("another merchant's are not there", async (t) => {
  const made = await makeLink(seller.api);
  const otherMerchant = await openSeller(stage);
  const shape = ({ body }: ApiAnswer): object => ({
    ...(body['error'] as object),
    request_id: '',
  });
  const unknown = `plink_${'0'.repeat(26)}`;
  for (const ask of [showLink, (api: Api, id: unknown) => changeLink(api, id, { active: false })]) {
    const theirs = await ask(otherMerchant.api, made.body['id']);
    t.equal(theirs.status, 404);
    t.same(shape(theirs), shape(await ask(otherMerchant.api, unknown)));
  }
  t.match((await showLink(seller.api, made.body['id'])).body, { active: true });
  t.same((await otherMerchant.api.call(LINKS)).body, { data: [], next_cursor: null });
  const viewer = await openSeller(stage, 'viewer', seller.merchantId);
  t.equal((await showLink(viewer.api, made.body['id'])).status, 200);
  isRefused(t, await makeLink(viewer.api), 'role_insufficient');
});

t.test('listed page by page', async (t) => {
  const { api } = await openSeller(stage);
  const ids: unknown[] = [];
  for (let index = 0; index < 5; index += 1) ids.unshift((await makeLink(api)).body['id']);
  await changeLink(api, ids[1], { active: false });
  const read = async (query: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 9; pages += 1) {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body, status, text } = await api.call(`${LINKS}?${query}${next}`);
      t.equal(status, 200, text);
      found.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'] as string | null;
    }
    return found;
  };
  t.same(await read('limit=2'), ids);
  t.same(await read('limit=2&active=false'), [ids[1]]);
  t.same(await read('limit=2&environment=LIVE'), []);
  t.same(await read('limit=2&environment=TEST&active=true'), ids.toSpliced(1, 1));
  isRefused(t, await api.call(`${LINKS}?cursor=x`), 'field_invalid', 'cursor');
});

t.test('payment links are sent as one CSV file to their merchant only', async (t) => {
  const { api } = await openSeller(stage);
  const otherMerchant = await openSeller(stage);
  await makeLink(api, { title: '=HYPERLINK("x")', description: 'Senin, malam' });
  const { body } = await makeLink(api);
  await changeLink(api, body['id'], { active: false });
  const read = (from: Api, query = ''): Promise<ApiAnswer> =>
    from.call(`${LINKS}${query}`, { headers: { accept: 'text/csv' } });
  const file = await read(api);
  t.match(file.headers['content-type'], /^text\/csv/);
  t.match(
    file.headers['content-disposition'],
    /^attachment; filename="payment-links-\d{4}-\d\d-\d\d.csv"$/,
  );
  const lines = file.text.split('\r\n');
  t.match(lines[0], /^id,object,environment,url,title,description,amount,/);
  t.match(
    lines[1],
    new RegExp(`^"${String(body['id'])}","payment_link","TEST",.*,150000,.*,"false",`),
  );
  t.match(lines[2], /,"'=HYPERLINK\(""x""\)","Senin, malam",150000,/);
  t.equal(lines.length, 4);
  t.equal((await read(api, '?active=false')).text.split('\r\n').length, 3);
  t.equal((await read(otherMerchant.api)).text, `${lines[0]}\r\n`);
  const sheet = await read(api, '?separator=semicolon&decimal=comma');
  t.match(sheet.text.split('\r\n')[2], /;"'=HYPERLINK\(""x""\)";"Senin, malam";150000;/);
  for (const [query, param] of [
    ['limit=2', 'limit'],
    ['decimal=comma', 'decimal'],
    ['separator=;', 'separator'],
  ] as const) {
    isRefused(t, await read(api, `?${query}`), 'field_invalid', param);
  }
});
