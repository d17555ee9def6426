// The schemas of Zod that two generators make from the documents compile under strict TypeScript. Both write code for every
// keyword, also for one that says nothing new, and a schema of choices has no method `regex`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { API_DOCUMENTS } from '#gateway/developers/openapi/documents.js';
import { describeApi } from '#gateway/developers/openapi/document.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { listRoutes } from '#test/support/routes.js';

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext' },
};
const SERVICE = { brand: 'Acme', brandHeader: 'Acme', baseUrl: 'https://pay.example' };

const root = findPackageRoot();
const packages = join(root, '.generators/node_modules');
const folder = t.testdir();
symlinkSync(packages, join(folder, 'node_modules'));
const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), JSON.stringify(value));
write('package.json', { type: 'module' });
write('tsconfig.json', { compilerOptions: COMPILER_OPTIONS, include: ['src'] });
mkdirSync(join(folder, 'src'));

const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });

const routes = listRoutes();
const names = API_DOCUMENTS.map((document, index) => {
  const name = `document${index}`;
  write(`${name}.json`, describeApi(document, routes, SERVICE));
  return name;
});

t.test('orval', (t) => {
  const program = join(packages, 'orval/dist/bin/orval.js');
  for (const name of names) {
    const output = `src/${name}.orval.ts`;
    const { stdout, stderr } = run(
      ...([program, '--client', 'zod'] as const),
      ...['--input', `${name}.json`, '--output', output],
    );
    t.match(readFileSync(join(folder, output), 'utf8'), /zod\.object/, stdout + stderr);
  }
  t.end();
});

t.test('openapi-zod-client', (t) => {
  const program = join(packages, 'openapi-zod-client/bin.js');
  for (const name of names) {
    const output = `src/${name}.zodios.ts`;
    const { stdout, stderr } = run(program, `${name}.json`, '--output', output);
    t.match(readFileSync(join(folder, output), 'utf8'), /z\s*\.object/, stdout + stderr);
  }
  t.end();
});

t.test('the results of both compile', (t) => {
  const { stdout, stderr } = run(join(root, 'node_modules/typescript/bin/tsc'), '-p', folder);
  t.equal(stdout + stderr, '');
  t.end();
});
