// Each text that a user or an administrator sets gets a hidden character, which must be refused by its name. A new text field
// is refused too, unless its schema says that it is read in another way (gateway/routing/typed-texts.ts).
import t from 'tap';
import type { Json } from '#test/flows/contract/arbitrary.js';
import { listRoutes } from '#test/support/routes.js';
import { type Field, fillBase, listChoices, listFields, setAt } from './request-fields.js';

/** Their texts come with a payment, a refund or a payout, or from a customer: hidden characters are removed. */
const REMOVING: readonly string[] = [
  'POST /v1/payments',
  'POST /v1/refunds',
  'POST /v1/payouts',
  'POST /v1/merchants/me/refunds',
  'POST /v1/merchants/me/payouts',
  'POST /pay/{slug}',
  'POST /checkout/{payment_id}/method',
  'POST /checkout/{payment_id}/simulate',
];
/** The only fields that are read in another way. */
const READ_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  code: ['totp_code', 'code'],
  identifier: ['tax_id', 'postal_code', 'account_number', 'identity_number'],
  phone: ['support_phone', 'customer_phone'],
  sought: ['customer_email', 'reference_id'],
  anything: ['password', 'current_password', 'content'],
};

const isText = (schema: Json): boolean =>
  listChoices(schema).some((one) => one['type'] === 'string');
const findTypedAs = (schema: Json): string | undefined =>
  listChoices(schema).flatMap(({ typedAs }) => (typeof typedAs === 'string' ? [typedAs] : []))[0];

function readError(checked: object): { readonly code: string; readonly message: string } {
  if (!('code' in checked)) return { code: 'accepted', message: '' };
  const { code, details } = checked as { code: string; details: { message?: string } };
  return { code, message: details.message ?? '' };
}

let texts = 0;
for (const route of listRoutes()) {
  const name = `${route.method} ${route.path}`;
  const { body } = route;
  if (body === undefined || REMOVING.includes(name)) continue;
  t.test(name, (t) => {
    const schema = body.schema as unknown as Json;
    const base = fillBase(schema);
    for (const { path, schema: field } of listFields(schema).flatMap(listEntries)) {
      if (!isText(field)) continue;
      const param = path.join('.');
      const checkWith = (text: string) => readError(body.check(setAt(base, path, text)));
      const typedAs = findTypedAs(field);
      if (typedAs !== undefined && typedAs !== 'lines') {
        t.ok(READ_OTHERWISE[typedAs]?.includes(String(path.at(-1))), `${name} ${param}`);
        t.notMatch(checkWith('a\u200bb').message, /U\+200B/);
        continue;
      }
      texts += 1;
      for (const [character, codePoint] of [
        ['\u200b', 'U+200B'],
        ['\u202e', 'U+202E'],
        ['\u0007', 'U+0007'],
        ...(typedAs === 'lines' ? [] : [['\n', 'U+000A'] as const]),
      ] as const) {
        const { code, message } = checkWith(`To${character}ko`);
        t.match(code, /^(?:field|url)_invalid$/, `${param} ${codePoint}`);
        t.ok(message.startsWith(`${param} must not contain the `), message);
        t.ok(message.includes(codePoint), message);
      }
      if (typedAs === 'lines') t.notMatch(checkWith('a\r\nb\tc').message, /U\+/, param);
    }
    t.end();
  });
}
t.teardown(() => {
  if (texts < 60) throw new Error(`only ${texts} texts were checked`);
});

/** The values of a map are texts too. */
function listEntries(field: Field): readonly Field[] {
  const [entry] = Object.values((field.schema['patternProperties'] ?? {}) as Record<string, Json>);
  return entry === undefined
    ? [field]
    : [{ ...field, path: [...field.path, 'entry'], schema: entry }];
}
