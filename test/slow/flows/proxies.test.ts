// The reverse proxies of docs/operations/proxies.md with the files of ops/deploy: the real programs, in front of a service with
// LIVE rails. They run side by side, so that the 55 s of a LIVE create are waited for once.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Agent, fetch, WebSocket } from 'undici';
import { DOCUMENT_BODY_BYTES } from '#gateway/accounts/kyc/schema.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { beginSession, makePerson, PNG } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startWebProxy, WEB_PROXIES, type WebProxy } from '#test/support/peers/web-proxies.js';
import { createTestMerchant, startProcess, uniqueWord } from '#test/support/processes.js';
import { startRailService, startRails } from '#test/support/rails/service.js';
import { get, speak } from '#test/support/http/raw.js';
import { startProxy } from '#test/support/peers/proxy.js';
import { makeFolder } from '#test/support/servers.js';
import { needProgram } from '#test/support/suite/programs.js';

/** The proxies connect to the gateway from here. The gateway trusts no other address. */
const TRUSTED = '127.0.0.1';
const CLIENT = '127.0.0.2';
const ELSEWHERE = '203.0.113.7';
const VERSIONS = ['1.1', '2'] as const;
type Version = (typeof VERSIONS)[number];
/** The gateway takes 16 KiB for the whole head. */
const COOKIE_BYTES = 15 * 1024;
/** A server that failed is asked again by then; Apache's default is 60 s. */
const BACK_MS = 30_000;
const CLIENTS = 16;
/** Less than the 75 s after which a proxy gives up a connection that has gone silent. */
const GIVE_UP_MS = 30_000;
const KEYS = '/v1/merchants/me/api-keys';

const run = promisify(execFile);
const program = needProgram('curl', 'curl');
const folder = makeFolder(t);
const certificates = await makeCertificates();
const caFile = join(folder, 'ca.pem');
writeFileSync(caFile, certificates.ca);
const CONNECTING = { connect: { ca: certificates.ca, localAddress: CLIENT, family: 4 } };
const agent = new Agent(CONNECTING);
t.teardown(() => agent.destroy());

const service = await startRailService(t, { TRUSTED_PROXIES: TRUSTED });
const { sql, databaseUrl, simulated } = service;
await startProcess(t, 'webhooks', service.variables);
await startRails(service);
const merchant = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
const session = await beginSession(sql, await makePerson(sql, 'owner', merchant.merchantId));
await simulated.plan(
  { kind: 'no_answer', operation: 'charge', took: false },
  { kind: 'no_answer', operation: 'status' },
);

