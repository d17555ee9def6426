// @ts-check
// The example request of an operation, and the text of a request in curl, Node, PHP and Python, in the words of the guides.

/**
 * `body`: undefined is none, a string is a text that is no JSON.
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body?: unknown }} Call
 */
/**
 * @typedef {{ name: string, in: string, required?: boolean, example?: unknown,
 *   schema?: { examples?: unknown[], enum?: unknown[] } }} Parameter
 * @typedef {{ security?: Record<string, unknown>[], parameters?: (Parameter | { $ref: string })[],
 *   requestBody?: { content: Record<string, { example?: unknown }> } }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>>,
 *   components: { parameters: Record<string, Parameter>, securitySchemes: Record<string, unknown> } }} Spec
 */

/** Readers put theirs in; by the name of the security scheme. */
const CREDENTIALS = /** @type {Record<string, string>} */ ({
  bearer: 'sk_test_…',
  session: 'cs_…',
});
const JSON_TYPE = 'application/json';
const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * The example request of the document. undefined: the document has no such operation, such as for a webhook.
 * @param {Spec} spec
 * @param {{ path: string, method: string }} place
 * @param {{ origin: string, key?: string | undefined }} options `key`: the reader's TEST key
 * @returns {Call | undefined}
 */
export function buildExampleCall(spec, { path, method }, { origin, key }) {
  const operation = spec.paths[path]?.[method];
  if (operation === undefined) return undefined;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? findParameter(spec, parameter.$ref) : parameter,
  );
  const body = operation.requestBody?.content[JSON_TYPE]?.example;
  const idempotency = parameters.find(({ name }) => name === IDEMPOTENCY_KEY);
  return {
    method: method.toUpperCase(),
    url: origin + fillPath(path, parameters) + writeQuery(parameters),
    headers: {
      ...writeCredential(operation, key),
      ...(body === undefined ? {} : { 'Content-Type': JSON_TYPE }),
      ...(idempotency === undefined ? {} : { [IDEMPOTENCY_KEY]: String(idempotency.example) }),
    },
    body,
  };
}

/**
 * @param {Spec} spec
 * @param {string} ref
 */
function findParameter(spec, ref) {
  const found = spec.components.parameters[ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`the document has no ${ref}`);
  return found;
}

/**
 * @param {string} path
 * @param {readonly Parameter[]} parameters
 */
function fillPath(path, parameters) {
  return path.replaceAll(/\{(\w+)\}/g, (written, name) => {
    const example = parameters.find((each) => each.in === 'path' && each.name === name)?.example;
    return example === undefined ? written : encodeURIComponent(String(example));
  });
}

/** @param {readonly Parameter[]} parameters */
function writeQuery(parameters) {
  const pairs = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name, example, schema }) => {
      const value = example ?? schema?.examples?.[0] ?? schema?.enum?.[0] ?? '…';
      return `${name}=${encodeURIComponent(String(value))}`;
    });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * @param {Operation} operation
 * @param {string | undefined} key
 * @returns {Record<string, string>}
 */
function writeCredential({ security = [] }, key) {
  const [scheme = ''] = Object.keys(security[0] ?? {});
  const shown = scheme === 'bearer' ? (key ?? CREDENTIALS[scheme]) : CREDENTIALS[scheme];
  return shown === undefined ? {} : { Authorization: `Bearer ${shown}` };
}

