// Secrets from files: by a variable that ends in _FILE, and as credentials of systemd.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { inheritEnvironment, readConfig } from '#ops/runtime/config.js';
import { openApi } from '#test/support/api.js';
import { startService, TEST_KEYS } from '#test/support/processes.js';
import { makeFolder } from '#test/support/servers.js';
import { OTHER_KEYS, faultsOf, KEY, NEEDED, PRODUCTION } from './environments.js';

const folder = makeFolder(t);

function writeSecret(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const WITHOUT = { ...NEEDED, SECRETS_KEY: '' };
const FILE = writeSecret('key', `${KEY}\n`);

t.test('a variable that ends in _FILE names a file with the secret', (t) => {
  const config = readConfig('gateway', { ...WITHOUT, SECRETS_KEY_FILE: FILE });
  t.same(config.secretsKeys, readConfig('gateway', NEEDED).secretsKeys);
  const url = writeSecret('url', `${NEEDED.DATABASE_URL}\r\n`);
  const { databaseUrl } = readConfig('gateway', {
    ...{ ...NEEDED, DATABASE_URL: '', DATABASE_URL_FILE: url },
  });
  t.equal(databaseUrl, NEEDED.DATABASE_URL);
  t.end();
});

t.test('a credential of systemd is a file with the name of the variable', (t) => {
  writeSecret('credentials/SECRETS_KEY', KEY);
  const CREDENTIALS_DIRECTORY = join(folder, 'credentials');
  const config = readConfig('gateway', { ...WITHOUT, CREDENTIALS_DIRECTORY });
  t.same(config.secretsKeys, readConfig('gateway', NEEDED).secretsKeys);
  t.match(faultsOf({ ...NEEDED, CREDENTIALS_DIRECTORY }), [
    'SECRETS_KEY is given more than once, by SECRETS_KEY and the file SECRETS_KEY in CREDENTIALS_DIRECTORY: give one of them',
  ]);
  t.end();
});

t.test('a credential that cannot be reached is a fault that says why', (t) => {
  const CREDENTIALS_DIRECTORY = join(folder, 'unreachable');
  mkdirSync(CREDENTIALS_DIRECTORY);
  symlinkSync('SECRETS_KEY', join(CREDENTIALS_DIRECTORY, 'SECRETS_KEY'));
  const [fault] = faultsOf({ ...WITHOUT, CREDENTIALS_DIRECTORY });
  t.match(fault, /^the file SECRETS_KEY in CREDENTIALS_DIRECTORY must be .*: ELOOP/);
  t.end();
});

t.test('a secret of a rail is read from a file and from a credential of systemd', (t) => {
  writeSecret('rails/RAIL_XENDIT_SECRET_KEY', 'secret');
  const { rails } = readConfig('rails', {
    ...{ ...NEEDED, ...OTHER_KEYS },
    RAIL_XENDIT_CALLBACK_TOKEN_FILE: writeSecret('token', 'word\n'),
    CREDENTIALS_DIRECTORY: join(folder, 'rails'),
  });
  t.same(rails.variables, {
    RAIL_XENDIT_SECRET_KEY: 'secret',
    RAIL_XENDIT_CALLBACK_TOKEN: 'word',
  });
  t.end();
});

t.test('a secret that is given twice, or in a file that has none, is a fault', (t) => {
  t.match(faultsOf({ ...NEEDED, SECRETS_KEY_FILE: FILE }), [
    'SECRETS_KEY is given more than once, by SECRETS_KEY and SECRETS_KEY_FILE: give one of them',
  ]);
  const wrong = [
    [join(folder, 'absent'), /ENOENT/],
    [folder, /EISDIR/],
    [writeSecret('empty', ' \n'), /it is empty/],
    [writeSecret('large', 'a'.repeat(70_000)), /more than 65536 bytes/],
  ] as const;
  for (const [path, reason] of wrong) {
    const faults = faultsOf({ ...WITHOUT, SECRETS_KEY_FILE: path });
    t.match(faults[0], 'SECRETS_KEY_FILE must be a file with the secret alone (');
    t.match(faults[0], reason);
  }
  const leaked = faultsOf({ ...WITHOUT, SECRETS_KEY_FILE: writeSecret('bad', 'no key at all') });
  t.match(leaked, [/^SECRETS_KEY must be 32 bytes/]);
  t.notMatch(leaked.join(), 'no key at all');
  t.end();
});

t.test('in production a process refuses the file of a secret of others', (t) => {
  const RAIL_MIDTRANS_SERVER_KEY_FILE = writeSecret('rail', 'SB-Mid-server-1');
  t.match(faultsOf({ ...PRODUCTION, RAIL_MIDTRANS_SERVER_KEY_FILE }), [
    /^RAIL_MIDTRANS_SERVER_KEY must not be given to gateway in production/,
  ]);
  t.end();
});

t.test('children of npm start get the secrets, and not the names of files', (t) => {
  process.env['SMTP_URL_FILE'] = writeSecret('smtp', 'smtp://mail.example:25\n');
  t.teardown(() => delete process.env['SMTP_URL_FILE']);
  const inherited = inheritEnvironment();
  t.equal(inherited['SMTP_URL'], 'smtp://mail.example:25');
  t.notOk('SMTP_URL_FILE' in inherited);
  t.end();
});

t.test(
  'a service whose secrets are in files takes a payment, and no environment has them',
  async (t) => {
    const secrets = Object.entries(TEST_KEYS).filter(([name]) => name.includes('KEY'));
    const files = secrets.map(([name, value]) => {
      const path = writeSecret(`run/${name}`, `${String(value)}\n`);
      chmodSync(path, 0o400);
      return [
        [`${name}_FILE`, path],
        [name, ''],
      ] as const;
    });
    const service = await startService(t, { variables: Object.fromEntries(files.flat()) });
    const api = openApi(service.baseUrl, service.merchant.testKey);
    const made = await api.create({ amount: '150000', payment_method: 'QRIS' });
    t.equal(made.status, 201, made.text);
    for (const running of [...service.gateways, ...service.payments]) {
      const environment = readFileSync(`/proc/${running.pid()}/environ`, 'utf8');
      for (const [name, value] of secrets) t.notOk(environment.includes(String(value)), name);
    }
  },
);
