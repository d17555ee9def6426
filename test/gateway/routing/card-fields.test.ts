// Each text of each request body gets a card number, which must be refused: by the check of the body, or by the handler
// before it calls anything. A new text field fails here until it is checked or has its reason below.
import t from 'tap';
import type { Answer, ApiError } from '#gateway/routing/response.js';
import type { AnyRequest } from '#gateway/routing/request.js';
import type { Route } from '#gateway/routing/route.js';
import type { Json } from '#test/flows/contract/arbitrary.js';
import { listRoutes, SAMPLE_PARAMS } from '#test/support/routes.js';
import { type Field, fillBase, listChoices, listFields, setAt } from './request-fields.js';

const NUMBER = '4111111111111111';

interface Kind {
  readonly name: RegExp;
  readonly harmless: string;
  readonly values: readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    name: /url$/,
    harmless: 'https://shop.example/',
    values: [
      `https://shop.example/?pan=${NUMBER}`,
      'https://shop.example/?c=4111+1111%201111+1111',
    ],
  },
  { name: /email$/, harmless: 'budi@shop.example', values: [`${NUMBER}@shop.example`] },
  { name: /phone$/, harmless: '+62 812 3456 7890', values: [NUMBER, '3782 822463 10005'] },
  { name: /currency$/, harmless: 'IDR', values: [NUMBER] },
  { name: /payment_method$/, harmless: 'QRIS', values: [NUMBER] },
  { name: /payment_id$/, harmless: SAMPLE_PARAMS['payment_id'] ?? '', values: [NUMBER] },
  { name: /_at$/, harmless: '2030-01-01T00:00:00Z', values: [NUMBER] },
  { name: /^(from|to)$/, harmless: '2030-01-01T00:00:00Z', values: [NUMBER] },
  { name: /amount$/, harmless: '150000', values: [NUMBER] },
  { name: /bank_code$/, harmless: 'BCA', values: [NUMBER] },
  { name: /addresses$/, harmless: '192.0.2.1', values: [NUMBER] },
];
const TEXT: Omit<Kind, 'name'> = {
  harmless: 'Toko',
  values: [NUMBER, 'VISA-4111 1111 1111 1111', 'CVV １２３'],
};
const findKind = (name: string): Omit<Kind, 'name'> =>
  KINDS.find((kind) => kind.name.test(name)) ?? TEXT;

/** Fields that may hold a number of 16 digits, by the name of the field. */
const OTHER_NUMBERS: Readonly<Record<string, string>> = {
  account_number: 'bank accounts have such numbers; the column is sealed',
  identity_number: 'identity numbers have 16 digits; the column is sealed',
  tax_id: 'tax numbers have 16 digits; the column is sealed',
  password: 'stored as a hash',
  current_password: 'compared with a hash',
  content: 'a file',
  document_ids: 'ids that must exist',
};

/** Texts that are not stored, and fields whose handler reads the database first, which other tests cover. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'POST /v1/auth/login email': 'looked up only',
  'POST /v1/auth/password-reset email': 'looked up only',
  'POST /v1/auth/verify/resend email': 'looked up only',
  'POST /pay/{slug} amount': 'parsed as an amount',
  'POST /pay/{slug} customer_name': 'test/gateway/selling/link-uses.test.ts',
  'POST /pay/{slug} customer_email': 'test/gateway/selling/link-uses.test.ts',
};

const SESSION = {
  id: `ses_${SAMPLE_PARAMS['slug'] ?? ''}`,
  userId: SAMPLE_PARAMS['user_id'],
  merchantId: SAMPLE_PARAMS['merchant_id'],
  isVerified: true,
};

interface Text {
  readonly path: Field['path'];
  /** In the forms that the field allows. */
  readonly values: readonly string[];
  readonly harmless: string;
}

/** The texts of a body that a card number fits; keys of maps are texts too. */
function listTexts(schema: Json): readonly Text[] {
  return listFields(schema).flatMap(({ path, schema: property }): Text[] => {
    const [entry] = Object.values((property['patternProperties'] ?? {}) as Record<string, Json>);
    if (entry !== undefined) path = [...path, 'entry'];
    const field = entry ?? property;
    const name = String(path.findLast((part) => typeof part === 'string'));
    if (Object.hasOwn(OTHER_NUMBERS, name)) return [];
    const values = findKind(name).values.filter((value) =>
      listChoices(field).some((choice) => allows(choice, value)),
    );
    return values.length === 0 ? [] : [{ path, values, harmless: findKind(name).harmless }];
  });
}

function allows(schema: Json, value: string): boolean {
  if (schema['type'] !== 'string' || 'const' in schema || 'enum' in schema) return false;
  const { pattern, maxLength } = schema;
  if (typeof pattern === 'string' && !new RegExp(pattern).test(value)) return false;
  return typeof maxLength !== 'number' || value.length <= maxLength;
}

interface Found {
  readonly code: string;
  readonly param: string | null | undefined;
}

async function findError(route: Route, input: unknown): Promise<Found> {
  const checked = route.body?.check(input);
  if (checked === undefined) return { code: 'no body', param: undefined };
  if ('code' in checked) return { code: checked.code, param: checked.details.param };
  const request = { session: SESSION, params: SAMPLE_PARAMS, body: checked.value, address: '::1' };
  try {
    const answer: Answer | ApiError = await route.handle(request as unknown as AnyRequest);
    return 'details' in answer
      ? { code: answer.code, param: answer.details.param }
      : { code: 'accepted', param: undefined };
  } catch (error) {
    return { code: `accepted (${String(error)})`, param: undefined };
  }
}

/** A body that fits, without the fields that exclude others. */
function makeBase(schema: Json, fields: readonly Text[]): unknown {
  const plain = fields.reduce(
    (body, { path, harmless }) => setAt(body, path, harmless),
    fillBase(schema),
  );
  const open = setAt(setAt(plain, ['min_amount'], undefined), ['max_amount'], undefined) as Json;
  return 'amount' in open ? { ...open, amount: '150000' } : open;
}

const isSameField = (param: Found['param'], path: Field['path']): boolean =>
  param !== undefined && `${path.join('.')}.`.startsWith(`${param ?? ''}.`);

const routes = listRoutes({ nowMs: Date.now }).filter(({ body }) => body !== undefined);
let texts = 0;
for (const route of routes) {
  const name = `${route.method} ${route.path}`;
  t.test(name, async (t) => {
    const schema = route.body?.schema as unknown as Json;
    const fields = listTexts(schema);
    const base = fields.length === 0 ? {} : makeBase(schema, fields);
    for (const { path, values } of fields) {
      const field = `${name} ${path.join('.')}`;
      if (Object.hasOwn(EXCEPTIONS, field)) continue;
      texts += 1;
      for (const value of values) {
        const { code, param } = await findError(route, setAt(base, path, value));
        // Forms and lists of allowed texts refuse too, for the same field.
        const isRefused = code === 'card_data_refused' || isSameField(param, path);
        t.ok(isRefused, `${field} ${value}: ${code} ${param ?? ''}`);
      }
    }
  });
}
t.teardown(() => {
  if (texts < 30) throw new Error(`only ${texts} texts were checked`);
});