interface Answer {
  readonly status: number;
  readonly version: string;
  readonly location: string;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface Request {
  readonly version?: Version;
  /** A file. */
  readonly body?: string;
  readonly headers?: readonly string[];
  /** The address of the client. */
  readonly from?: string;
}

/** With curl: it asks for HTTP/2 as browsers do, and before it sends a large body with HTTP/1.1 it waits for "100 Continue". */
async function ask(
  url: string,
  token: string,
  { version = '2', body, headers = [], from = CLIENT }: Request = {},
): Promise<Answer> {
  const all = ['Content-Type: application/json', `Authorization: Bearer ${token}`, ...headers];
  const { stdout } = await run(
    program,
    [
      ...['--silent', '--show-error', '--max-time', '100', '--cacert', caFile, `--http${version}`],
      ...['--interface', `host!${from}`],
      ...all.flatMap((line) => ['--header', line]),
      ...(body === undefined ? [] : ['--data-binary', `@${body}`]),
      ...['--write-out', '\n%{http_code} %{http_version} %{redirect_url}', url],
    ],
    { maxBuffer: 1024 * 1024 },
  );
  const end = stdout.lastIndexOf('\n');
  const [status = '', used = '', location = ''] = stdout.slice(end + 1).split(' ');
  const text = stdout.slice(0, end);
  return { status: Number(status), version: used, location, text, body: parse(text) };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function writeBody(text: string): string {
  const path = join(folder, uniqueWord());
  writeFileSync(path, text);
  return path;
}

const createBody = (fields: object = {}): string =>
  writeBody(JSON.stringify({ amount: '25000', ...fields }));

async function isUp(origin: string): Promise<boolean> {
  return (await fetch(`${origin}/healthz`, { dispatcher: agent })).status === 200;
}

/** Everything that stays open at a proxy for the whole test. */
interface Visit {
  readonly proxy: WebProxy;
  /** The rail does not answer. */
  readonly silent: Promise<Answer>;
  readonly paymentId: string;
  /** Texts of the WebSocket of the payment's page. */
  readonly page: readonly string[];
  /** Events of the merchant's changes. */
  readonly changes: () => string;
}

async function visit(proxy: WebProxy): Promise<Visit> {
  const { origin } = proxy;
  const headers = [`Idempotency-Key: ${uniqueWord()}`];
  const live = { headers, body: createBody({ payment_method: 'QRIS' }) };
  const silent = ask(`${origin}/v1/payments`, merchant.liveKey, live);
  const created = await ask(`${origin}/v1/payments`, merchant.testKey, { body: createBody() });
  const paymentId = String(created.body['id']);
  const page = openPage(origin, paymentId);
  const changes = await followChanges(origin);
  return { proxy, silent, paymentId, page, changes };
}

function openPage(origin: string, paymentId: string): readonly string[] {
  const heard: string[] = [];
  const url = `${origin.replace('https', 'wss')}/checkout/${paymentId}/live`;
  const socket = new WebSocket(url, { dispatcher: agent });
  socket.addEventListener('message', ({ data }) => heard.push(String(data)));
  for (const end of ['close', 'error']) socket.addEventListener(end, () => heard.push(end));
  return heard;
}

async function followChanges(origin: string): Promise<() => string> {
  const { status, body } = await fetch(`${origin}/v1/merchants/me/changes?environment=TEST`, {
    headers: { authorization: `Bearer ${session}`, accept: 'text/event-stream' },
    dispatcher: agent,
  });
  let text = `status ${status}\n`;
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
    text += 'over';
  };
  read().catch((error: unknown) => {
    text += String(error);
  });
  return () => text;
}

/** Asks a proxy of HAProxy for the state of its servers. */
async function readServers({ folder: home }: WebProxy): Promise<string> {
  const socket = connect(join(home, 'admin.sock'));
  socket.write('show stat\n');
  return readAll(socket);
}

const [gateway] = service.gateways;
const gatewayPort = gateway?.port ?? 0;
const options = {
  gatewayPort,
  certificates,
  isUp,
};
const visits: Visit[] = [];
for (const name of WEB_PROXIES) visits.push(await visit(await startWebProxy(t, name, options)));

for (const { proxy } of visits) {
  const { name, origin } = proxy;

  for (const version of VERSIONS) {
    t.test(`${name}: a create with 15 KiB of cookies is answered, HTTP/${version}`, async (t) => {
      const headers = [`Cookie: shop=${'a'.repeat(COOKIE_BYTES)}`];
      const request = { version, headers, body: createBody() };
      const created = await ask(`${origin}/v1/payments`, merchant.testKey, request);
      t.match(created, { status: 201, version, body: { status: 'pending' } }, created.text);
    });

    t.test(`${name}: an upload of 8 MiB is stored, HTTP/${version}`, async (t) => {
      const file = { purpose: 'IDENTITY', filename: 'ktp.png' };
      const bytes = Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024 - 4096)]);
      const text = JSON.stringify({ ...file, content: bytes.toString('base64') });
      const body = writeBody(text.padEnd(DOCUMENT_BODY_BYTES));
      const url = `${origin}/v1/merchants/kyc/documents`;
      const stored = await ask(url, session, { version, body });
      t.match(stored, { status: 201, version }, stored.text);
    });
  }

  t.test(`${name}: a body that is too large is answered by the gateway`, async (t) => {
    const body = writeBody(' '.repeat(DOCUMENT_BODY_BYTES + 1));
    const refused = await ask(`${origin}/v1/merchants/kyc/documents`, session, { body });
    t.match(refused, { status: 413, body: { error: { code: 'body_too_large' } } }, refused.text);
  });

  t.test(`${name}: a key bound to addresses works at the client's own only`, async (t) => {
    const api = openApi(service.baseUrl, session);
    const headers = [`X-Forwarded-For: ${ELSEWHERE}`];
    const use = async (address: string, from: string): Promise<Answer> => {
      const body = { environment: 'TEST', allowed_addresses: [address] };
      const made = await api.call(KEYS, { method: 'POST', body });
      const secret = String(made.body['secret']);
      return ask(`${origin}/v1/payment-methods`, secret, { headers, from });
    };
    const refused = { status: 403, body: { error: { code: 'address_not_allowed' } } };
    // A program on the machine of the proxy has a trusted address, and names no other client either.
    for (const from of [CLIENT, TRUSTED]) {
      t.match(await use(ELSEWHERE, from), refused, from);
      t.match(await use(from, from), { status: 200 }, from);
    }
  });

  t.test(`${name}: plain HTTP leads to HTTPS`, async (t) => {
    const { status, location } = await ask(`http://localhost:${proxy.httpPort}/docs?a=b`, '');
    t.ok([301, 308].includes(status), String(status));
    t.match(location, /^https:\/\/localhost(:\d+)?\/docs\?a=b$/);
  });
}

