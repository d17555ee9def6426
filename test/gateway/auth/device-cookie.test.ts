// The cookie of a browser that is known: nobody can make one, change one, or use one for another account.
import t from 'tap';
import { createDeviceCookie } from '#gateway/auth/device-cookie.js';
import type { NamedKey } from '#ops/runtime/config.js';

const OWNER = 'owner@example.com';
const DAY_MS = 24 * 60 * 60_000;
const buildKey = (byte: number): NamedKey => ({
  name: String(byte).padStart(8, '0'),
  key: Buffer.alloc(32, byte),
});

const time = { nowMs: 1_800_000_000_000 };
const open = (keys: readonly NamedKey[], baseUrl = 'https://pay.example.com') =>
  createDeviceCookie({ baseUrl, secretsKeys: keys, nowMs: () => time.nowMs });
const devices = open([buildKey(1)]);

/** The pair of name and value, as a browser sends it. */
const make = (account = OWNER, by = devices): string => by.set(account)[1].split(';')[0] ?? '';

t.test('each login gives the browser an id, which is found for its account only', (t) => {
  const [first, second] = [make(), make()];
  const id = devices.find(first, OWNER);
  t.match(id, /^[\w-]{22}$/);
  t.equal(devices.find(`theme=dark; ${first}`, OWNER), id, 'the same one each time');
  t.not(devices.find(second, OWNER), id);
  t.equal(devices.find(first, 'other@example.com'), undefined);
  t.equal(devices.find('', OWNER), undefined);
  t.end();
});

t.test('a cookie that is changed, made up, too long or of another key counts for nothing', (t) => {
  const [name = '', value = ''] = make().split('=');
  // The last character holds bits that are not read.
  for (let at = 0; at < value.length - 1; at += 1) {
    const other = value[at] === 'A' ? 'B' : 'A';
    const changed = `${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`;
    t.equal(devices.find(changed, OWNER), undefined, `at ${at}`);
  }
  for (const made of ['x', 'v1.00000001.', `v1.00000001.${'A'.repeat(80)}`, 'A'.repeat(5_000)]) {
    t.equal(devices.find(`${name}=${made}`, OWNER), undefined);
  }
  t.equal(devices.find(make(OWNER, open([buildKey(2)])), OWNER), undefined);
  t.end();
});

t.test('a cookie is good after a rotation of keys, and until its end', (t) => {
  const cookie = make();
  const rotated = open([buildKey(2), buildKey(1)]);
  t.not(rotated.find(cookie, OWNER), undefined);
  time.nowMs += 179 * DAY_MS;
  t.not(devices.find(cookie, OWNER), undefined);
  time.nowMs += DAY_MS;
  t.equal(devices.find(cookie, OWNER), undefined);
  t.end();
});

t.test('the cookie is bound to the host, and no script reads it', (t) => {
  const secure = devices.set(OWNER)[1];
  t.match(
    secure,
    /^__Host-service_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  const plain = open([buildKey(1)], 'http://localhost:8080').set(OWNER)[1];
  t.match(plain, /^service_device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
  t.end();
});
