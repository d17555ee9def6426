// Invoices over HTTP: drafted, changed, numbered without gaps, voided, by their merchant only.
import t from 'tap';
import { beginSession, makePerson, readMail } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  changeInvoice,
  draftInvoice,
  finalizeInvoice,
  INVOICES,
  ITEMS,
  openInvoice,
  previewInvoice,
  remindInvoice,
  sendInvoice,
  showInvoice,
  voidInvoice,
} from '#test/support/collecting/invoices.js';
import { CARD, isRefused } from '#test/support/collecting/links.js';
import { addCustomer, getPage, openSeller } from '#test/support/collecting/stage.js';
import { useGateways } from '#test/support/standing/service.js';

const { sql, baseUrl, gateways } = await useGateways(t);
const stage = { sql, baseUrl };
const seller = await openSeller(stage);
const CSV = { headers: { accept: 'text/csv' } };
const item = (change: object): object => ({ items: [{ ...ITEMS[0], ...change }] });

t.test('drafted, changed, finalized, voided', async (t) => {
  const { api } = seller;
  const drafted = await draftInvoice(api, {
    items: [{ ...ITEMS[0], unit_amount: '000150000' }, ITEMS[1]],
    customer_name: 'Budi',
    due_at: '2020-01-01',
    notes: 'Terima kasih',
  });
  t.equal(drafted.status, 201, drafted.text);
  const { id } = drafted.body;
  t.match(drafted.body, {
    id: /^inv_[0-9a-z]{26}$/,
    object: 'invoice',
    number: null,
    status: 'draft',
    items: ITEMS,
    total: '300000',
    url: null,
    due_at: '2020-01-01T00:00:00.000Z',
    payment_id: null,
    finalized_at: null,
  });
  t.equal((await getPage(`${baseUrl}/invoice/${String(id)}`)).status, 404, 'a draft has no page');
  const items = [{ description: 'Kopi', quantity: 3, unit_amount: '15000' }];
  const changed = await changeInvoice(api, id, { items, notes: null, language: 'en' });
  t.same(changed.body, { ...drafted.body, items, total: '45000', notes: null, language: 'en' });
  const opened = await finalizeInvoice(api, id);
  t.equal(opened.status, 200, opened.text);
  t.match(opened.body, {
    number: 'INV-000001',
    status: 'open',
    url: new RegExp(`/invoice/${String(id)}$`),
    finalized_at: /Z$/,
  });
  t.same((await showInvoice(api, id)).body, opened.body);
  isRefused(t, await changeInvoice(api, id, { notes: 'x' }), 'state_conflict');
  isRefused(t, await finalizeInvoice(api, id), 'state_conflict');
  const voided = await voidInvoice(api, id);
  t.match(voided.body, { status: 'void', number: 'INV-000001', voided_at: /Z$/ });
  const again = await voidInvoice(api, id);
  t.match(again.body['error'], { message: /void/ });
  t.match(
    (await getPage(String(opened.body['url']).replace(/^.*\/invoice/, `${baseUrl}/invoice`))).text,
    /Do not pay it/,
  );
  const log = await sql<{ after: string; actor: string }[]>`
    select after, actor from audit_log where target = ${String(id)} order by id`;
  t.match(log.at(-1), { after: /void/, actor: /^usr_/ });
  const draft = await draftInvoice(api);
  t.match((await voidInvoice(api, draft.body['id'])).body, {
    status: 'void',
    number: null,
    url: null,
  });
});

t.test('an invalid invoice is rejected with the name of its field', async (t) => {
  const wrong: readonly (readonly [object, string, string])[] = [
    [{ items: [] }, 'field_invalid', 'items'],
    [item({ quantity: 0 }), 'field_invalid', 'items.0.quantity'],
    [item({ quantity: 1.5 }), 'field_invalid', 'items.0.quantity'],
    [item({ unit_amount: '-1' }), 'amount_invalid', 'items.0.unit_amount'],
    [item({ unit_amount: 1 }), 'amount_invalid', 'items.0.unit_amount'],
    [item({ unit_amount: '0' }), 'amount_out_of_range', 'items'],
    [item({ unit_amount: '999999999999999', quantity: 1_000_000 }), 'amount_out_of_range', 'items'],
    [item({ description: '' }), 'field_invalid', 'items.0.description'],
    [item({ description: `No. ${CARD}` }), 'card_data_refused', 'items.description'],
    [item({ total: '1' }), 'body_invalid', 'items.0.total'],
    [{ customer_name: CARD }, 'card_data_refused', 'customer_name'],
    [{ notes: CARD }, 'card_data_refused', 'notes'],
    [{ customer_email: 'budi' }, 'field_invalid', 'customer_email'],
    [{ due_at: 'tomorrow' }, 'field_invalid', 'due_at'],
    [{ currency: 'USD' }, 'currency_unsupported', 'currency'],
    [{ total: '1' }, 'body_invalid', 'total'],
  ];
  for (const [body, code, param] of wrong) {
    const answer = await draftInvoice(seller.api, body);
    t.equal(answer.status, 400, JSON.stringify(body));
    isRefused(t, answer, code, param);
    t.notOk(answer.text.includes('4111 1111'));
  }
  isRefused(t, await draftInvoice(seller.api, { environment: 'LIVE' }), 'live_not_enabled');
});

