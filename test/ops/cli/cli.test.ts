// The grammar that all `kasir` commands share. Their effects are tested beside what they change.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { KASIR, runKasir } from '#test/support/kasir.js';
import { createDatabase } from '#test/support/servers.js';

const COMMANDS = [
  ...['migrate', 'ledger verify', 'ledger statement', 'ledger book', 'reconcile', 'listen'],
  ...['dlq list', 'dlq stats', 'dlq show', 'dlq replay', 'dlq drop', 'mail list'],
  ...['admin create', 'admin reset-totp', 'admin erase', 'audit verify', 'audit erase'],
  ...['secrets status', 'secrets reseal', 'doctor'],
  ...['partitions list', 'payment show', 'quarantine list', 'quarantine retry'],
];
const ALIASES = { migrate: 'migrate', 'ledger:verify': 'ledger verify', dlq: 'dlq' };
const MERCHANT = `mer_${'0'.repeat(26)}`;
const USER = `usr_${'0'.repeat(26)}`;
const STATEMENT = ['ledger', 'statement', '--from', '2026-08-01'];

const databaseUrl = await createDatabase(t);
const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, ...args);
const runLine = (line: string, ...args: string[]) => run(...line.split(' '), ...args);

t.test('the built program can be executed, as `npx kasir` does', (t) => {
  t.doesNotThrow(() => accessSync(KASIR, constants.X_OK));
  t.end();
});

t.test(
  '--help of each command prints its usage, options and an example, and exits 0',
  async (t) => {
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await runLine(command, '--help');
      t.strictSame({ code, stderr }, { code: 0, stderr: '' }, command);
      t.match(stdout, `Usage: kasir ${command} [options]`);
      t.match(stdout, / {2}--json /);
      t.match(stdout, new RegExp(`Example:\n {2}.*kasir ${command}`));
    }
  },
);

