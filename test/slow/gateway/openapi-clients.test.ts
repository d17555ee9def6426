// Clients that two generators make from the served documents compile under strict TypeScript, with the calls of README.md,
// and the programs of docs/guides/clients.md run against a real service: create, pay, get, refund.
import { createClient } from '@hey-api/openapi-ts';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import t from 'tap';
import { API_DOCUMENTS, MERCHANTS } from '#gateway/developers/openapi/documents.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { startServingService } from '#test/support/serving.js';
import { at, type Tree } from '#test/gateway/developers/openapi/documents.js';

const README_URL = 'http://localhost:8080';
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  outDir: 'out',
  skipLibCheck: true,
};

const root = findPackageRoot();
const folder = t.testdir();
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
write('package.json', JSON.stringify({ type: 'module' }));
write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }));
mkdirSync(join(folder, 'src'));

const { baseUrl, merchant } = await startServingService(t);
const documents = await Promise.all(
  API_DOCUMENTS.map(async ({ path }) => (await fetch(baseUrl + path)).json() as Promise<Tree>),
);

/** The names of the programs are those that docs/guides/clients.md uses. */
async function generate(document: Tree, types: string, client: string): Promise<void> {
  write(`src/${types}.ts`, astToString(await openapiTS(structuredClone(document) as never)));
  await createClient({
    input: structuredClone(document),
    output: { path: join(folder, 'src', client), module: { extension: '.js' } },
    logs: { level: 'silent', file: false },
  });
}

/** Each `curl` of README.md. */
function listCommands(): readonly { path: string; key?: string; body?: string }[] {
  return read('README.md')
    .split('curl -s ')
    .slice(1)
    .map((text) => {
      const [path = ''] = text.replace(README_URL, '').split(/\s/);
      const [, key] = /Idempotency-Key: ([^']+)'/.exec(text) ?? [];
      const [, body] = /-d '(\{[^']+\})'/.exec(text) ?? [];
      return {
        path,
        ...(key === undefined ? {} : { key }),
        ...(body === undefined ? {} : { body }),
      };
    });
}

/** They compile only because each next line has an error. */
const FAULTY_CALLS = [
  '// @ts-expect-error: an unknown field',
  `await createPayment({ body: { amount: '1', total: '1' } });`,
  '// @ts-expect-error: no amount',
  `await api.POST('/v1/payments', { body: { currency: 'IDR' } });`,
  '// @ts-expect-error: a limit is a number',
  `await api.GET('/v1/payments', { params: { query: { limit: '5' } } });`,
];

/** The calls of README.md for both clients. */
function writeReadmeCalls(document: Tree): { calls: number; text: string } {
  const [commands, imports] = [listCommands(), new Set<string>()];
  const calls = commands.flatMap(({ path, key, body }) => {
    const pattern = path.replace('$ID', '{payment_id}');
    const method = body === undefined ? 'get' : 'post';
    const operation = String(at(document, 'paths', pattern, method, 'operationId'));
    imports.add(operation);
    const params = [
      ...(path === pattern ? [] : [`path: { payment_id: 'pay_1' }`]),
      ...(key === undefined ? [] : [`header: { 'Idempotency-Key': '${key}' }`]),
    ].join(', ');
    const rest = body === undefined ? '' : `, body: ${body}`;
    return [
      `await api.${method.toUpperCase()}('${pattern}', { params: { ${params} }${rest} });`,
      `await ${operation}({ ${params.replace('header:', 'headers:')}${rest} });`,
    ];
  });
  const text = [
    `import createClient from 'openapi-fetch';`,
    `import type { paths } from './api.js';`,
    `import { ${[...imports].join(', ')} } from './kasir/index.js';`,
    `const api = createClient<paths>({ baseUrl: '${README_URL}' });`,
    ...calls,
    ...FAULTY_CALLS,
  ].join('\n');
  return { calls: commands.length, text };
}

function compile(): string {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return stdout + stderr;
}

const programs = [...read('docs/guides/clients.md').matchAll(/```ts\n([^]*?)```/g)].map(
  ([, text = '']) => text,
);

t.test('the clients of all documents and the calls of README.md compile', async (t) => {
  for (const [index, document] of documents.entries()) {
    const isMerchants = API_DOCUMENTS[index] === MERCHANTS;
    const [types, client] = isMerchants ? ['api', 'kasir'] : [`api${index}`, `client${index}`];
    await generate(document, types ?? '', client ?? '');
  }
  const { calls, text } = writeReadmeCalls(documents[0] ?? {});
  t.equal(calls, 4, text);
  write('src/readme.ts', text);
  programs.forEach((program, index) => {
    write(`src/program${index}.ts`, program.replaceAll(README_URL, baseUrl));
  });
  t.equal(compile(), '');
});

t.test('the programs of docs/guides/clients.md create, pay, get and refund', (t) => {
  t.equal(programs.length, 2);
  for (const index of programs.keys()) {
    const { stdout, stderr } = spawnSync(process.execPath, [`out/program${index}.js`], {
      cwd: folder,
      encoding: 'utf8',
      env: { KEY: merchant.testKey },
    });
    t.match(stdout, /\/checkout\/pay_\w+ (paid|refunded) SUCCEEDED\n$/, stderr);
  }
  t.end();
});
