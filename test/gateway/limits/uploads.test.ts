// Uploads of KYC documents by two gateways behind a proxy: one of a merchant at a time, and nothing of a body is read that
// will not be stored.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PNG,
  startGateways,
} from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { speak } from '#test/support/http/raw.js';

const PATH = '/v1/merchants/kyc/documents';
const MIB = 1024 * 1024;
const PART_BYTES = 128 * 1024;
const SESSION_PER_SECOND = 20;
const SESSION_BURST = 2 * SESSION_PER_SECOND;
/** Documents, and logos, of a merchant. */
const UPLOADS_AT_ONCE = 20;
/** The largest file: its base64 and the rest of the body have nearly 8 MiB. */
const LARGE = Buffer.concat([PNG, randomBytes(Math.floor(5.9 * MIB))]);

const { sql, gateways, baseUrl } = await startGateways(t, 2, {
  TRUSTED_PROXIES: '127.0.0.0/8',
  RATE_LIMIT_SESSION: String(SESSION_PER_SECOND),
});

async function openOwner() {
  const merchantId = await makeMerchant(sql);
  const owner = await makePerson(sql, 'owner', merchantId);
  const token = await beginSession(sql, owner);
  const upload = (file: Buffer, gateway = 0): Promise<ApiAnswer> =>
    openApi(gateways[gateway]?.baseUrl ?? '', token).call(PATH, {
      method: 'POST',
      body: { purpose: 'IDENTITY', filename: 'ktp.png', content: file.toString('base64') },
      headers: { 'x-forwarded-for': '198.51.100.1' },
    });
  const countDocuments = async (): Promise<number> =>
    (await sql`select 1 from kyc_documents where merchant_id = ${merchantId}`).length;
  return { merchantId, owner, token, upload, countDocuments };
}

const findParts = (merchantId: string) => sql<{ bytes: number }[]>`
  select length(content) as bytes from kyc_document_parts where merchant_id = ${merchantId}`;

/** The head of an upload; the test sends the body, or none. */
const writeHead = (token: string, ...lines: readonly string[]): string =>
  [`POST ${PATH} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`, ...lines, '', ''].join(
    '\r\n',
  );
const JSON_LINES = ['Content-Type: application/json', `Content-Length: ${8 * MIB}`];

/** Sends steps to the first gateway until it answers. */
async function ask(...steps: Parameters<typeof speak>[1]): Promise<string> {
  const port = gateways[0]?.port ?? 0;
  const until = (text: string): boolean => text.includes('"request_id"');
  return (await speak(port, steps, { until })).text;
}

t.test('of eight uploads at the same time one is stored, and the others wait', async (t) => {
  const { upload, countDocuments } = await openOwner();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => upload(LARGE, index % 2)),
  );
  const stored = answers.filter(({ status }) => status === 201);
  t.ok(stored.length >= 1 && stored.length < 8, `${stored.length} were stored`);
  t.equal(await countDocuments(), stored.length);
  for (const { status, code, headers, text } of answers.filter((one) => !stored.includes(one))) {
    t.strictSame([status, code, headers['retry-after']], [429, 'rate_limited', '2']);
    t.match(text, /one after the other/);
  }
  t.equal((await upload(LARGE, 1)).status, 201, 'one after the other all are stored');
});

t.test('a large document is stored in parts, and an administrator gets it whole', async (t) => {
  const { merchantId, upload } = await openOwner();
  const { status, body } = await upload(LARGE);
  t.equal(status, 201);
  const parts = await findParts(merchantId);
  t.equal(parts.length, Math.ceil(LARGE.length / PART_BYTES));
  t.ok(parts.every(({ bytes }) => bytes < PART_BYTES + 100));
  const office = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
  const path = `/v1/admin/merchants/${merchantId}/documents/${String(body['id'])}`;
  t.ok((await office.call(path)).bytes.equals(LARGE));
});

t.test('parts of an upload whose gateway died are deleted with the next upload', async (t) => {
  const dead = await openOwner();
  const alive = await openOwner();
  t.equal((await alive.upload(PNG)).status, 201);
  await sql`
    insert into kyc_uploads (merchant_id, request_id, expires_at)
    values (${dead.merchantId}, 'req_dead', now() + interval '1 minute')`;
  await sql`
    insert into kyc_document_parts (id, document_id, merchant_id, content)
    values (${`doc_${dead.merchantId}.0000`}, ${`doc_${dead.merchantId}`}, ${dead.merchantId}, 'a')`;
  t.equal((await alive.upload(PNG)).status, 201);
  t.equal((await findParts(dead.merchantId)).length, 1, 'the upload may still go on');
  await sql`update kyc_uploads set expires_at = now() where merchant_id = ${dead.merchantId}`;
  t.equal((await alive.upload(PNG)).status, 201);
  t.equal((await findParts(dead.merchantId)).length, 0);
  t.equal((await findParts(alive.merchantId)).length, 3);
});