t.test('kasir --help lists every command and the exit codes, and exits 0', async (t) => {
  const { code, stdout } = await run('--help');
  t.equal(code, 0);
  for (const command of COMMANDS) t.match(stdout, `\n  ${command.split(' ')[0]} `);
  t.match(stdout, /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
});

t.test('wrong usage exits 2 and prints what is wrong and what is allowed', async (t) => {
  const calls: readonly (readonly [string[], string | RegExp])[] = [
    [[], 'Usage: kasir [options] [command]'],
    [['burn'], `unknown command 'burn'`],
    [
      ['ledger', 'verify', '--fast'],
      /unknown option '--fast'\n\(kasir ledger verify --help explains what is allowed\)/,
    ],
    [
      ['dlq', 'drop', 'x', '--with-pending'],
      /unknown option '--with-pending'\n\(kasir dlq drop --help explains/,
    ],
    [['dlq', 'burn'], /unknown command 'burn'\n\(kasir dlq --help explains/],
    [['doctor', 'postgres'], 'Allowed choices are gateway, payments, rails, webhooks'],
    [['dlq', 'show'], `missing required argument 'id'`],
    [['dlq', 'list', '--environment', 'PROD'], 'Allowed choices are TEST, LIVE'],
    [['migrate', 'now'], 'too many arguments'],
    [['reconcile'], `required option '--date <day>' not specified`],
    [['reconcile', '--date', '2999-01-01'], 'The day is not over in Jakarta'],
    [['admin', 'create', 'someone'], 'an e-mail address'],
    [['admin', 'erase', MERCHANT, 'LIVE', 'name', 'x'], 'Allowed choices are payment_id'],
    [STATEMENT, '--account, or --merchant and --environment'],
    [[...STATEMENT, '--account', 'x', '--environment', 'TEST'], 'cannot be used with'],
    [[...STATEMENT, '--account', 'x', '--to', '2026-07-01'], '--from must be earlier than --to'],
  ];
  for (const [args, message] of calls) {
    const { code, stdout, stderr } = await run(...args);
    t.strictSame({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    t.match(stderr, message);
    if (args.length > 0) t.ok(stderr.trim().split('\n').length <= 3, 'no help hides the error');
  }
});

t.test('--json prints JSON and nothing else on stdout', async (t) => {
  const calls: readonly (readonly [string[], number, unknown])[] = [
    [['migrate'], 0, { applied: [], dryRun: false }],
    [['dlq', 'list'], 0, []],
    [['dlq', 'replay', 'del_none'], 1, [{ id: 'del_none', outcome: 'no dead letter' }]],
    [['dlq', 'replay', '--all', '--dry-run'], 0, { count: 0, dryRun: true }],
    [['dlq', 'drop', 'del_none'], 1, [{ id: 'del_none', outcome: 'no dead letter' }]],
    [['dlq', 'drop', '--all'], 0, { count: 0, dryRun: false }],
    [['audit', 'erase', USER, '--dry-run'], 0, { id: USER, rows: 0, dryRun: true }],
    [['mail', 'list'], 0, []],
    [['admin', 'create', 'a@b.example'], 0, { id: /^usr_/, email: 'a@b.example' }],
    [['admin', 'reset-totp', 'a@b.example'], 0, { email: 'a@b.example' }],
  ];
  for (const [args, code, value] of calls) {
    const { code: found, stdout } = await run(...args, '--json');
    t.equal(found, code, args.join(' '));
    t.match(JSON.parse(stdout), value);
  }
});

t.test('a command that cannot be carried out exits 1 and says why on stderr', async (t) => {
  const unknown: readonly (readonly [string[], string])[] = [
    [['dlq', 'show', 'del_none'], 'no delivery del_none'],
    [['admin', 'reset-totp', 'no@b.example'], 'no user has the address no@b.example'],
    [['admin', 'erase', MERCHANT, 'LIVE', 'customer_email', 'a@b'], `no merchant ${MERCHANT}`],
    [['reconcile', '--date', '2026-01-02'], 'no rails process has offered a rail'],
  ];
  for (const [args, message] of unknown) {
    const { code, stdout, stderr } = await run(...args, '--json');
    t.strictSame({ code, stdout }, { code: 1, stdout: '' }, args.join(' '));
    t.match(stderr, message);
  }
  const refused = await runKasir({ DATABASE_URL: 'postgres://localhost:1/x' }, 'dlq', 'list');
  t.match(refused, { code: 1, stderr: /cannot connect to Postgres: .*ECONNREFUSED/ });
  const nowhere = await runKasir({ DATA_DIR: '/nonexistent' }, 'dlq', 'list');
  t.match(nowhere, { code: 1, stderr: /DATABASE_URL is missing/ });
});

t.test(
  'a reader that closes its pipe early changes no exit code and causes no message',
  async (t) => {
    const calls: readonly (readonly ['stdout' | 'stderr', number, readonly string[]])[] = [
      ['stdout', 0, ['--help']],
      ['stdout', 0, ['migrate', '--json']],
      ['stderr', 2, ['burn']],
      ['stderr', 1, ['dlq', 'show', 'del_none']],
    ];
    for (const [closed, expected, args] of calls) {
      const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
      const child = spawn(process.execPath, [KASIR, ...args], { env, stdio: 'pipe' });
      child[closed].destroy();
      let heard = '';
      const open = closed === 'stdout' ? child.stderr : child.stdout;
      open.on('data', (bytes: Buffer) => (heard += bytes.toString()));
      const [code] = (await once(child, 'exit')) as [number];
      t.strictSame({ code, heard }, { code: expected, heard: '' }, args.join(' '));
    }
  },
);

t.test('package.json names the program, and three npm scripts are aliases of commands', (t) => {
  const root = findPackageRoot();
  const { bin, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    scripts: Record<string, string>;
  };
  const { kasir = '' } = bin;
  t.ok(existsSync(join(root, kasir)));
  t.match(readFileSync(join(root, kasir), 'utf8'), /^#!\/usr\/bin\/env node\n/);
  const aliases = Object.entries(scripts).filter(([, script]) => script.includes(kasir));
  t.strictSame(
    Object.fromEntries(aliases),
    Object.fromEntries(
      Object.entries(ALIASES).map(([name, command]) => [name, `node ${kasir} ${command}`]),
    ),
  );
  t.end();
});
