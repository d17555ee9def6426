// The environment: presets, every fault in one message, no secret in it.
import t from 'tap';
import { listPostgresAddresses } from '#ops/runtime/addresses/postgres-address.js';
import { readConfig } from '#ops/runtime/config.js';
import { NEEDED, OTHER_KEYS, TLS, PRODUCTION, faultsOf } from './environments.js';

t.test('presets', (t) => {
  const config = readConfig('gateway', NEEDED);
  t.equal(config.port, 8080);
  t.equal(config.baseUrl, 'http://localhost:8080');
  t.equal(config.partitions, 16);
  t.equal(config.shutdownMs, 65_000);
  t.same(config.idKey, Buffer.alloc(32, 1));
  t.equal(config.secretsKeys.length, 1);
  t.equal(config.webhooks.retrySeconds, null);
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

t.test('the sender of mails is an address, with or without a name', (t) => {
  const read = (MAIL_FROM: string) => readConfig('gateway', { ...NEEDED, MAIL_FROM }).mail.from;
  t.same(read('kasir@kopi.example'), { name: null, address: 'kasir@kopi.example' });
  t.same(read('Kopi Kita <kasir@localhost>'), { name: 'Kopi Kita', address: 'kasir@localhost' });
  t.same(read('"Kopi, Kita" <a@b.example>'), { name: 'Kopi, Kita', address: 'a@b.example' });
  for (const wrong of [
    'abc',
    'a@',
    '@b',
    'a@b c',
    'Kopi <>',
    'Kopi <a@b',
    'a@b, c@d',
    '<a@b> Kopi',
  ]) {
    t.match(faultsOf({ ...NEEDED, MAIL_FROM: wrong }), [
      /^MAIL_FROM must be an address, or a name/,
    ]);
  }
  t.end();
});

t.test('an address with several hosts leads to the primary', (t) => {
  const hosts = 'postgres://kasir:word@a.example:5432,b.example/kasir';
  const read = (DATABASE_URL: string): string =>
    readConfig('gateway', { ...NEEDED, DATABASE_URL }).databaseUrl;
  const primary = `${hosts}?target_session_attrs=primary`;
  t.equal(read(primary), primary);
  t.same(
    listPostgresAddresses(primary).map(({ url, server }) => [url, server]),
    [
      ['postgres://kasir:word@a.example:5432/kasir', 'Postgres at a.example:5432'],
      ['postgres://kasir:word@b.example/kasir', 'Postgres at b.example:5432'],
    ],
  );
  const one = `${NEEDED.DATABASE_URL}?target_session_attrs=`;
  for (const wrong of [hosts, `${hosts}?target_session_attrs=read-write`, `${one}read-write`]) {
    t.match(faultsOf({ ...NEEDED, DATABASE_URL: wrong }), [
      /^DATABASE_URL must be .* target_session_attrs=primary, .*read-write is not enough/,
    ]);
  }
  t.match(faultsOf({ ...NEEDED, DATABASE_URL: `${primary}&pooling=transaction` }), [
    /^DATABASE_URL must be an address of one PgBouncer/,
  ]);
  t.match(faultsOf({ ...PRODUCTION, ...TLS, DATABASE_URL: primary }), [
    /^DATABASE_URL must end with \?sslmode=verify-full/,
  ]);
  t.end();
});

t.test('the address of a standby names one server, whichever it is', (t) => {
  const read = (DATABASE_URL_REPLICA: string): string | null =>
    readConfig('gateway', { ...NEEDED, DATABASE_URL_REPLICA }).databaseUrlReplica;
  t.equal(read('postgres://standby.example/kasir'), 'postgres://standby.example/kasir');
  t.equal(read(''), null);
  for (const wrong of ['postgres://a,b/kasir', 'postgres://a/kasir?target_session_attrs=primary']) {
    t.match(faultsOf({ ...NEEDED, DATABASE_URL_REPLICA: wrong }), [
      /^DATABASE_URL_REPLICA must be an address of one server/,
    ]);
  }
  t.match(faultsOf({ ...PRODUCTION, ...TLS, DATABASE_URL_REPLICA: 'postgres://a/kasir' }), [
    /^DATABASE_URL_REPLICA must end with \?sslmode=verify-full/,
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

t.test(
  'a command key with the value of another key is refused by a process that sees both',
  (t) => {
    const all = { ...NEEDED, ...OTHER_KEYS };
    const { COMMAND_KEY_GATEWAY: gateway, COMMAND_KEY_RAILS: rails } = all;
    const says = (variable: string, other: string): string =>
      `${variable} must have no key of ${other}: a process that holds one could sign commands of another process. Make a key for each: openssl rand -hex 32`;
    const ofGateway = says('COMMAND_KEY_GATEWAY', 'COMMAND_KEY_RAILS');
    for (const name of ['payments', 'gateway', 'start'] as const) {
      t.same(faultsOf({ ...all, COMMAND_KEY_GATEWAY: rails }, name), [ofGateway], name);
    }
    const rotating = `${gateway},${Buffer.from(rails, 'hex').toString('base64')}`;
    t.same(
      faultsOf({ ...all, COMMAND_KEY_GATEWAY: rotating }, 'payments'),
      [ofGateway],
      'the second',
    );
    t.same(
      faultsOf({ ...all, COMMAND_KEY_WEBHOOKS: gateway, COMMAND_KEY_RAILS: gateway }, 'payments'),
      [
        ofGateway,
        says('COMMAND_KEY_GATEWAY', 'COMMAND_KEY_WEBHOOKS'),
        says('COMMAND_KEY_RAILS', 'COMMAND_KEY_WEBHOOKS'),
      ],
    );
    for (const shared of ['SECRETS_KEY', 'ID_KEY', 'CALLBACK_KEY']) {
      const faults = faultsOf({ ...all, [shared]: rails }, 'payments');
      t.same(faults, [says('COMMAND_KEY_RAILS', shared)], 'every process holds it');
    }
    t.same(faultsOf({ ...all, CALLBACK_KEY: NEEDED.ID_KEY }, 'payments'), []);
    t.end();
  },
);

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
    faultsOf({
      ...PRODUCTION,
      RAIL_LATER_API_TOKEN: 'word',
      RAIL_LATER_URL: 'http://later.example',
    }),
    [
      'RAIL_LATER_URL must begin with https:// (its secret is sent along)',
      'RAIL_LATER_API_TOKEN must not be given to gateway in production, only to rails',
    ],
    'of a rail that this version does not have too',
  );
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
