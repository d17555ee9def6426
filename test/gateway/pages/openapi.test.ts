// The OpenAPI document: an independent linter finds no error, and each route is in it.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import Ajv2020Module from 'ajv/dist/2020.js';
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { describeApi } from '#gateway/openapi/document.js';
import { buildSample } from '#gateway/openapi/sample.js';
import { escapeHtml } from '#gateway/pages/html.js';
import { renderDocs } from '#gateway/openapi/docs-page.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import { listDescribedRoutes, listRoutes } from '#test/support/routes.js';

type Tree = Readonly<Record<string, unknown>>;

const SETTINGS = { brand: 'Acme', brandHeader: 'Acme', baseUrl: 'https://pay.example' };
const routes = listDescribedRoutes();
const text = JSON.stringify(describeApi(listRoutes(), SETTINGS));
const document = JSON.parse(text) as Tree;

/** The node at a path of keys; undefined: there is none. */
function at(tree: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Tree)[key] : undefined),
    tree,
  );
}

const findOperation = (route: { path: string; method: string }): unknown =>
  at(document, 'paths', route.path, route.method.toLowerCase());

t.test('an independent linter finds no error in the document', async (t) => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  const messages = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, location }) => `${message} ${location[0]?.pointer ?? ''}`);
  t.same(messages, []);
  const broken = await lintFromString({ source: text.replace('"3.1.0"', '"3.1.0","x":1'), config });
  t.ok(
    broken.some(({ severity }) => severity === 'error'),
    'an error would be found',
  );
});

t.test('each route is described with its answers, parameters and body', (t) => {
  t.ok(routes.length > 15);
  t.notMatch(text, '/v1/rails/', 'hidden routes are not');
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const operation = findOperation(route);
    t.equal(at(operation, 'summary'), route.summary, name);
    t.same(at(operation, 'security') === undefined, false, `${name} says who may call it`);
    for (const status of Object.keys(route.answers)) {
      t.ok(at(operation, 'responses', status), `${name} answers ${status}`);
    }
    const names = (at(operation, 'parameters') as Tree[]).map(
      (each) => each['name'] ?? each['$ref'],
    );
    for (const param of Object.keys(route.params)) t.ok(names.includes(param), `${name} ${param}`);
    const query = (route.query?.schema['properties'] ?? {}) as Tree;
    for (const param of Object.keys(query)) t.ok(names.includes(param), `${name} ?${param}`);
    t.equal(
      names.includes('#/components/parameters/IdempotencyKey'),
      route.isIdempotent,
      `${name} Idempotency-Key`,
    );
    t.equal(at(operation, 'requestBody') !== undefined, route.body !== undefined, `${name} body`);
  }
  t.end();
});

t.test('each error of each route has its status, example and headers', (t) => {
  let count = 0;
  for (const route of routes) {
    for (const code of listErrorCodes(route)) {
      const { status, type } = ERRORS[code];
      const response = at(findOperation(route), 'responses', status);
      const content = at(response, 'content', 'application/json');
      const example = at(content, 'examples', code, 'value', 'error');
      const name = `${route.method} ${route.path} ${code}`;
      t.match(example, { code, type, doc_url: `https://pay.example/docs#errors/${code}` }, name);
      t.ok(at(response, 'headers', 'Acme-Request-Id'), name);
      if (status === 429 || status === 503) t.ok(at(response, 'headers', 'Retry-After'), name);
      count += 1;
    }
  }
  t.ok(count > 150, `${count} errors`);
  t.end();
});

t.test('a rate-limited route describes its limit headers', (t) => {
  for (const route of routes) {
    const [status = ''] = Object.keys(route.answers);
    const headers = at(findOperation(route), 'responses', status, 'headers');
    const isDescribed = at(headers, 'RateLimit-Remaining') !== undefined;
    t.equal(isDescribed, route.limit !== undefined, `${route.method} ${route.path}`);
  }
  t.end();
});

t.test('each example is valid against its schema', (t) => {
  const ajv = new Ajv2020Module.Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: 'https://pay.example/', ...document });
  let count = 0;
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const schema = at(node, 'schema');
    for (const [name, value] of listExamples(node)) {
      const check = ajv.compile(makeRefsAbsolute(schema));
      t.ok(check(value), `${path} ${name} ${ajv.errorsText(check.errors)}`);
      count += 1;
    }
    for (const [key, child] of Object.entries(node)) visit(child, `${path}/${key}`);
  };
  visit(at(document, 'paths'), 'paths');
  visit(at(document, 'webhooks'), 'webhooks');
  t.ok(count > 100, `${count} examples`);
  t.end();
});

/** The example of a media type, or its named examples. */
function listExamples(node: object): readonly (readonly [string, unknown])[] {
  if (at(node, 'schema') === undefined || at(node, 'name') !== undefined) return [];
  if ('example' in node) return [['example', node.example]];
  const named = at(node, 'examples');
  if (typeof named !== 'object' || named === null) return [];
  return Object.entries(named).map(([name, each]) => [name, at(each, 'value')] as const);
}

/** Makes references of a part of the document absolute. */
function makeRefsAbsolute(schema: unknown): object {
  const whole = JSON.stringify(schema).replaceAll('"#/', '"https://pay.example/#/');
  return JSON.parse(whole) as object;
}

t.test('each webhook describes its signature headers', (t) => {
  for (const type of WEBHOOK_TYPES) {
    const post = at(document, 'webhooks', type, 'post');
    const names = (at(post, 'parameters') as Tree[]).map((each) => each['name']);
    for (const name of ['X-Acme-Signature', 'X-Acme-Signature-Next', 'webhook-signature']) {
      t.ok(names.includes(name), `${type} ${name}`);
    }
    const example = at(post, 'requestBody', 'content', 'application/json', 'example');
    t.equal(at(example, 'type'), type);
  }
  t.end();
});

t.test('the document has no keyword of our checks and names no rail', (t) => {
  t.notMatch(text, /errorCode|errorMessage/);
  t.notMatch(text, /midtrans|xendit/i);
  t.end();
});

t.test('a schema without an example stops the start', (t) => {
  t.throws(() => buildSample({ type: 'string', pattern: '^x$' } as never), /needs an example/);
  t.end();
});

t.test('the error table of /docs has each code with its anchor', (t) => {
  const { markup } = renderDocs({ ...SETTINGS, findPath: (name) => `/assets/${name}` });
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    t.ok(markup.includes(`id="errors/${code}"`), code);
    t.ok(markup.includes(escapeHtml(ERRORS[code].message)), `${code} with its meaning`);
  }
  t.notMatch(markup, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/, 'nothing is inline');
  t.end();
});
