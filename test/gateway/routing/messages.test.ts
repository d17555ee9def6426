// Each request schema of the route table, with each way to get each field wrong: the message is a sentence of ours that
// names the field and what is allowed.
import t, { type Test } from 'tap';
import { ERRORS } from '#gateway/routing/errors.js';
import type { ApiError } from '#gateway/routing/response.js';
import type { InputSpec, Route } from '#gateway/routing/route.js';
import type { Json } from '#test/flows/contract/arbitrary.js';
import { listRoutes } from '#test/support/routes.js';
import { type Field, fillBase, listChoices, listFields, sample, setAt } from './request-fields.js';

/** Words of the schema library, of regular expressions and of careless formatting. */
const FOREIGN =
  /[Ee]xpected|\b[Uu]nion\b|[Rr]equired property|undefined|\[object|\bNaN\b|\\|\^|\.\.$/;

/** A wrong value, and what its message has to name. */
interface Wrong {
  readonly what: string;
  readonly value: unknown;
  readonly names: readonly string[];
}
/** Beside the field, a message about it names the list, the limits or an example. */
function listNames(schema: Json): readonly string[] {
  const own = typeof schema['errorMessage'] === 'string' ? schema['errorMessage'] : '';
  const choices = listChoices(schema).flatMap((one) => {
    const list = (one['enum'] ?? ('const' in one ? [one['const']] : [])) as unknown[];
    const items = one['type'] === 'array' ? listNames(one['items'] as Json) : [];
    const limits = ['minimum', 'maximum', 'maxProperties'];
    const lengths = own === '' ? ['maxLength', 'maxItems'] : [];
    const numbers = [...limits, ...lengths].filter((limit) => limit in one);
    return [...list.map(String), ...items, ...numbers.map((limit) => String(one[limit]))];
  });
  return choices.filter((name) => name !== 'null');
}

function listWrong(schema: Json): Wrong[] {
  const names = listNames(schema);
  const types = new Set(listChoices(schema).map((one) => one['type']));
  const samples: readonly (readonly [type: string, value: unknown])[] = [
    ['string', 'wrong \u0001'],
    ['integer', 7.5],
    ['boolean', true],
    ['array', [{ wrong: 1 }]],
    ['object', { wrong: 1 }],
  ];
  const mistyped = samples
    .filter(([type]) => !types.has(type) && !(type === 'integer' && types.has('number')))
    .map(([type, value]): Wrong => ({ what: `a value of the type ${type}`, value, names }));
  return [...mistyped, ...listChoices(schema).flatMap((one) => listBeyond(one, names))];
}

/** Values of the right type beyond the limits. */
function listBeyond(schema: Json, names: readonly string[]): Wrong[] {
  const wrong: Wrong[] = [];
  const add = (what: string, value: unknown): unknown => wrong.push({ what, value, names });
  const read = (keyword: string): number => Number(schema[keyword]);
  if ('const' in schema || 'enum' in schema) add('not in the list', 'no such choice');
  if ('maxLength' in schema) add('too long', 'x'.repeat(read('maxLength') + 1));
  if (read('minLength') > 0) add('too short', '');
  if ('pattern' in schema) {
    const pattern = new RegExp(String(schema['pattern']));
    add(
      'bad format',
      ['\u0001', ' '].find((text) => !pattern.test(text)),
    );
  }
  if ('minimum' in schema) add('too small', read('minimum') - 1);
  if ('maximum' in schema) add('too large', read('maximum') + 1);
  if ('minItems' in schema) add('too few', []);
  if ('maxItems' in schema) {
    add(
      'too many',
      Array.from({ length: read('maxItems') + 1 }, () => sample(schema['items'] as Json)[0]),
    );
  }
  if ('maxProperties' in schema) {
    const entries = Array.from({ length: read('maxProperties') + 1 }, (_, index) => [
      `k${'x'.repeat(index)}`,
      'v',
    ]);
    add('too many entries', Object.fromEntries(entries));
  }
  return wrong;
}

function assertMessage(
  t: Test,
  error: ApiError,
  { param, names, about }: { param: string; names: readonly string[]; about: string },
): void {
  const message = error.details.message ?? ERRORS[error.code].message;
  const title = `${about}: ${message}`;
  t.notMatch(message, FOREIGN, title);
  t.match(message, /^\S.*\.$/, title);
  t.match(message, /must|is not a cursor|There is no field/, title);
  t.equal(error.details.param ?? '', param, title);
  t.ok(message.includes(param), `${title}: names the field ${param}`);
  for (const name of names) t.ok(message.includes(name), `${title}: names ${name}`);
}

function findError(spec: InputSpec<unknown>, input: unknown): ApiError | undefined {
  const checked = spec.check(input);
  return 'code' in checked ? checked : undefined;
}

function assertBody(t: Test, spec: InputSpec<unknown>): void {
  const schema = spec.schema as unknown as Json;
  const base = fillBase(schema);
  for (const { path, schema: property, isRequired } of listFields(schema)) {
    const param = path.join('.');
    const missing = { what: 'missing', value: undefined, names: listNames(property) };
    for (const { what, value, names } of [
      ...(isRequired ? [missing] : []),
      ...listWrong(property),
    ]) {
      const about = `${param} ${what}`;
      const error = findError(spec, setAt(base, path, value));
      if (error === undefined) t.fail(`${about} was accepted`);
      else if (error.details.param === param) assertMessage(t, error, { param, names, about });
      else assertInner(t, error, param, about);
    }
    // An open object has the form of another specification, such as WebAuthn.
    const isOpen = property['additionalProperties'] === true;
    if (property['type'] === 'object' && !isOpen) assertUnknown(t, spec, base, path);
  }
  assertUnknown(t, spec, base, []);
  for (const value of ['text', 7, [1]]) {
    const error = findError(spec, value);
    if (error === undefined) return void t.fail(`${JSON.stringify(value)} was accepted`);
    assertMessage(t, error, { param: '', names: [], about: 'no object' });
  }
}

/** A wrong list or object is answered for its first wrong part. */
function assertInner(t: Test, error: ApiError, param: string, about: string): void {
  const inner = error.details.param ?? '';
  t.ok(inner.startsWith(`${param}.`), `${about} is answered for ${inner}`);
  assertMessage(t, error, { param: inner, names: [], about });
}

function assertUnknown(t: Test, spec: InputSpec<unknown>, base: unknown, path: Field['path']) {
  const error = findError(spec, setAt(base, [...path, 'no_such_field'], { wrong: 1 }));
  const param = [...path, 'no_such_field'].join('.');
  if (error === undefined) t.fail(`${param} was accepted`);
  else assertMessage(t, error, { param, names: [], about: 'unknown' });
}

function assertQuery(t: Test, spec: InputSpec<unknown>): void {
  const schema = spec.schema as unknown as Json;
  const base = sample(schema)[0] as Readonly<Record<string, string>>;
  for (const { path, schema: property } of listFields(schema)) {
    const param = path.join('.');
    const texts = listWrong(property).filter(({ value }) =>
      ['string', 'number'].includes(typeof value),
    );
    for (const { what, value, names } of texts) {
      const query = new URLSearchParams({ ...base, [param]: String(value) }).toString();
      const error = findError(spec, query);
      if (error?.details.param === param) assertMessage(t, error, { param, names, about: what });
      else t.ok(what.startsWith('a value of'), `${param} ${what} was accepted`);
    }
  }
  const error = findError(spec, `${new URLSearchParams(base).toString()}&no_such_field=1`);
  if (error === undefined) t.fail('an unknown parameter was accepted');
  else assertMessage(t, error, { param: 'no_such_field', names: [], about: 'unknown' });
}

/** Its address may carry what other sites append to links, and any text is a search. */
const SEARCH = '/docs/search';

const routes = listRoutes().filter(({ path }) => path !== SEARCH);
const inputs = routes.flatMap(({ method, path, body, query }: Route) => [
  ...(body === undefined ? [] : [[`${method} ${path}: body`, body, assertBody] as const]),
  ...(query === undefined ? [] : [[`${method} ${path}: query`, query, assertQuery] as const]),
]);
t.ok(inputs.length > 60, `${inputs.length} request schemas`);
for (const [name, spec, assertInput] of inputs) {
  t.test(name, (t) => {
    assertInput(t, spec);
    t.end();
  });
}
