// In production each part of the environment is safe, or the start is refused unless that part is allowed by name.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { type Environment, readConfig } from '#ops/runtime/config.js';
import { makeFolder } from '#test/support/servers.js';
import { NEEDED, PRODUCTION, OF_RAILS, faultsOf } from './environments.js';

const [CERTIFICATE = ''] = rootCertificates;

type Unsafe = readonly [
  part: string,
  name: string,
  unsafe: readonly string[],
  safe: readonly string[],
];
const INSECURE: readonly Unsafe[] = [
  [
    'base_url',
    'BASE_URL',
    ['http://pay.example.com', 'HTTP://pay.example.com'],
    ['https://pay.example.com', 'HTTPS://pay.example.com'],
  ],
  [
    'redis',
    'REDIS_URL',
    [
      'redis://redis.example:7000',
      'REDIS://redis.example:7000',
      'redis+sentinel://a:1,b:2/main',
      'redis+cluster://a:1,b:2',
      NEEDED.REDIS_URL,
    ],
    [
      'rediss://redis.example:7000',
      'REDISS://redis.example:7000',
      'rediss+sentinel://a:1,b:2/main',
    ],
  ],
  [
    'redis',
    'REDIS_URL_WEBHOOKS',
    ['redis://redis.example:7001', 'Redis://redis.example:7001', 'redis+sentinel://a:1/webhooks'],
    ['rediss://redis.example:7001', 'rediss+sentinel://a:1/webhooks'],
  ],
  ...['DATABASE_URL', 'DATABASE_URL_DIRECT'].map((name): Unsafe => [
    'postgres',
    name,
    [
      NEEDED.DATABASE_URL,
      'postgres://a.example/k?sslmode=prefer',
      'postgres://a.example/k?sslmode=require',
      'postgres://a.example/k?sslmode=verify-ca',
      'postgres://a.example/k?sslmode=Verify-Full',
      'POSTGRES://a.example/k?SSLMODE=verify-full',
      'postgres://a.example/k?sslmode=verify-full&sslmode=disable',
      'postgres://a.example/k?ssl=true',
    ],
    ['postgres://a.example/k?sslmode=verify-full', 'POSTGRES://a.example/k?sslmode=verify-full'],
  ]),
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

t.test(
  'production refuses sslmode=require by name, and takes it with the file of an authority',
  (t) => {
    const DATABASE_URL = 'postgres://a.example/k?sslmode=require';
    t.match(faultsOf({ ...PRODUCTION, DATABASE_URL }), [
      /^DATABASE_URL must end .*sslmode=require accepts any certificate, unless DATABASE_CA_FILE/,
    ]);
    const file = join(makeFolder(t), 'ca.pem');
    writeFileSync(file, CERTIFICATE);
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const url = `postgres://a.example/k?sslmode=${mode}`;
      t.same(faultsOf({ ...PRODUCTION, DATABASE_URL: url, DATABASE_CA_FILE: file }), [], mode);
      t.same(faultsOf({ ...PRODUCTION, DATABASE_URL: `${url}&sslrootcert=${file}` }), [], mode);
    }
    for (const end of ['?sslmode=prefer', '?sslmode=verify-full&sslmode=disable', '']) {
      const url = `postgres://a.example/k${end}`;
      t.ok(faultsOf({ ...PRODUCTION, DATABASE_URL: url, DATABASE_CA_FILE: file }).length > 0, end);
    }
    t.end();
  },
);

t.test('a scheme in capital letters is read as in small ones', (t) => {
  const read = (variables: Environment) => readConfig('gateway', { ...PRODUCTION, ...variables });
  t.equal(
    read({ REDIS_URL: 'REDISS://redis.example:7000' }).redisUrl,
    'rediss://redis.example:7000',
  );
  t.equal(read({ BASE_URL: 'HTTPS://Pay.example/' }).baseUrl, 'https://Pay.example');
  t.end();
});

t.test('in production the address of a rail is https, however it is written', (t) => {
  for (const RAIL_MIDTRANS_URL of ['http://rail.example', 'HTTP://rail.example', 'hTTp://a']) {
    const rail = { RAIL_MIDTRANS_URL, RAIL_MIDTRANS_SERVER_KEY: 'word' };
    t.same(faultsOf({ ...PRODUCTION, ...OF_RAILS, ...rail }, 'rails'), [
      'RAIL_MIDTRANS_URL must begin with https:// (its secret is sent along)',
    ]);
  }
  t.end();
});
