// Every `kasir …` command that a page names is run, with real ids in the place of placeholders, on a real installation. It is
// no wrong usage (exit code 2), and ends by itself.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { runKasir } from '#test/support/kasir.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const WRONG_USAGE = 2;
const root = findPackageRoot();
const databaseUrl = await createDatabase(t);
const redis = await startRedis(t);
const { merchantId } = await createTestMerchant(databaseUrl);
const ANY = Buffer.alloc(16, 1);

/** In the order in which they are replaced. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/<delivery\s+id>|del_…/g, 'del_x'],
  [/retry <id>/g, 'retry 7-1796000000000-0-0'],
  [/mer_…/g, merchantId],
  [/usr_…/g, makeId('usr', ANY)],
  [/pay_…/g, makeId('pay', ANY)],
  [/--date …/g, '--date 2026-08-02'],
  [/we_…/g, 'we_x'],
  [/sk_test_…/g, 'sk_test_x'],
  [/whsec_…/g, 'whsec_eA=='],
  [/\[(--[^\]]*)\]/g, '$1'],
  [/\b([a-z_]+)\|[a-z_|]+/g, '$1'],
];

/** These need something that a test has not, or wait for it. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  listen: ['--key', 'sk_test_x', '--base-url', 'http://127.0.0.1:1'],
  reconcile: ['--wait', '0'],
};

const listPages = (): string[] =>
  spawnSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => path !== '');

/** Fenced blocks line by line, and inline code, which may go over the end of a line. */
function listCode(text: string): string[] {
  const fenced = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)];
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '');
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [
    ...fenced.flatMap(([, block = '']) => block.replace(/\\\n/g, ' ').split('\n')),
    ...inline.map((code) => code.replace(/\s+/g, ' ')),
  ];
}

function listCommands(): Map<string, string> {
  const commands = new Map<string, string>();
  for (const path of listPages()) {
    for (const code of listCode(readFileSync(join(root, path), 'utf8'))) {
      const [, line] = /\bkasir ([a-z].*)/.exec(code) ?? [];
      if (line !== undefined) commands.set(line, path);
    }
  }
  return commands;
}

function readWords(line: string): string[] {
  const filled = PLACEHOLDERS.reduce((text, [placeholder, value]) => {
    return text.replace(placeholder, value);
  }, line);
  const words = [...filled.matchAll(/"([^"]*)"|\S+/g)];
  return words.map(([word, quoted]) => quoted ?? word);
}

const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, ...TEST_KEYS };

/** A page that names a command alone means what its help explains. */
async function runLine(line: string): Promise<{ code: number; stderr: string }> {
  const words = readWords(line);
  const added = words.length > 1 ? (ADDED[words[0] ?? ''] ?? []) : [];
  const run = await runKasir(variables, ...words, ...added);
  const isNamed = words.every((word) => /^[a-z-]+$/.test(word) && !word.startsWith('--'));
  return run.code === WRONG_USAGE && isNamed ? runKasir(variables, ...words, '--help') : run;
}

t.test('every command of the pages is run', async (t) => {
  const commands = listCommands();
  t.ok(commands.size > 40, `${commands.size} commands were found`);
  for (const [line, path] of commands) {
    const { code, stderr } = await runLine(line);
    t.ok([0, 1].includes(code), `${path}: kasir ${line} ends with ${code}: ${stderr}`);
    t.notMatch(stderr, /TypeError|ReferenceError|syntax error|does not exist/, line);
  }
});
