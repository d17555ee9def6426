import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import t from 'tap';
import {
  API_KEY_RANDOM_BYTES,
  digestApiKey,
  makeApiKey,
  parseApiKey,
  showApiKey,
} from '#actors/core/api-key.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const newBytes = (): Buffer => randomBytes(API_KEY_RANDOM_BYTES);

t.test('a key has its form and shows its environment', (test) => {
  for (let count = 0; count < 200; count += 1) {
    const live = makeApiKey('LIVE', newBytes());
    test.match(live, /^sk_live_[0-9A-Za-z]{38}$/);
    test.equal(parseApiKey(live), 'LIVE');
    test.equal(parseApiKey(makeApiKey('TEST', newBytes())), 'TEST');
  }
  test.end();
});

t.test('the check characters are the CRC-32 of the rest in base 62', (test) => {
  const key = makeApiKey('TEST', newBytes());
  const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0);
  test.equal(value, crc32(key.slice(0, -6)));
  test.end();
});

t.test('a key with one wrong, missing or swapped character is rejected', (test) => {
  const key = makeApiKey('TEST', newBytes());
  for (let index = 8; index < key.length; index += 1) {
    const other = key[index] === 'a' ? 'b' : 'a';
    test.equal(parseApiKey(key.slice(0, index) + other + key.slice(index + 1)), undefined);
    test.equal(parseApiKey(key.slice(0, index) + key.slice(index + 1)), undefined);
    const [left, right] = [key[index], key[index + 1]];
    if (right === undefined || left === right) continue;
    const swapped = key.slice(0, index) + right + left + key.slice(index + 2);
    test.equal(parseApiKey(swapped), undefined);
  }
  test.equal(
    parseApiKey(key.replace('sk_test_', 'sk_live_')),
    undefined,
    'the check covers the prefix',
  );
  test.end();
});

t.test('other texts are rejected', (test) => {
  for (const text of [
    '',
    'sk_test_',
    'cs_abc',
    `${makeApiKey('TEST', newBytes())}\n`,
    'pk_test_x',
  ]) {
    test.equal(parseApiKey(text), undefined);
  }
  test.end();
});

t.test('bytes that would favour characters are dropped', (test) => {
  const bytes = Buffer.concat([Buffer.alloc(64, 255), Buffer.alloc(32, 61)]);
  test.equal(makeApiKey('TEST', bytes).slice(8, 40), 'z'.repeat(32));
  test.throws(() => makeApiKey('TEST', Buffer.alloc(96, 248)), RangeError);
  test.throws(() => makeApiKey('TEST', Buffer.alloc(31)), RangeError);
  test.end();
});

t.test('the digest is SHA-256, and lists show prefix and last four characters', (test) => {
  const key = makeApiKey('TEST', newBytes());
  test.same(digestApiKey(key), createHash('sha256').update(key).digest());
  test.same(showApiKey(key), { prefix: 'sk_test_', lastFour: key.slice(-4) });
  test.end();
});
