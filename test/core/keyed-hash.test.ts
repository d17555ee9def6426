import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { createKeyedHash } from '#actors/core/keyed-hash.js';

const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
const messages = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 3_000 }),
  fc.constantFrom(0, 1, 21_823, 21_824, 21_825, 40_000).map((length) => '\u20ac'.repeat(length)),
);

t.test('a keyed hash of any message is that of createHmac', (t) => {
  fc.assert(
    fc.property(keys, fc.array(messages, { minLength: 1, maxLength: 4 }), (key, several) => {
      const hashKeyed = createKeyedHash(key);
      for (const message of several) {
        for (const encoding of ['hex', 'base64url'] as const) {
          const expected = createHmac('sha256', key).update(message).digest(encoding);
          if (hashKeyed(message, encoding) !== expected) return false;
        }
      }
      return true;
    }),
  );
  t.end();
});

t.test('a key that is longer than a block is refused', (t) => {
  t.throws(() => createKeyedHash(Buffer.alloc(65)), /longer than a block/);
  t.end();
});