/** Asks by several connections at once, so that each worker of a proxy most likely gets some. */
async function askByMany(origin: string, client: Agent): Promise<boolean> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const askOnce = async (): Promise<boolean> => {
    const answer = await fetch(`${origin}/healthz`, { dispatcher: client, signal });
    await answer.text();
    return answer.status === 200;
  };
  const askTwice = async (): Promise<boolean> => (await askOnce()) && askOnce();
  const answers = await Promise.all(Array.from({ length: CLIENTS }, askTwice)).catch(() => [false]);
  return answers.every(Boolean);
}

/** Whether the proxy answers after its connections were idle for as long as a gateway keeps them. */
async function outlivesIdle(t: Test, name: (typeof WEB_PROXIES)[number]): Promise<boolean> {
  const cable = await startProxy(t, gatewayPort);
  const { origin } = await startWebProxy(t, name, { ...options, gatewayPort: cable.port });
  const client = new Agent({ ...CONNECTING, connections: CLIENTS, keepAliveTimeout: GIVE_UP_MS });
  t.teardown(() => client.destroy());
  if (!(await askByMany(origin, client))) return false;
  cable.strand();
  // This connection is younger than the stranded ones, so the gateway would have closed these too.
  await speak(gatewayPort, [get('/healthz')]);
  return askByMany(origin, client);
}

t.test('no request goes to a connection that the gateway is about to close', async (t) => {
  const outlived = await Promise.all(WEB_PROXIES.map((name) => outlivesIdle(t, name)));
  t.strictSame(
    WEB_PROXIES.filter((_, index) => !outlived[index]),
    [],
  );
});

for (const { proxy, silent, paymentId, page, changes } of visits) {
  const { name } = proxy;

  t.test(`${name}: a LIVE create whose rail is silent is answered by the gateway`, async (t) => {
    const { status, body, text } = await silent;
    t.match({ status, body }, { status: 504, body: { error: { code: 'outcome_unknown' } } }, text);
  });

  t.test(`${name}: the WebSocket and the changes that were open meanwhile go on`, async (t) => {
    t.match(changes(), /^status 200\n[^]*event: ready/);
    t.equal(page.length, 1, page.join('\n'));
    await openApi(service.baseUrl, merchant.testKey).simulate(paymentId, 'paid');
    await waitUntil('the page hears of the payment', () => page.length > 1);
    t.match(page[1], /paid/i);
    await waitUntil('the change is told', () => changes().includes(paymentId));
    t.notMatch(changes(), /over$/, 'the stream is still open');
  });
}

t.test('haproxy: the health check finds the gateway ready', async (t) => {
  const haproxy = visits.find(({ proxy }) => proxy.name === 'haproxy');
  if (haproxy === undefined) return;
  await waitUntil('the check has an answer', async () => {
    return /^kasir,gateway-1,.*,UP,.*,L7OK,200,/m.test(await readServers(haproxy.proxy));
  });
  t.pass('it is up');
});

t.test('a gateway that was away is asked again by every worker', async (t) => {
  await gateway?.stop();
  for (const { name, origin } of visits.map(({ proxy }) => proxy)) {
    t.notOk(await askByMany(origin, agent), `${name} finds none`);
  }
  await gateway?.start();
  for (const { name, origin } of visits.map(({ proxy }) => proxy)) {
    await waitUntil(`${name} asks it again`, () => askByMany(origin, agent), BACK_MS);
  }
});
