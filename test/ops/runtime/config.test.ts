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
const TLS = {
  REDIS_URL: 'rediss://:word@redis.example:7000/0',
  DATABASE_URL: 'postgres://kasir:word@postgres.example:7001/kasir?sslmode=verify-full',
};
const PRODUCTION = {
  ...{ ...NEEDED, ...TLS },
  NODE_ENV: 'production',
  BASE_URL: 'https://pay.example.com/',
};

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
  t.equal(readConfig('gateway', NEEDED).redisWebhooksUrl, NEEDED.REDIS_URL);
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
  const ofRails = { ...needed, COMMAND_KEY_GATEWAY: '', COMMAND_KEY_WEBHOOKS: '' };
  t.same(faultsOf({ ...ofRails, ...midtrans }, 'rails'), []);
  t.same(faultsOf({ ...PRODUCTION, ...ofRails, ...TLS, ...midtrans }, 'rails'), [
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

t.test('behind PgBouncer, payments and webhooks need the address of Postgres itself', (t) => {
  const keys = { ...NEEDED, ...OTHER_KEYS };
  const pooled = `${NEEDED.DATABASE_URL}?pooling=transaction`;
  const fault =
    'DATABASE_URL_DIRECT must be an address past PgBouncer, since DATABASE_URL has ?pooling=transaction';
  t.same(faultsOf({ ...keys, DATABASE_URL: pooled }, 'gateway'), []);
  t.same(faultsOf({ ...keys, DATABASE_URL: pooled }, 'payments'), [fault]);
  t.same(faultsOf({ ...keys, DATABASE_URL: pooled }, 'webhooks'), [fault]);
  t.same(faultsOf({ ...keys, DATABASE_URL_DIRECT: pooled }, 'webhooks'), [fault]);
  const direct = { DATABASE_URL: pooled, DATABASE_URL_DIRECT: NEEDED.DATABASE_URL };
  t.same(faultsOf({ ...keys, ...direct }, 'webhooks'), []);
  t.equal(readConfig('webhooks', { ...keys, ...direct }).databaseUrlDirect, NEEDED.DATABASE_URL);
  t.equal(readConfig('webhooks', keys).databaseUrlDirect, NEEDED.DATABASE_URL);
  t.same(faultsOf({ ...keys, DATABASE_URL: `${NEEDED.DATABASE_URL}?pooling=session` }), [
    'DATABASE_URL must be postgres://user:password@host:port/database, behind PgBouncer with ?pooling=transaction',
  ]);
  t.end();
});

t.test('in production a process refuses the secrets of another one', (t) => {
  const given = {
    ...{ ...PRODUCTION, ...OTHER_KEYS },
    ...{ RAIL_MIDTRANS_SERVER_KEY: 'word', RAIL_XENDIT_SECRET_KEY: 'word' },
  };
  t.same(faultsOf(given), [
    'COMMAND_KEY_RAILS must not be given to gateway in production, only to rails and payments',
    'COMMAND_KEY_WEBHOOKS must not be given to gateway in production, only to webhooks and payments',
    'RAIL_MIDTRANS_SERVER_KEY must not be given to gateway in production, only to rails',
    'RAIL_XENDIT_SECRET_KEY must not be given to gateway in production, only to rails',
  ]);
  t.same(
    faultsOf({ ...given, NODE_ENV: 'development' }),
    [],
    'in development they may share an environment',
  );
  t.end();
});

t.test('wrong numbers', (t) => {
  for (const PORT of ['0', '-1', '1e3', '0x10', '80.5', 'abc', '99999999999999999999']) {
    t.equal(faultsOf({ ...NEEDED, PORT }).length, 1, PORT);
  }
  t.end();
});

t.test('production', (t) => {
  const config = readConfig('gateway', PRODUCTION);
  t.equal(config.isProduction, true);
  t.equal(config.baseUrl, 'https://pay.example.com');
  t.equal(config.metricsHost, '127.0.0.1');
  t.match(faultsOf({ ...PRODUCTION, WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8' }), [
    /WEBHOOK_ALLOW_TARGETS/,
  ]);
  t.match(faultsOf({ ...PRODUCTION, BASE_URL: '' }), [/BASE_URL/]);
  t.match(faultsOf({ ...PRODUCTION, NODE_ENV: 'prod' }), [/^NODE_ENV must be production, /]);
  t.end();
});

const INSECURE: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ['base_url', 'BASE_URL', ['http://pay.example.com'], ['https://pay.example.com']],
  [
    'redis',
    'REDIS_URL',
    ['redis://redis.example:7000', 'redis+sentinel://a:1/main', NEEDED.REDIS_URL],
    ['rediss://redis.example:7000', 'rediss+sentinel://a:1/main'],
  ],
  [
    'redis',
    'REDIS_URL_WEBHOOKS',
    ['redis://redis.example:7001', 'redis+sentinel://a:1/webhooks'],
    ['rediss://redis.example:7001', 'rediss+sentinel://a:1/webhooks'],
  ],
  [
    'postgres',
    'DATABASE_URL',
    [
      NEEDED.DATABASE_URL,
      'postgres://a.example/k?sslmode=prefer',
      'postgres://a.example/k?sslmode=require&sslmode=disable',
      'postgres://a.example/k?ssl=true',
    ],
    ['postgres://a.example/k?sslmode=require', 'postgres://a.example/k?sslmode=verify-ca'],
  ],
  [
    'metrics',
    'METRICS_HOST',
    ['0.0.0.0', '::', '203.0.113.7', '172.32.0.1', '2001:db8::1'],
    ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '::1', 'fd00::7'],
  ],
];

for (const [part, name, unsafe, safe] of INSECURE) {
  t.test(`production with an unsafe ${name} does not start unless it is allowed`, (t) => {
    for (const value of unsafe) {
      const faults = faultsOf({ ...PRODUCTION, [name]: value });
      t.match(faults, [new RegExp(`^${name} must .* ALLOW_INSECURE must contain ${part} `)], value);
      t.equal(faults.length, 1);
      const others = INSECURE.map(([other]) => other).filter((other) => other !== part);
      const ALLOW_INSECURE = others.join(',');
      t.equal(faultsOf({ ...PRODUCTION, [name]: value, ALLOW_INSECURE }).length, 1);
      t.same(faultsOf({ ...PRODUCTION, [name]: value, ALLOW_INSECURE: part }), []);
      t.same(faultsOf({ ...NEEDED, NODE_ENV: 'development', [name]: value }), []);
    }
    for (const value of safe) t.same(faultsOf({ ...PRODUCTION, [name]: value }), [], value);
    t.end();
  });
}

t.test('every process checks the same', (t) => {
  for (const name of ['gateway', 'payments', 'rails', 'webhooks', 'start'] as const) {
    t.match(faultsOf({ ...PRODUCTION, REDIS_URL: NEEDED.REDIS_URL }, name).join(), 'REDIS_URL');
  }
  t.match(faultsOf({ ...PRODUCTION, ALLOW_INSECURE: 'all' }), [
    'ALLOW_INSECURE must be empty, or some of base_url, redis, postgres, metrics, not "all"',
  ]);
  t.end();
});

t.test('a public BASE_URL needs NODE_ENV', (t) => {
  for (const host of ['pay.example.com', '203.0.113.7', '[2001:db8::1]', 'localhost.example.com']) {
    const BASE_URL = `https://${host}`;
    t.match(faultsOf({ ...NEEDED, BASE_URL }), [/^NODE_ENV is missing: /], host);
    t.same(faultsOf({ ...NEEDED, BASE_URL, NODE_ENV: 'development' }), []);
  }
  for (const host of [
    'localhost:8080',
    '127.0.0.1',
    '10.0.0.1',
    '[::1]',
    'gateway',
    'a.localhost',
  ]) {
    t.same(faultsOf({ ...NEEDED, BASE_URL: `http://${host}` }), [], host);
  }
  t.end();
});