/** @param {string} text */
const quoteForShell = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** @param {string} text */
function quoteForNode(text) {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return `'${escaped.replaceAll("'", String.raw`\'`)}'`;
}

/** @param {string} text */
const quoteForPhp = (text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

/** @param {string} text */
const quoteForPython = (text) => JSON.stringify(text);

/**
 * How a language writes a value. `words`: true, false and null.
 * @typedef {{ step: string, quote: (text: string) => string, words: Record<string, string>,
 *   object: readonly [string, string], emptyObject: string, pair: (name: string, value: string) => string }} Dialect
 */
const WORDS = { true: 'true', false: 'false', null: 'null' };
/** @type {Dialect} */
const NODE = {
  step: '  ',
  quote: quoteForNode,
  words: WORDS,
  object: ['{', '}'],
  emptyObject: '{}',
  pair: (name, value) => `${/^[a-z_]\w*$/i.test(name) ? name : quoteForNode(name)}: ${value}`,
};
/** @type {Dialect} */
const PHP = {
  step: '    ',
  quote: quoteForPhp,
  words: WORDS,
  object: ['[', ']'],
  emptyObject: 'new stdClass()',
  pair: (name, value) => `${quoteForPhp(name)} => ${value}`,
};
/** @type {Dialect} */
const PYTHON = {
  step: '    ',
  quote: quoteForPython,
  words: { true: 'True', false: 'False', null: 'None' },
  object: ['{', '}'],
  emptyObject: '{}',
  pair: (name, value) => `${quoteForPython(name)}: ${value}`,
};

/**
 * @param {Dialect} dialect
 * @param {unknown} value of JSON
 * @param {string} margin
 * @returns {string}
 */
function writeValue(dialect, value, margin) {
  if (typeof value === 'string') return dialect.quote(value);
  if (typeof value !== 'object' || value === null) {
    return dialect.words[String(value)] ?? String(value);
  }
  const inner = margin + dialect.step;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => writeValue(dialect, item, inner))
    : Object.entries(value).map(([name, item]) =>
        dialect.pair(name, writeValue(dialect, item, inner)),
      );
  if (items.length === 0) return isList ? '[]' : dialect.emptyObject;
  const [open, close] = isList ? ['[', ']'] : dialect.object;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${margin}${close}`;
}

/** @param {unknown} body */
const writeCurlBody = (body) =>
  typeof body === 'string' ? body : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');

/** @param {Call} call */
function writeCurl({ method, url, headers, body }) {
  const implied = body === undefined ? 'GET' : 'POST';
  const parts = [
    `curl -s ${method === implied ? '' : `-X ${method} `}${quoteForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoteForShell(writeCurlBody(body))}`]),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}

/** @param {Call} call */
function writeNode({ method, url, headers, body }) {
  const value = writeValue(NODE, body, '  ');
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(Object.keys(headers).length === 0 ? [] : [`headers: ${writeValue(NODE, headers, '  ')}`]),
    ...(body === undefined
      ? []
      : [`body: ${typeof body === 'string' ? value : `JSON.stringify(${value})`}`]),
  ];
  const given =
    options.length === 0 ? '' : `, {\n${options.map((each) => `  ${each},\n`).join('')}}`;
  return [
    `const response = await fetch(${quoteForNode(url)}${given});`,
    'const answer = await response.text();',
    'if (!response.ok) throw new Error(answer);',
    'console.log(answer);\n',
  ].join('\n');
}

/** @param {Call} call */
function writePhp({ method, url, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const value = writeValue(PHP, body, PHP.step);
  const options = [
    `'method' => '${method}'`,
    ...(lines.length === 0 ? [] : [`'header' => ${writeValue(PHP, lines, PHP.step)}`]),
    ...(body === undefined
      ? []
      : [`'content' => ${typeof body === 'string' ? value : `json_encode(${value})`}`]),
    "'ignore_errors' => true",
    "'timeout' => 15",
  ];
  return [
    '<?php',
    "$context = stream_context_create(['http' => [",
    ...options.map((each) => `${PHP.step}${each},`),
    ']]);',
    `echo file_get_contents(${quoteForPhp(url)}, false, $context), "\\n";\n`,
  ].join('\n');
}

/** @param {Call} call */
function writePython({ method, url, headers, body }) {
  const value = writeValue(PYTHON, body, PYTHON.step);
  const isText = typeof body === 'string';
  const options = [
    quoteForPython(url),
    `method="${method}"`,
    ...(Object.keys(headers).length === 0
      ? []
      : [`headers=${writeValue(PYTHON, headers, PYTHON.step)}`]),
    ...(body === undefined ? [] : [`data=${isText ? value : `json.dumps(${value})`}.encode()`]),
  ];
  return [
    ...(body === undefined || isText ? [] : ['import json']),
    'import urllib.error',
    'import urllib.request\n',
    'request = urllib.request.Request(',
    ...options.map((each) => `${PYTHON.step}${each},`),
    ')',
    'try:',
    '    with urllib.request.urlopen(request, timeout=15) as response:',
    '        print(response.read().decode())',
    'except urllib.error.HTTPError as failure:',
    '    raise SystemExit(failure.read().decode())\n',
  ].join('\n');
}

/** @type {Readonly<Record<string, { title: string, write: (call: Call) => string }>>} */
export const LANGUAGES = {
  curl: { title: 'curl', write: writeCurl },
  node: { title: 'Node', write: writeNode },
  php: { title: 'PHP', write: writePhp },
  python: { title: 'Python', write: writePython },
};
