// Calls each operation of the OpenAPI documents, and each page, with valid and invalid requests that are generated from its schemas: each
// answer must be one that the document describes.
import fc from 'fast-check';
import t from 'tap';
import { noticeCloses, openApi } from '#test/support/api.js';
import { generateInvalid, type Json, generateValid } from '#test/flows/contract/arbitrary.js';
import { createResolver, listOperations, type Operation } from '#test/flows/contract/operations.js';
import { describeApi } from '#gateway/developers/openapi/document.js';
import { type ApiDocument, API_DOCUMENTS } from '#gateway/developers/openapi/documents.js';
import { listRoutes, SAMPLE_PARAMS } from '#test/support/routes.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { startService } from '#test/support/processes.js';
import { openPostgres } from '#store/postgres/client.js';

const RUNS = 40;
const NEVER_ANSWERED = [500, 503, 504];
/** Replaced by a new session for each call. */
const SESSION = 'a session';

interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const service = await startService(t);
const { testKey, liveKey, merchantId } = service.merchant;
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const owner = await makePerson(sql, 'owner', merchantId);
const viewer = await makePerson(sql, 'viewer', merchantId);
const admin = await makePerson(sql, 'admin', null);
const api = openApi(service.baseUrl, testKey);
const routes = listRoutes();
const SETTINGS = { brand: 'Service', brandHeader: 'Service', baseUrl: service.baseUrl };
/** No document describes what customers and load balancers call, so it is described here. */
const PAGES: ApiDocument = {
  path: '',
  title: 'Pages',
  summary: '',
  hasWebhooks: false,
  tags: [{ name: 'Pages', description: '', prefixes: ['/'] }],
};
const pages = routes
  .filter(({ operationId, rawHeaders }) => operationId === undefined && rawHeaders === undefined)
  .map((route) => ({ ...route, operationId: `${route.method} ${route.path}` }));

interface Described {
  readonly operation: Operation;
  readonly resolve: (ref: string) => Json;
}

const known = await makeObjects();
const documents = [
  ...(await Promise.all(API_DOCUMENTS.map(async ({ path }) => (await api.call(path)).body))),
  describeApi(PAGES, pages, SETTINGS),
];
/** By name: two documents describe how to log in. */
const operations = new Map(
  documents.flatMap((document) => {
    const resolve = createResolver(document);
    return listOperations(document, routes).map((operation): [string, Described] => [
      operation.name,
      { operation, resolve },
    ]);
  }),
);

/** Ids of existing objects, so that some requests find one. */
async function makeObjects(): Promise<Readonly<Record<string, readonly string[]>>> {
  const ids: string[] = [];
  for (const fields of [{ payment_method: 'QRIS' }, { payment_method: 'VA' }, {}, {}]) {
    ids.push(String((await api.create({ amount: '150000', ...fields })).body['id']));
  }
  const paid = ids.at(-1) ?? '';
  await api.simulate(paid, 'paid');
  const body = { payment_id: paid, amount: '1000' };
  const refund = await api.call('/v1/refunds', { method: 'POST', body });
  const events = await api.call(`/v1/payments/${paid}/events`);
  const [event] = (events.body['data'] ?? []) as Json[];
  return {
    payment_id: ids,
    refund_id: [String(refund.body['id'])],
    event_id: [String(event?.['id'])],
    // Not the owner of the session: removing that user would end the test.
    user_id: [viewer.userId],
    merchant_id: [merchantId],
  };
}

function generatePath(operation: Operation): fc.Arbitrary<string> {
  const inPath = operation.parameters.filter((parameter) => parameter['in'] === 'path');
  const values = inPath.map((parameter) => {
    const name = String(parameter['name']);
    // The HTTP client would resolve `.` and `..` to another path.
    const junk = fc
      .string({ minLength: 1, maxLength: 30 })
      .filter((text) => !/^\.{1,2}$/.test(text))
      .map(encodeURIComponent);
    const valid = fc.constantFrom(SAMPLE_PARAMS[name] ?? '', ...(known[name] ?? []));
    return fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: junk });
  });
  return fc
    .tuple(...values)
    .map((chosen) =>
      inPath.reduce<string>(
        (path, parameter, index) =>
          path.replace(`{${String(parameter['name'])}}`, chosen[index] ?? ''),
        operation.path,
      ),
    );
}