t.test('an upload that is too late to be stored leaves no parts', async (t) => {
  const { merchantId, upload, countDocuments } = await openOwner();
  const late = upload(LARGE);
  await waitUntil('the first part', async () => {
    return (await findParts(merchantId)).length > 0;
  });
  await sql`update kyc_uploads set expires_at = now() where merchant_id = ${merchantId}`;
  const answer = await late;
  t.strictSame([answer.status, answer.code], [409, 'state_conflict']);
  t.match(answer.text, /took too long/);
  await waitUntil('no parts', async () => (await findParts(merchantId)).length === 0);
  t.equal(await countDocuments(), 0);
});

t.test('another merchant uploads meanwhile, and other requests are answered', async (t) => {
  const owners = await Promise.all([1, 2, 3].map(openOwner));
  const answers = await Promise.all(owners.map(({ upload }) => upload(LARGE)));
  t.same(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
});

t.test('an upload that is not allowed is answered before its body is read', async (t) => {
  const full = await openOwner();
  await sql`
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    select 'doc_full_' || n, ${full.merchantId}, 'TAX', 'a.png', 'image/png', 1, ''
      from generate_series(1, 40) as n`;
  t.match(await ask(writeHead(full.token, ...JSON_LINES)), /^HTTP\/1.1 409 .*40 documents/s);

  const heavy = await openOwner();
  await sql`
    insert into kyc_documents (id, merchant_id, purpose, filename, media_type, size, content)
    values ('doc_heavy', ${heavy.merchantId}, 'TAX', 'a.png', 'image/png', ${99 * MIB}, '')`;
  t.match(await ask(writeHead(heavy.token, ...JSON_LINES)), /^HTTP\/1.1 409 .*100 MiB/s);
  t.equal((await heavy.upload(PNG)).status, 201, 'a small one fits');

  const other = await openOwner();
  const text = ['Content-Type: text/plain', `Content-Length: ${8 * MIB}`];
  t.match(await ask(writeHead(other.token, ...text)), /^HTTP\/1.1 415 /);
  const long = ['Content-Type: application/json', `Content-Length: ${8 * MIB + 1}`];
  t.match(await ask(writeHead(other.token, ...long)), /^HTTP\/1.1 413 /);
  const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const size = 65 * 1024;
  const chunk = `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n0\r\n\r\n`;
  t.match(await ask(writeHead(other.token, ...chunked), chunk), /^HTTP\/1.1 413 /);

  await sql`update users set verified_at = null where id = ${other.owner.userId}`;
  t.match(await ask(writeHead(other.token, ...JSON_LINES)), /^HTTP\/1.1 409 .*Verify your/s);
  await sql`update sessions set ended_at = now() where user_id = ${other.owner.userId}`;
  t.match(await ask(writeHead(other.token, ...JSON_LINES)), /^HTTP\/1.1 401 .*session_expired/s);
});

t.test('a client that leaves in the middle frees the place of its merchant', async (t) => {
  const { merchantId, token, upload } = await openOwner();
  const isReserved = async (): Promise<boolean> =>
    (await sql`select 1 from kyc_uploads where merchant_id = ${merchantId}`).length === 1;
  const port = gateways[0]?.port ?? 0;
  let leave = (): void => undefined;
  const refused = new Promise<void>((resolve) => (leave = resolve));
  const begin = [writeHead(token, ...JSON_LINES), 'a'.repeat(100_000)];
  const leaving = speak(port, [...begin, () => refused, { end: 'reset' }]);
  await waitUntil('the reservation', isReserved);
  t.equal((await upload(PNG, 1)).code, 'rate_limited');
  leave();
  await leaving;
  await waitUntil('its end', async () => !(await isReserved()));
  t.equal((await upload(PNG, 1)).status, 201);
});

t.test('the place that a killed gateway held is free after its time', async (t) => {
  const { merchantId, upload } = await openOwner();
  await sql`
    insert into kyc_uploads (merchant_id, request_id, expires_at)
    values (${merchantId}, 'req_dead', now() + interval '1 minute')`;
  t.equal((await upload(PNG)).code, 'rate_limited');
  await sql`update kyc_uploads set expires_at = now() where merchant_id = ${merchantId}`;
  t.equal((await upload(PNG)).status, 201);
});

t.test('logos and documents have limits of their own', async (t) => {
  const { token, upload } = await openOwner();
  const api = openApi(baseUrl, token);
  const sendLogo = () =>
    api.call('/v1/merchants/me/logo', { method: 'PUT', body: { content: 'AAAA' } });
  const refused = await waitUntil('logos are refused', async () => {
    const answers = await Promise.all(Array.from({ length: UPLOADS_AT_ONCE + 1 }, sendLogo));
    return answers.find(({ text }) => text.includes(`at most ${UPLOADS_AT_ONCE} at once`)) ?? null;
  });
  t.match(refused, { status: 429, headers: { 'ratelimit-limit': String(UPLOADS_AT_ONCE) } });
  // The session has a limit of its own, which may be used up for a moment.
  const sent = await waitUntil('the session is answered', async () => {
    const answer = await upload(PNG);
    return answer.text.includes(`at most ${SESSION_BURST} at once`) ? null : answer;
  });
  t.equal(sent.status, 201, sent.text);
});
