// The dashboard's texts of error codes (gateway/web/dashboard/shared/text/error-texts.ts) against the error table and the
// routes: a new code that a form can get fails here until it has an Indonesian text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { listRoutes } from '#test/support/routes.js';

interface ErrorTexts {
  readonly ERROR_TEXTS: Readonly<Record<'en' | 'id', Readonly<Record<string, string>>>>;
  readonly describeError: (
    language: string,
    failure: object,
  ) => { text: string; detail: string | null };
  readonly describeFieldError: (language: string, failure: object) => string;
}

/** Faults of a client that the dashboard does not have: it sends no key, no version and one credential. */
const NEVER_SENT = new Set<ErrorCode>([
  ...(['credential_missing', 'credential_invalid', 'credential_wrong_kind'] as const),
  ...(['credential_mixed', 'version_unknown', 'media_type_unsupported'] as const),
  ...(['idempotency_key_invalid'] as const),
]);

/** It belongs to the build of the dashboard, which emits no module for Node. */
async function loadTexts(): Promise<ErrorTexts> {
  const path = join(findPackageRoot(), 'gateway/web/dashboard/shared/text/error-texts.ts');
  const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  return module as ErrorTexts;
}

const { ERROR_TEXTS, describeError, describeFieldError } = await loadTexts();

t.test('each text is that of an error code', (t) => {
  for (const [language, texts] of Object.entries(ERROR_TEXTS)) {
    const unknown = Object.keys(texts).filter((code) => !Object.hasOwn(ERRORS, code));
    t.strictSame(unknown, language === 'id' ? ['not_found'] : [], language);
  }
  t.end();
});

t.test('each code that a form can get has an Indonesian text', (t) => {
  const forms = listRoutes().filter(
    ({ auth, path, body }) =>
      body !== undefined && (auth === 'session' || path.startsWith('/v1/auth/')),
  );
  t.ok(forms.length > 20, 'the routes are found');
  const codes = new Set(forms.flatMap((route) => listErrorCodes(route)));
  const missing = [...codes].filter((code) => {
    const { text } = describeError('id', { code, message: '', param: null });
    return text === '' && !NEVER_SENT.has(code);
  });
  t.strictSame(missing, []);
  t.end();
});

t.test('a field says what it must be, in the language of the person', (t) => {
  const failure = (message: string, code = 'field_invalid') => ({ code, message, param: 'notes' });
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'notes must be a string of at most 500 characters.',
      'Must be a string of at most 500 characters.',
      'Paling banyak 500 karakter.',
    ],
    ['notes must be 6 digits.', 'Must be 6 digits.', 'Isi 6 angka.'],
    [
      'notes must be one of owner, viewer.',
      'Must be one of owner, viewer.',
      'Pilih salah satu: owner, viewer.',
    ],
    ['notes must rhyme.', 'Must rhyme.', 'Isian ini belum benar. (must rhyme.)'],
  ];
  for (const [message, english, indonesian] of cases) {
    t.equal(describeFieldError('en', failure(message)), english);
    t.equal(describeFieldError('id', failure(message)), indonesian);
  }
  const unknown = failure('notes is odd.', 'unheard_of');
  t.equal(describeFieldError('id', unknown), 'Is odd.', 'the words of the API are the fallback');
  t.end();
});

t.test('a message about the case at hand stays beside its translation', (t) => {
  const open = { code: 'state_conflict', message: 'The status is paid.', param: null };
  t.match(describeError('id', open), { text: /^Status saat ini/, detail: open.message });
  t.same(describeError('en', open), { text: open.message, detail: null });
  const wrong = { code: 'balance_insufficient', message: 'Too low.', param: null };
  t.match(describeError('id', wrong), { text: /^Saldo/, detail: null });
  t.match(describeError('id', { ...open, code: 'refund_not_found' }), { text: /tidak ditemukan/ });
  t.end();
});
