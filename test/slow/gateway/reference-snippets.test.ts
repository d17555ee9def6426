// Programs of the interactive reference run as they are shown, with a real key against a real service, and get the answer that
// the document shows. Each language has a merchant of its own, because the examples have idempotency keys.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTestMerchant } from '#test/support/processes.js';
import { startServingService } from '#test/support/serving.js';
import { makeFolder } from '#test/support/servers.js';
import { needProgram } from '#test/support/suite/programs.js';
import { listDifferences } from '#test/gateway/docs/guide-blocks.js';
import { buildExampleCall, type Call, LANGUAGES } from '#test/gateway/docs/reference-snippets.js';

const PROGRAM_MS = 60_000;
const PROGRAMS: Readonly<Record<string, { readonly command: string; readonly file: string }>> = {
  curl: { command: '/bin/sh', file: 'example.sh' },
  node: { command: process.execPath, file: 'example.mjs' },
  php: { command: needProgram('php', 'php-cli'), file: 'example.php' },
  python: { command: needProgram('python3', 'python3'), file: 'example.py' },
};
needProgram('curl', 'curl');

/** In the order in which a reader runs them: an example refers to the payment and the refund of earlier ones. */
const STORY = [
  { path: '/v1/payments', method: 'post', status: '201' },
  { path: '/v1/sandbox/payments/{payment_id}/simulate', method: 'post', status: '200' },
  { path: '/v1/payments/{payment_id}', method: 'get', status: '200' },
  { path: '/v1/refunds', method: 'post', status: '201' },
  { path: '/v1/refunds/{refund_id}', method: 'get', status: '200' },
  { path: '/v1/payment-methods', method: 'get', status: '200' },
] as const;
/** Each call makes its own of these. */
const OWN =
  /^(?:(?:pay|ref)_[0-9a-z]{26}|\d{4}-\d\d-\d\dT.*Z|[0-9a-f]{8}-[0-9a-f-]{27}|https:\/\/pay\.example\/.*)$/;

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly responses: Readonly<
              Record<
                string,
                { readonly content: { readonly 'application/json': { readonly example: object } } }
              >
            >;
          }
        >
      >
    >
  >;
}

const hideOwn = (example: object): object =>
  JSON.parse(
    JSON.stringify(example, (_name, value: unknown) =>
      typeof value === 'string' && OWN.test(value) ? '…' : value,
    ),
  ) as object;

async function run(language: string, text: string): Promise<{ code: number; output: string }> {
  const { command, file } = PROGRAMS[language] ?? { command: '', file: '' };
  const folder = makeFolder(t);
  writeFileSync(join(folder, file), text);
  const env = { PATH: process.env['PATH'] };
  const child = spawn(command, [file], { cwd: folder, env, timeout: PROGRAM_MS });
  const [output, errors]: [string[], string[]] = [[], []];
  child.stdout.on('data', (part) => output.push(String(part)));
  child.stderr.on('data', (part) => errors.push(String(part)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code: code ?? -1, output: output.join('') + errors.join('') });
    });
  });
}

const { baseUrl, databaseUrl } = await startServingService(t);
const document = (await (await fetch(`${baseUrl}/docs/openapi.json`)).json()) as Document;

for (const language of Object.keys(LANGUAGES)) {
  t.test(`the examples in ${language} run and answer as documented`, async (t) => {
    const { testKey } = await createTestMerchant(databaseUrl);
    const ids = new Map<string, string>();
    for (const { path, method, status } of STORY) {
      const options = { origin: baseUrl, key: testKey };
      const call = buildExampleCall(document, { path, method }, options) as Call;
      const shown = LANGUAGES[language]?.write(call) ?? '';
      const text = [...ids].reduce((given, [one, own]) => given.replaceAll(one, own), shown);
      const { code, output } = await run(language, text);
      t.equal(code, 0, `${text}\n${output}`);
      const answers = document.paths[path]?.[method]?.responses;
      const example = answers?.[status]?.content['application/json'].example ?? {};
      const found = JSON.parse(output) as object;
      t.strictSame(listDifferences(hideOwn(example), found), [], `${method} ${path} ${output}`);
      if ('id' in example && 'id' in found) ids.set(String(example.id), String(found.id));
    }
  });

  t.test(`an example in ${language} with a wrong key shows the error`, async (t) => {
    const place = { path: '/v1/payment-methods', method: 'get' };
    const key = `sk_test_${'x'.repeat(38)}`;
    const call = buildExampleCall(document, place, { origin: baseUrl, key }) as Call;
    const { output } = await run(language, LANGUAGES[language]?.write(call) ?? '');
    t.match(output, /credential_invalid/);
  });
}
