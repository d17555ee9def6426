// The OpenAPI documents: each route is in the right one, resources and errors are named, and generated types stay exact.
import Ajv2020Module from 'ajv/dist/2020.js';
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { MERCHANTS } from '#gateway/developers/openapi/documents.js';
import { ERRORS } from '#gateway/routing/errors.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import { at, DESCRIBED, type Described, follow, ROUTES, type Tree, walk } from './documents.js';

const MAX_MERCHANTS_BYTES = 250_000;

const findOperation = (
  { document }: Described,
  route: { readonly path: string; readonly method: string },
): unknown => at(document, 'paths', route.path, route.method.toLowerCase());

const listOperations = ({ document }: Described): readonly Tree[] =>
  Object.values(document['paths'] as Tree).flatMap((path) => Object.values(path as Tree) as Tree[]);

const listBodies = (operation: Tree): readonly (readonly [string, unknown])[] =>
  ['requestBody', ...Object.keys(operation['responses'] as Tree)].map((key) => {
    const place = key === 'requestBody' ? at(operation, key) : at(operation, 'responses', key);
    return [key, at(place, 'content', 'application/json', 'schema')] as const;
  });

t.test('each route of the API is in the documents of its callers', (t) => {
  const paths = DESCRIBED.map(({ document }) => Object.keys(document['paths'] as Tree));
  const [merchants = [], dashboard = [], administrators = []] = paths;
  t.strictSame(
    merchants.filter((path) => !/^\/v1\/(?!auth|merchants|admin|rails)/.test(path)),
    [],
  );
  t.strictSame(
    dashboard.filter((path) => !/^\/v1\/(auth|merchants)\//.test(path)),
    [],
  );
  t.strictSame(
    administrators.filter((path) => !/^\/v1\/(auth|admin)\//.test(path)),
    [],
  );
  const described = new Set(paths.flat());
  for (const { method, path, rawHeaders, operationId } of ROUTES) {
    const isApi = path.startsWith('/v1/') && rawHeaders === undefined;
    t.equal(described.has(path), isApi, `${method} ${path}`);
    t.equal(operationId !== undefined, isApi, `${method} ${path} has an operation id`);
  }
  t.end();
});

t.test("the merchants' document is small", (t) => {
  const sizes = DESCRIBED.map(({ of, text }) => `${of.path} ${Buffer.byteLength(text)}`);
  t.comment(sizes.join(', '));
  const merchants = DESCRIBED.find(({ of }) => of === MERCHANTS);
  t.ok(Buffer.byteLength(merchants?.text ?? '') < MAX_MERCHANTS_BYTES, sizes.join(', '));
  t.end();
});

for (const described of DESCRIBED) {
  const { document, routes, of } = described;
  const operations = listOperations(described);

  t.test(`${of.path}: each operation is described as its route is`, (t) => {
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const operation = findOperation(described, route) as Tree;
      t.match(operation['operationId'], /^[a-z]+([A-Z][a-z]*)*$/, name);
      t.match(operation, { summary: route.summary, description: /\w/ }, name);
      t.same(operation['security'] === undefined, false, `${name} says who may call it`);
      for (const status of Object.keys(route.answers)) {
        t.ok(at(operation, 'responses', status), `${name} answers ${status}`);
      }
      const names = (operation['parameters'] as Tree[]).map(
        (each) => (follow(document, each) as Tree)['name'],
      );
      for (const param of Object.keys(route.params))
        t.ok(names.includes(param), `${name} ${param}`);
      const query = (route.query?.schema['properties'] ?? {}) as Tree;
      for (const param of Object.keys(query)) t.ok(names.includes(param), `${name} ?${param}`);
      t.equal(names.includes('Idempotency-Key'), route.isIdempotent, `${name} Idempotency-Key`);
      t.equal(operation['requestBody'] !== undefined, route.body !== undefined, `${name} body`);
      t.ok(route.limit !== undefined, `${name} is limited, as its headers say`);
    }
    t.end();
  });

  t.test(`${of.path}: each request and answer is a named component`, (t) => {
    for (const operation of operations) {
      for (const [key, schema] of listBodies(operation)) {
        if (schema === undefined) continue;
        t.match(at(schema, '$ref'), /^#\/components\/schemas\/[A-Z]\w+$/, `${key} of an operation`);
      }
    }
    t.end();
  });

  t.test(`${of.path}: each error is a named component that lists its code`, (t) => {
    for (const route of routes) {
      for (const code of listErrorCodes(route)) {
        const { status, type } = ERRORS[code];
        const name = `${route.method} ${route.path} ${code}`;
        const ref = at(findOperation(described, route), 'responses', status);
        t.match(at(ref, '$ref'), /^#\/components\/responses\/[A-Z]\w+$/, name);
        t.match(at(ref, 'description'), `\`${code}\``, name);
        const response = follow(document, ref);
        const content = at(response, 'content', 'application/json');
        const error = at(follow(document, at(content, 'schema')), 'properties', 'error');
        t.ok((at(error, 'properties', 'code', 'enum') as string[]).includes(code), name);
        t.match(
          at(content, 'examples', code, 'value', 'error'),
          { code, type, doc_url: `https://pay.example/docs/errors#${code}` },
          name,
        );
        t.ok(at(response, 'headers', 'Acme-Request-Id'), name);
        if (status === 429 || status === 503) t.ok(at(response, 'headers', 'Retry-After'), name);
      }
    }
    t.end();
  });

  t.test(`${of.path}: answers are open to added fields, requests are not`, (t) => {
    const schemas = at(document, 'components', 'schemas') as Tree;
    for (const operation of operations) {
      const body = at(operation, 'requestBody', 'content', 'application/json', 'schema');
      if (body === undefined) continue;
      t.equal(
        at(follow(document, body), 'additionalProperties'),
        false,
        'an unknown field is an error',
      );
    }
    for (const [name, schema] of Object.entries(schemas)) {
      if (name.endsWith('Request')) continue;
      walk(schema, (node, path) => {
        t.not(node['additionalProperties'], false, `${name} ${path}`);
      });
    }
    t.end();
  });

  t.test(`${of.path}: numbers are integers, and no default makes a field required`, (t) => {
    walk(document, (node, path) => {
      if ('type' in node) t.notOk('default' in node, `${path} has no default`);
      if (node['in'] === 'query' && node['name'] === 'limit')
        t.match(node['schema'], { type: 'integer', minimum: 1, maximum: 100 }, path);
    });
    t.end();
  });

  t.test(`${of.path}: nothing else bounds a text that is of an enumeration`, (t) => {
    let count = 0;
    walk(document, (node, path) => {
      if (!Array.isArray(node['enum']) && !('const' in node)) return;
      count += 1;
      const redundant = ['pattern', 'format', 'minLength', 'maxLength'].filter(
        (key) => key in node,
      );
      t.strictSame(redundant, [], path);
    });
    t.ok(count > 10, `${count} enumerations`);
    t.end();
  });

  t.test(`${of.path}: each example is valid against its schema`, (t) => {
    const ajv = new Ajv2020Module.Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema({ $id: 'https://pay.example/', ...document });
    let count = 0;
    walk(document, (node, path) => {
      for (const [name, value] of listExamples(node)) {
        const check = ajv.compile(makeRefsAbsolute(node['schema']));
        t.ok(check(value), `${path} ${name} ${ajv.errorsText(check.errors)}`);
        count += 1;
      }
    });
    t.ok(count > 30, `${count} examples`);
    t.end();
  });

  t.test(`${of.path}: it has no keyword of our checks and names no rail`, (t) => {
    t.notMatch(described.text, /errorCode|errorMessage/);
    t.notMatch(described.text, /midtrans|xendit/i);
    t.notMatch(described.text, /\/v1\/rails\//);
    t.end();
  });
}

/** The example of a media type, or its named examples. */
function listExamples(node: Tree): readonly (readonly [string, unknown])[] {
  if (node['schema'] === undefined) return [];
  if ('example' in node) return [['example', node['example']]];
  const named = node['examples'];
  if (typeof named !== 'object' || named === null) return [];
  return Object.entries(named).map(([name, each]) => [name, at(each, 'value')] as const);
}

/** Makes references of a part of the document absolute. */
function makeRefsAbsolute(schema: unknown): object {
  const whole = JSON.stringify(schema).replaceAll('"#/', '"https://pay.example/#/');
  return JSON.parse(whole) as object;
}

t.test('each webhook describes its signature headers', (t) => {
  const [merchants] = DESCRIBED;
  for (const type of WEBHOOK_TYPES) {
    const post = at(merchants?.document, 'webhooks', type, 'post');
    const names = (at(post, 'parameters') as Tree[]).map((each) => each['name']);
    for (const name of ['X-Acme-Signature', 'X-Acme-Signature-Next', 'webhook-signature']) {
      t.ok(names.includes(name), `${type} ${name}`);
    }
    const example = at(post, 'requestBody', 'content', 'application/json', 'example');
    t.equal(at(example, 'type'), type);
  }
  t.end();
});
