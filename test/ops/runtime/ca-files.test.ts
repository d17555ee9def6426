// The files of authorities: read at the start, and carried by the addresses of the servers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { readConfig } from '#ops/runtime/config.js';
import { listPostgresAddresses } from '#ops/runtime/addresses/postgres-address.js';
import { parseRedisAddress } from '#ops/runtime/addresses/redis-address.js';
import { makeFolder } from '#test/support/servers.js';
import { faultsOf, NEEDED, TLS } from './environments.js';

const folder = makeFolder(t);

function writeFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const CA = writeFile('ca & more.pem', rootCertificates.slice(0, 2).join('\n'));
const WRONG = [
  [join(folder, 'absent.pem'), 'ENOENT'],
  [folder, 'EISDIR'],
  [writeFile('empty.pem', ''), 'it has no "-----BEGIN CERTIFICATE-----"'],
  [
    writeFile('key.pem', '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----'),
    'it has no',
  ],
  [
    writeFile(
      'half.pem',
      `${rootCertificates[0]}\n-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----`,
    ),
    'asn1',
  ],
] as const;

t.test(
  'a file that is no list of certificates is a fault that names variable, file and reason',
  (t) => {
    for (const name of ['DATABASE_CA_FILE', 'REDIS_CA_FILE', 'WEBHOOK_CA_FILE']) {
      for (const [file, reason] of WRONG) {
        const [fault, ...others] = faultsOf({ ...NEEDED, ...TLS, [name]: file });
        t.same(others, []);
        t.match(fault, `${name} must be a PEM file with the certificates of authorities (`);
        t.match(fault, reason);
        t.match(fault, JSON.stringify(file));
      }
    }
    const DATABASE_URL = `${TLS.DATABASE_URL}&sslrootcert=${folder}/absent.pem`;
    t.match(faultsOf({ ...NEEDED, DATABASE_URL }), [
      /^DATABASE_URL must be .* sslrootcert .*ENOENT/,
    ]);
    t.end();
  },
);

t.test('every address with TLS carries the file, and the driver gets the rest', (t) => {
  const config = readConfig('gateway', {
    ...{ ...NEEDED, ...TLS, DATABASE_CA_FILE: CA, REDIS_CA_FILE: CA },
    DATABASE_URL: `${TLS.DATABASE_URL}&pooling=transaction`,
    DATABASE_URL_DIRECT: 'postgres://10.0.0.1/kasir?sslmode=require',
    REDIS_URL_WEBHOOKS: 'rediss+sentinel://:word@a:1,b:2/main/3?sentinel_password=x',
  });
  t.match(listPostgresAddresses(config.databaseUrl)[0], {
    url: TLS.DATABASE_URL,
    isPooled: true,
    server: 'Postgres at postgres.example:7001',
    ssl: { ca: /BEGIN CERTIFICATE/, host: 'postgres.example', checkServerIdentity: undefined },
  });
  t.match(listPostgresAddresses(config.databaseUrlDirect)[0], {
    url: 'postgres://10.0.0.1/kasir?sslmode=require',
    isPooled: false,
    server: 'Postgres at 10.0.0.1:5432',
    ssl: { ca: /BEGIN CERTIFICATE/, host: '10.0.0.1', checkServerIdentity: Function },
  });
  t.match(parseRedisAddress(config.redisUrl), {
    ...{ url: TLS.REDIS_URL, server: 'Redis at redis.example:7000' },
    authorities: /BEGIN CERTIFICATE/,
  });
  t.match(parseRedisAddress(config.redisWebhooksUrl), {
    url: 'rediss+sentinel://:word@a:1,b:2/main/3?sentinel_password=x',
    ...{ server: 'Redis at a:1,b:2', authorities: /BEGIN CERTIFICATE/ },
  });
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = config;
  const child = readConfig('gateway', { ...NEEDED, DATABASE_URL, REDIS_URL, REDIS_CA_FILE: CA });
  t.match(child, { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL }, 'also as a variable');
  t.end();
});

t.test(
  'a file that no address uses is a fault, and an address without TLS beside one is not',
  (t) => {
    const files = { DATABASE_CA_FILE: CA, REDIS_CA_FILE: CA };
    t.same(faultsOf({ ...NEEDED, ...files }), [
      'DATABASE_URL must end with ?sslmode=verify-full, since DATABASE_CA_FILE is given',
      'REDIS_URL must begin with rediss://, rediss+sentinel:// or rediss+cluster://, since REDIS_CA_FILE is given',
    ]);
    const mixed = { DATABASE_URL_DIRECT: TLS.DATABASE_URL, REDIS_URL_WEBHOOKS: TLS.REDIS_URL };
    t.same(faultsOf({ ...NEEDED, ...files, ...mixed }), []);
    t.match(readConfig('gateway', { ...NEEDED, ...files, ...mixed }), {
      databaseUrl: NEEDED.DATABASE_URL,
      redisUrl: NEEDED.REDIS_URL,
    });
    t.end();
  },
);