t.test("another merchant's are not there", async (t) => {
  const { id } = (await openInvoice(seller.api)).body;
  const otherMerchant = await openSeller(stage);
  const shape = ({ body }: ApiAnswer): object => ({ ...(body['error'] as object), request_id: '' });
  const change = (api: Api, id: unknown): Promise<ApiAnswer> => changeInvoice(api, id, {});
  const mailed = [previewInvoice, sendInvoice, remindInvoice];
  for (const ask of [showInvoice, change, finalizeInvoice, voidInvoice, ...mailed]) {
    const theirs = await ask(otherMerchant.api, id);
    t.equal(theirs.status, 404);
    t.same(shape(theirs), shape(await ask(otherMerchant.api, `inv_${'0'.repeat(26)}`)));
  }
  t.match((await showInvoice(seller.api, id)).body, { status: 'open' });
  const developer = await openSeller(stage, 'developer', seller.merchantId);
  t.equal((await showInvoice(developer.api, id)).status, 200);
  isRefused(t, await draftInvoice(developer.api), 'role_insufficient');
});

t.test('100 finalized at once have numbers without gaps, and fit in one file', async (t) => {
  const { api, merchantId } = await openSeller(stage);
  await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
             where id = ${merchantId}`;
  const drafts: ApiAnswer[] = [];
  for (let index = 0; index < 100; index += 1) {
    const environment = index % 10 === 0 ? 'LIVE' : 'TEST';
    drafts.push(await draftInvoice(api, { environment }));
  }
  // Every fourth is asked for twice, by another gateway: once is once.
  const person = await makePerson(sql, 'finance', merchantId);
  const other = openApi(gateways[1]?.baseUrl ?? '', await beginSession(sql, person));
  const finalize = ({ body }: ApiAnswer, index: number): Promise<ApiAnswer[]> =>
    Promise.all([
      finalizeInvoice(api, body['id']),
      ...(index % 4 === 0 ? [finalizeInvoice(other, body['id'])] : []),
    ]);
  for (const answers of await Promise.all(drafts.map(finalize))) {
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses, answers.length === 1 ? [200] : [200, 409]);
  }
  const rows = await sql<{ environment: string; numbers: string[] }[]>`
    select environment, to_json(array_agg(number order by number)) as numbers from invoices
     where merchant_id = ${merchantId} group by environment order by environment`;
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  t.same(rows, [
    { environment: 'LIVE', numbers: upTo(10) },
    { environment: 'TEST', numbers: upTo(90) },
  ]);
  const last = await draftInvoice(api, { customer_name: '=1+1', notes: 'Kopi, teh' });
  const file = await api.call(INVOICES, CSV);
  t.match(file.headers['content-disposition'], /filename="invoices-\d{4}-\d\d-\d\d.csv"$/);
  const [head, newest, ...older] = file.text.split('\r\n').slice(0, -1);
  t.match(head, /^id,object,environment,number,status,customer_name,customer_email,/);
  t.match(newest, new RegExp(`^"${String(last.body['id'])}","invoice","TEST",,"draft","'=1\\+1",`));
  t.match(newest, /,"Kopi, teh","IDR","\[\{""description"":/);
  const ids = older.map((line) => line.split(',')[0]?.replaceAll('"', ''));
  t.same(new Set(ids), new Set(drafts.map(({ body }) => body['id'])), 'over two pages');
  t.equal(ids.length, drafts.length, 'each once');
  const live = await api.call(`${INVOICES}?environment=LIVE&status=open`, CSV);
  t.equal(live.text.split('\r\n').length, 12);
  const otherMerchant = await openSeller(stage);
  t.equal((await otherMerchant.api.call(INVOICES, CSV)).text, `${head}\r\n`);
  isRefused(t, await api.call(`${INVOICES}?cursor=x`, CSV), 'field_invalid', 'cursor');
});

t.test('the customer is told', async (t) => {
  const budi = await addCustomer(stage, seller);
  const jane = await addCustomer(stage, seller);
  const customer = { customer_email: budi, due_at: '2027-08-02T10:15:00Z' };
  const opened = await openInvoice(seller.api, customer);
  const mail = await readMail(sql, budi);
  const number = String(opened.body['number']);
  t.equal(mail?.subject, `[TEST] Tagihan ${number} dari Toko <Uji> & "Kawan"`);
  const page = `/invoice/${String(opened.body['id'])}`;
  for (const told of [number, 'Rp\u00a0300.000', '2 Agustus 2027 pukul 17.15 WIB', page]) {
    t.ok(mail?.body.includes(told), told);
  }
  await finalizeInvoice(seller.api, opened.body['id']);
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from mails where recipient = ${budi}`;
  t.equal(row?.count, 1, 'once');
  await openInvoice(seller.api, { customer_email: jane, language: 'en' });
  t.match((await readMail(sql, jane))?.subject, /^\[TEST\] Invoice INV-\d{6} from/);
  await sql`update users set verified_at = null where email = ${seller.email}`;
  const { id } = (await draftInvoice(seller.api, customer)).body;
  isRefused(t, await finalizeInvoice(seller.api, id), 'state_conflict');
  t.match((await showInvoice(seller.api, id)).body, { status: 'draft', number: null });
  await sql`update users set verified_at = now() where email = ${seller.email}`;
});

t.test('listed page by page', async (t) => {
  const { api } = await openSeller(stage);
  const ids: unknown[] = [];
  for (let index = 0; index < 5; index += 1) ids.unshift((await draftInvoice(api)).body['id']);
  const { number } = (await finalizeInvoice(api, ids[2])).body;
  const read = async (query: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 9; pages += 1) {
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body, status, text } = await api.call(`${INVOICES}?${query}${next}`);
      t.equal(status, 200, text);
      found.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'] as string | null;
    }
    return found;
  };
  t.same(await read('limit=2'), ids);
  t.same(await read('limit=2&status=open'), [ids[2]]);
  t.same(await read(`number=${String(number)}&environment=TEST`), [ids[2]]);
  t.same(await read('limit=2&environment=LIVE'), []);
  isRefused(t, await api.call(`${INVOICES}?status=late`), 'field_invalid', 'status');
});