function generateQuery({ operation, resolve }: Described): fc.Arbitrary<string> {
  const fields = operation.parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => {
      const sound = generateValid(parameter['schema'] as Json, resolve).map(String);
      return [String(parameter['name']), fc.oneof(sound, fc.string({ maxLength: 20 }))] as const;
    });
  const query = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  return query.map((values) => {
    const text = new URLSearchParams(Object.entries(values) as [string, string][]).toString();
    return text === '' ? '' : `?${text}`;
  });
}

function generateBody({ operation, resolve }: Described): fc.Arbitrary<string | undefined> {
  const { body } = operation;
  if (body === undefined) return fc.constant(undefined);
  const sound = generateValid(body, resolve);
  const known = sound.map((value) => JSON.stringify(withKnownPayment(value)));
  const broken = generateInvalid(sound).map((value) => JSON.stringify(value));
  return fc.oneof(known, broken, fc.string({ minLength: 1, maxLength: 20 }));
}

function withKnownPayment(value: unknown): unknown {
  const isRefund = typeof value === 'object' && value !== null && 'payment_id' in value;
  return isRefund ? { ...value, payment_id: known['payment_id']?.at(-1) } : value;
}

function generateHeaders({
  credential: due,
  body,
}: Operation): fc.Arbitrary<Record<string, string>> {
  const right = fc.constant({ authorization: due === 'key' ? `Bearer ${testKey}` : SESSION });
  const wrong = fc.constantFrom<Record<string, string>>(
    {},
    { authorization: `Bearer ${liveKey}` },
    { 'x-api-key': 'sk_test_wrong' },
    { authorization: `Bearer ${testKey}`, 'x-api-key': liveKey },
    { authorization: 'Bearer cs_something' },
  );
  const credential =
    due === 'none'
      ? fc.constant({})
      : fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: wrong });
  const rest = fc.record(
    {
      'idempotency-key': fc.stringMatching(/^[a-z]{1,2}$/),
      'service-version': fc.constantFrom('2026-08-02', '2020-01-01'),
      accept: fc.constantFrom('*/*', 'text/html'),
    },
    { requiredKeys: [] },
  );
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fc.tuple(credential, rest).map(([first, second]) => ({ ...type, ...first, ...second }));
}

/** Each call gets its own session, because some calls end it. */
async function withSession(
  { path }: Operation,
  headers: Call['headers'],
): Promise<Record<string, string>> {
  if (headers['authorization'] !== SESSION) return { ...headers };
  const token = await beginSession(sql, path.startsWith('/v1/admin') ? admin : owner);
  return { ...headers, authorization: `Bearer ${token}` };
}

async function send(operation: Operation, call: Call): Promise<string | undefined> {
  await noticeCloses();
  const answer = await fetch(service.baseUrl + call.path, {
    method: operation.method,
    headers: await withSession(operation, call.headers),
    redirect: 'manual',
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  const { status, headers } = answer;
  const contentType = headers.get('content-type') ?? '';
  const text = await answer.text();
  if (NEVER_ANSWERED.includes(status)) return `${status}: ${text.slice(0, 300)}`;
  return operation.findUndescribed({ status, contentType, headers, text });
}

t.ok(operations.size > 100, `${operations.size} operations`);
for (const described of operations.values()) {
  const { operation } = described;
  t.test(`${operation.name} gives only described answers`, async (t) => {
    const target = fc
      .tuple(generatePath(operation), generateQuery(described))
      .map(([path, query]) => path + query);
    const calls = fc.record({
      path: target,
      headers: generateHeaders(operation),
      body: generateBody(described),
    });
    const holds = fc.asyncProperty(calls, async (call) => {
      const fault = await send(operation, call);
      if (fault !== undefined) throw new Error(fault);
    });
    await t.resolves(fc.assert(holds, { numRuns: RUNS }));
  });
}
