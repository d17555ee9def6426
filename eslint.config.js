// Type-aware lint: a lost promise is a lost payment, and a switch that misses a case is a lost state. Types cost most of its
// time, so `npm run lint` uses them for product code, and `npm run lint:tests` (in `npm run test:all`) for tests and benches.
import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const DASHBOARD = 'gateway/web/dashboard/**/';

const STOPS = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  'max-params': 'off',
  '@typescript-eslint/max-params': ['error', { max: 4 }],
  'max-depth': ['error', 3],
};

const TYPED = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true },
  ],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/strict-boolean-expressions': [
    'error',
    { allowNullableBoolean: true, allowNullableString: true, allowNumber: false },
  ],
  '@typescript-eslint/restrict-template-expressions': [
    'error',
    { allowNumber: true, allowBoolean: true },
  ],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
};

const PURPOSE = {
  eqeqeq: 'error',
  'no-restricted-properties': [
    'error',
    {
      object: 'process',
      property: 'env',
      message: 'The environment is read in ops/runtime/config.ts only.',
    },
  ],
  'no-restricted-imports': [
    'error',
    { paths: [{ name: 'node:process', importNames: ['env'] }, { name: 'process' }] },
  ],
};

/** The browser offers these to pages with HTTPS only, and people try the dashboard in a local network. */
const SECURE_PAGES_ONLY = [
  {
    object: 'crypto',
    property: 'randomUUID',
    message: 'Pages without HTTPS lack it: use makeIdempotencyKey().',
  },
  {
    object: 'navigator',
    property: 'clipboard',
    message: 'Pages without HTTPS lack it: use useCopying().',
  },
];

const BROWSER_GLOBALS = [
  ...['document', 'window', 'navigator', 'location', 'performance', 'fetch'],
  ...['WebSocket', 'DOMParser', 'Element', 'HTMLElement', 'setTimeout', 'clearTimeout'],
];

/** For `t.match`, an empty array fits every array, and an empty object every object. */
const PATTERNS_THAT_FIT_ALL = [
  'ArrayExpression[elements.length=0]',
  'ObjectExpression[properties.length=0]',
]
  .flatMap((empty) => [empty.replace('[', ':nth-child(2)['), `:nth-child(2) ${empty}`])
  .map((pattern) => ({
    selector: `CallExpression[callee.property.name=match][callee.object.name=t] > ${pattern}`,
    message:
      'It fits everything: write { length: 0 } for an empty array, Object for any object, or use t.strictSame.',
  }));

const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];

const BASE = [
  { ignores: ['dist/', 'node_modules/', '.data/', '.tap/', 'docs/', 'examples/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    ignores: [`${DASHBOARD}*`],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: { ...STOPS, ...TYPED, ...PURPOSE },
  },
  {
    // `npm run typecheck` writes the types of the API clients that these files import.
    files: [`${DASHBOARD}*.ts`, `${DASHBOARD}*.tsx`],
    extends: [tseslint.configs.recommendedTypeChecked, reactHooks.configs.flat.recommended],
    languageOptions: { parserOptions: { project: './gateway/web/dashboard/tsconfig.json' } },
    rules: {
      ...STOPS,
      ...TYPED,
      ...PURPOSE,
      'no-restricted-properties': ['error', ...SECURE_PAGES_ONLY],
    },
  },
  {
    files: ['gateway/web/dashboard/shared/parts/copying.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
      },
    },
    rules: { 'max-lines': STOPS['max-lines'] },
  },
  {
    files: ['gateway/web/*.js'],
    languageOptions: {
      globals: Object.fromEntries(BROWSER_GLOBALS.map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['ops/runtime/config.ts', ...TESTS],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-syntax': ['error', ...PATTERNS_THAT_FIT_ALL],
    },
  },
];

/** tap keeps its subtests itself: a test that is not awaited still runs, and still counts. */
const KEPT_BY_TAP = ['test', 'rejects', 'teardown'];

export const typedTests = tseslint.config(BASE, {
  files: ['test/**/*.ts'],
  rules: {
    '@typescript-eslint/no-floating-promises': [
      'error',
      {
        allowForKnownSafeCalls: [
          { from: 'package', name: KEPT_BY_TAP, package: 'tap' },
          { from: 'package', name: KEPT_BY_TAP, package: '@tapjs/test' },
        ],
      },
    ],
  },
});

export default tseslint.config(BASE, {
  files: TESTS,
  extends: [tseslint.configs.disableTypeChecked],
});
