// The environment: presets, every fault in one message, no secret in it.
import t from 'tap';
import { type ConfigError, type ProcessName, readConfig } from '#ops/runtime/config.js';

const KEY = 'ab'.repeat(32);
const NEEDED = {
  REDIS_URL: 'redis://:word@127.0.0.1:7000/0',
  DATABASE_URL: 'postgres://kasir:word@127.0.0.1:7001/kasir',
  SECRETS_KEY: KEY,
  ID_KEY: Buffer.alloc(32, 1).toString('base64'),
  COMMAND_KEY_GATEWAY: KEY,
};
const OTHER_KEYS = { COMMAND_KEY_RAILS: KEY, COMMAND_KEY_WEBHOOKS: KEY };

function faultsOf(
  environment: Record<string, string>,
  name: ProcessName = 'gateway',
): readonly string[] {
  try {
    readConfig(name, environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

t.test('presets', (t) => {
  const config = readConfig('gateway', NEEDED);
  t.equal(config.port, 8080);
  t.equal(config.baseUrl, 'http://localhost:8080');
  t.equal(config.partitions, 16);
  t.equal(config.shutdownMs, 65_000);
  t.same(config.idKey, Buffer.alloc(32, 1));
  t.equal(config.secretsKeys.length, 1);
  t.equal(config.webhooks.retrySeconds.length, 11);
  t.equal(
    readConfig('payments', { ...NEEDED, ...OTHER_KEYS }).metricsPort,
    9465,
    'each process has a port of its own',
  );
  t.equal(readConfig('start', {}).redisUrl, '', 'npm start makes up what is missing');
  t.end();
});

t.test('an empty variable is an absent one', (t) => {
  t.equal(readConfig('gateway', { ...NEEDED, PORT: ' ' }).port, 8080);
  t.same(faultsOf({ ...NEEDED, ID_KEY: '' }), ['ID_KEY is missing']);
  t.end();
});

t.test('every fault is told at once', (t) => {
  const faults = faultsOf({
    PORT: '70000',
    TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/40',
    WEBHOOK_RETRY_SCHEDULE: '5,0',
    RAIL_ROUTES: 'QRIS',
    REDIS_URL: NEEDED.REDIS_URL,
    DATABASE_URL: NEEDED.DATABASE_URL,
  });
  const names = faults.map((fault) => fault.split(' ')[0]);
  t.same(names.sort(), [
    'COMMAND_KEY_GATEWAY',
    'ID_KEY',
    'PORT',
    'RAIL_ROUTES',
    'SECRETS_KEY',
    'TRUSTED_PROXIES',
    'WEBHOOK_RETRY_SCHEDULE',
  ]);
  t.end();
});

t.test('no secret is in a message', (t) => {
  const word = 'top-secret-word';
  const faults = faultsOf({ REDIS_URL: word, DATABASE_URL: word, SECRETS_KEY: word, ID_KEY: word });
  t.equal(faults.length, 5);
  t.notMatch(faults.join('\n'), word);
  t.end();
});

t.test('a rail needs its secrets, and HTTPS in production', (t) => {
  const rails = { RAIL_MIDTRANS_URL: 'http://localhost:1/m', RAIL_XENDIT_URL: 'https://x.example' };
  const needed = { ...NEEDED, ...OTHER_KEYS };
  t.same(faultsOf({ ...needed, ...rails, RAIL_XENDIT_SECRET_KEY: 'word' }, 'rails'), [
    'RAIL_MIDTRANS_SERVER_KEY is missing (RAIL_MIDTRANS_URL is given)',
    'RAIL_XENDIT_CALLBACK_TOKEN is missing (RAIL_XENDIT_URL is given)',
  ]);
  const midtrans = { RAIL_MIDTRANS_URL: 'http://m.example', RAIL_MIDTRANS_SERVER_KEY: 'word' };
  const production = { NODE_ENV: 'production', BASE_URL: 'https://pay.example.com' };
  const ofRails = { ...needed, COMMAND_KEY_GATEWAY: '', COMMAND_KEY_WEBHOOKS: '' };
  t.same(faultsOf({ ...ofRails, ...midtrans }, 'rails'), []);
  t.same(faultsOf({ ...ofRails, ...midtrans, ...production }, 'rails'), [
    'RAIL_MIDTRANS_URL must begin with https:// (its secret is sent along)',
  ]);
  t.end();
});

t.test('each process needs the keys of its commands; the payments process needs all', (t) => {
  const keys = ['COMMAND_KEY_GATEWAY', 'COMMAND_KEY_RAILS', 'COMMAND_KEY_WEBHOOKS'];
  const none = { ...NEEDED, COMMAND_KEY_GATEWAY: '' };
  for (const [name, needed] of [
    ['gateway', keys.slice(0, 1)],
    ['rails', keys.slice(1, 2)],
    ['webhooks', keys.slice(2)],
    ['payments', keys],
  ] as const) {
    t.same(
      faultsOf(none, name),
      needed.map((key) => `${key} is missing`),
      name,
    );
  }
  t.end();
});

t.test('in production a process refuses the secrets of another one', (t) => {
  const given = {
    ...{ ...NEEDED, ...OTHER_KEYS, NODE_ENV: 'production', BASE_URL: 'https://pay.example.com' },
    ...{ RAIL_MIDTRANS_SERVER_KEY: 'word', RAIL_XENDIT_SECRET_KEY: 'word' },
  };
  t.same(faultsOf(given), [
    'COMMAND_KEY_RAILS must not be given to gateway in production, only to rails and payments',
    'COMMAND_KEY_WEBHOOKS must not be given to gateway in production, only to webhooks and payments',
    'RAIL_MIDTRANS_SERVER_KEY must not be given to gateway in production, only to rails',
    'RAIL_XENDIT_SECRET_KEY must not be given to gateway in production, only to rails',
  ]);
  t.same(faultsOf({ ...given, NODE_ENV: '' }), [], 'in development they may share an environment');
  t.end();
});

t.test('wrong numbers', (t) => {
  for (const PORT of ['0', '-1', '1e3', '0x10', '80.5', 'abc', '99999999999999999999']) {
    t.equal(faultsOf({ ...NEEDED, PORT }).length, 1, PORT);
  }
  t.end();
});

t.test('production', (t) => {
  const production = { ...NEEDED, NODE_ENV: 'production', BASE_URL: 'https://pay.example.com/' };
  const config = readConfig('gateway', production);
  t.equal(config.isProduction, true);
  t.equal(config.baseUrl, 'https://pay.example.com');
  t.match(faultsOf({ ...production, WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8' }), [
    /WEBHOOK_ALLOW_TARGETS/,
  ]);
  t.match(faultsOf({ ...NEEDED, NODE_ENV: 'production' }), [/BASE_URL/]);
  t.end();
});
