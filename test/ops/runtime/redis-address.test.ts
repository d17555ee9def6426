// The addresses of a Redis behind Sentinels and of a Redis Cluster, and what is none.
import t from 'tap';
import { readConfig } from '#ops/runtime/config.js';
import { parseClusterUrl, parseSentinelUrl } from '#ops/runtime/addresses/redis-address.js';

const PLAIN = {
  ...{ master: 'm', username: null, password: null, database: 0 },
  ...{ sentinelPassword: null, isTls: false },
};

t.test('addresses', (t) => {
  t.strictSame(parseSentinelUrl('redis+sentinel://a.example,10.0.0.2:5000,[::1]:6000/m'), {
    ...PLAIN,
    sentinels: [
      { host: 'a.example', port: 26_379 },
      { host: '10.0.0.2', port: 5_000 },
      { host: '::1', port: 6_000 },
    ],
  });
  t.strictSame(
    parseSentinelUrl('rediss+sentinel://app:w%40rd:x@a:1/the-master/3?sentinel_password=s%2Ft'),
    {
      ...{ sentinels: [{ host: 'a', port: 1 }], master: 'the-master', database: 3, isTls: true },
      ...{ username: 'app', password: 'w@rd:x', sentinelPassword: 's/t' },
    },
  );
  t.match(parseSentinelUrl('redis+sentinel://:word@a/m'), { username: null, password: 'word' });
  t.end();
});

t.test('addresses of a cluster', (t) => {
  t.strictSame(parseClusterUrl('redis+cluster://a.example,[::1]:7000'), {
    nodes: [
      { host: 'a.example', port: 6_379 },
      { host: '::1', port: 7_000 },
    ],
    ...{ username: null, password: null, isTls: false },
  });
  t.match(parseClusterUrl('rediss+cluster://app:w%40rd@a:1,b:2/'), {
    ...{ username: 'app', password: 'w@rd', isTls: true },
  });
  for (const wrong of ['redis+cluster://', 'redis+cluster://a:1/2', 'redis+cluster://a:0']) {
    t.equal(parseClusterUrl(wrong), undefined, wrong);
  }
  t.end();
});

const WRONG = [
  'redis+sentinel://a:1',
  'redis+sentinel:///m',
  'redis+sentinel://a:0/m',
  'redis+sentinel://a:70000/m',
  'redis+sentinel://a:1,/m',
  'redis+sentinel://a b:1/m',
  'redis+sentinel://:%zz@a:1/m',
  'redis+sentinel://a:1/m?password=x',
  'redis://a:1/m',
];

t.test('an address of another form is undefined', (t) => {
  for (const url of WRONG) t.equal(parseSentinelUrl(url), undefined, url);
  t.end();
});

t.test('a process takes all forms, and names no password when it refuses', (t) => {
  const read = (REDIS_URL: string): string => readConfig('start', { REDIS_URL }).redisUrl;
  for (const url of [
    'redis://:x@a:1/0',
    'rediss://a:1',
    'redis+sentinel://:x@a:1,b:2/m',
    'redis+cluster://:x@a:1,b:2',
  ]) {
    t.equal(read(url), url);
  }
  t.throws(() => read('redis+sentinel://:top-secret@a:1'), /REDIS_URL.*redis\+sentinel/);
  t.throws(() => read('http://:top-secret@a:1'), { message: /^(?!.*top-secret)/s });
  t.end();
});
