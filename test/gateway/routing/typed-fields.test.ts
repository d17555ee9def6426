// Each code, account number, tax number and telephone number of each request body is read alike with and without separators,
// also with those that a copy brings along. A new field of such a name fails here until it ignores them.
import t from 'tap';
import type { Route } from '#gateway/routing/route.js';
import type { Json } from '#test/flows/contract/arbitrary.js';
import { listRoutes } from '#test/support/routes.js';
import { type Field, fillBase, listFields, setAt } from './request-fields.js';

const FIELDS: readonly (readonly [name: RegExp, plain: string, typed: readonly string[]])[] = [
  [/^(?:totp_)?code$/, '112150', ['112 150', '112-150', '\u200b112\u2011150\n']],
  [
    /^(?:totp_)?code$/,
    '0a1b-2c3d-4e5f-6g7h',
    ['0a1b2c3d4e5f6g7h', '0A1B 2C3D 4E5F 6G7H', '0a1b\u20132c3d\u20134e5f\u20136g7h'],
  ],
  [/account_number$/, '1234567890', ['123-456 7890', '\u202a1234.567.890\u202c']],
  [/^tax_id$/, '012345678901000', ['01.234.567.8-901.000', '01 234 567 8 901 000']],
  [/^identity_number$/, '3273015001900001', ['3273 0150 0190 0001', '327301-500190-0001']],
  [/^postal_code$/, '40111', ['40 111', '40111 ']],
  [/phone$/, '+62 812-3456', ['+62\u00a0812\u20113456', '\u202a+62 812-3456\u202c']],
];
/** Only an authenticator app confirms itself. */
const WITHOUT_RECOVERY = 'POST /v1/auth/totp/confirm';

let checks = 0;
for (const route of listRoutes()) {
  const schema = route.body?.schema as unknown as Json;
  const fields = route.body === undefined ? [] : listFields(schema);
  for (const { path } of fields) testField(route, schema, path);
}

function testField({ method, path: url, body }: Route, schema: Json, path: Field['path']): void {
  const name = `${method} ${url}`;
  for (const [pattern, plain, typed] of FIELDS) {
    if (!pattern.test(String(path.at(-1)))) continue;
    if (name === WITHOUT_RECOVERY && plain.includes('-')) continue;
    checks += 1;
    t.test(`${name} ${path.join('.')} ${plain}`, (t) => {
      const hasAmount = JSON.stringify(schema).includes('"amount"');
      const base = setAt(fillBase(schema), ['amount'], hasAmount ? '150000' : undefined);
      const expected = body?.check(setAt(base, path, plain));
      t.notMatch(expected, { code: 'field_invalid', details: { param: path.join('.') } });
      for (const text of typed) {
        t.same(body?.check(setAt(base, path, text)), expected, encodeURI(text));
      }
      t.end();
    });
  }
}

t.teardown(() => {
  if (checks < 30) throw new Error(`only ${checks} fields were checked`);
});
