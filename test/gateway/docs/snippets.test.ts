// The programs that the interactive reference shows for the example requests of the documents. test/slow runs some of them.
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { describeApi } from '#gateway/developers/openapi/document.js';
import { API_DOCUMENTS, MERCHANTS, selectRoutes } from '#gateway/developers/openapi/documents.js';
import { listRoutes } from '#test/support/routes.js';
import { buildExampleCall, type Call, LANGUAGES } from './reference-snippets.js';

const DEPS = { brand: 'Acme', brandHeader: 'Acme', baseUrl: 'https://pay.example' };
const ORIGIN = 'http://127.0.0.1:8080';
const routes = listRoutes();
/** Each operation of a document with its example request. */
const examples = API_DOCUMENTS.flatMap((document) => {
  const described = describeApi(document, routes, DEPS);
  return selectRoutes(document, routes).map((route) => ({
    ...{ document, route, id: route.operationId ?? '' },
    build: (key?: string) =>
      buildExampleCall(
        described,
        { path: route.path, method: route.method.toLowerCase() },
        key === undefined ? { origin: ORIGIN } : { origin: ORIGIN, key },
      ),
  }));
});
const KEY = `sk_test_${'x'.repeat(38)}`;

function write(language: string, call: Call | undefined): string {
  if (call === undefined) throw new Error('the operation has no example request');
  return LANGUAGES[language]?.write(call) ?? '';
}

interface Sent {
  readonly method?: string;
  readonly headers?: object;
  readonly body?: string;
}

/** Runs a program for Node up to its request, and returns the request. */
async function readFetch(program: string): Promise<{ readonly url: string } & Sent> {
  const sent: ({ readonly url: string } & Sent)[] = [];
  const fetch = (url: string, options: Sent = {}): object => {
    sent.push({ url, ...options });
    return { ok: true, text: () => '' };
  };
  const context = { fetch, console: { log: () => undefined } };
  await runInNewContext(`(async () => {\n${program}\n})()`, context);
  const [first] = sent;
  if (first === undefined) throw new Error(`no request: ${program}`);
  return first;
}

t.test('each operation has an example request in each language', (t) => {
  t.ok(examples.length > 100, `${examples.length} operations`);
  t.same(Object.keys(LANGUAGES), ['curl', 'node', 'php', 'python']);
  for (const { id, route, build } of examples) {
    const call = build();
    t.match(call, { method: route.method }, id);
    t.notMatch(call?.url, /[{}…]|undefined/, `${id}: each part of the address`);
    if (route.body !== undefined && route.body.isOptional !== true) {
      t.type(call?.body, 'object', `${id} has an example of its body`);
    }
    for (const language of Object.keys(LANGUAGES)) {
      t.ok(write(language, call).includes(call?.url ?? '-'), `${id} in ${language}`);
    }
  }
  t.end();
});

t.test('an example has the credential of its operation and the key of idempotent ones', (t) => {
  for (const { id, document, route, build } of examples) {
    const shown = { key: 'Bearer sk_test_…', session: 'Bearer cs_…', none: undefined }[route.auth];
    const headers = build()?.headers ?? {};
    t.equal(headers['Authorization'], shown, id);
    t.equal('Idempotency-Key' in headers, route.isIdempotent, id);
    if (document !== MERCHANTS || route.auth !== 'key') continue;
    for (const language of Object.keys(LANGUAGES)) {
      t.ok(write(language, build()).includes('sk_test_…'), `${id} in ${language}`);
      t.ok(write(language, build(KEY)).includes(`Bearer ${KEY}`), `the reader's key: ${language}`);
    }
  }
  t.end();
});

t.test('the key of the reader is only in examples of operations that take a key', (t) => {
  for (const { id, route, build } of examples) {
    if (route.auth === 'key') continue;
    t.notMatch(JSON.stringify(build(KEY)), KEY, id);
  }
  t.end();
});

t.test('a program for Node sends the request of the document', async (t) => {
  for (const { id, build } of examples) {
    const { body, ...call } = build() ?? {};
    const { body: sent, ...rest } = await readFetch(write('node', build()));
    t.same({ method: 'GET', headers: {}, ...rest }, call, id);
    t.same(sent === undefined ? undefined : JSON.parse(sent), body, id);
  }
});

t.test('texts with quotes, backslashes and lines stay what they are', async (t) => {
  const hostile = `'"\\'\n$HOME \`id\` #{x} \${y} é 漢 \\n ''`;
  const body = { [hostile]: hostile, empty: {}, none: [], flags: [true, false, null, 1.5] };
  const call = { method: 'PATCH', url: `${ORIGIN}/v1?q='"`, headers: { 'X-It': "it's" }, body };
  const { body: sent = '', ...rest } = await readFetch(write('node', call));
  t.same({ ...rest, body: JSON.parse(sent) as unknown }, call);
});
