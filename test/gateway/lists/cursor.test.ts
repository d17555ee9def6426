// Cursors: an encoded one is decoded, and nothing else is accepted.
import fc from 'fast-check';
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { decodeCursor, encodeCursor, type ListScope } from '#gateway/lists/cursor.js';
import { parseTime } from '#gateway/lists/filters.js';

const scope: ListScope = {
  list: 'payments',
  merchantId: 'mer_00000000000000000000000000' as MerchantId,
  environment: 'TEST',
};
const places = fc.record({
  atMs: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  id: fc.stringMatching(/^[a-z]{3}_[0-9a-z]{1,60}$/),
});

t.test('a cursor decodes to its place', (t) => {
  fc.assert(
    fc.property(places, (place) => {
      const cursor = encodeCursor(scope, place);
      t.match(cursor, /^[\w-]+$/);
      t.strictSame(decodeCursor(scope, cursor), { ...place });
    }),
    { numRuns: 200 },
  );
  t.end();
});

t.test('a cursor of another list, merchant or environment is rejected', (t) => {
  const cursor = encodeCursor(scope, { atMs: 1_800_000_000_000, id: 'pay_1' });
  const others: Partial<ListScope>[] = [
    { list: 'events' },
    { list: 'refunds' },
    { environment: 'LIVE' },
    { merchantId: 'mer_00000000000000000000000001' as MerchantId },
  ];
  for (const other of others) t.equal(decodeCursor({ ...scope, ...other }, cursor), undefined);
  t.end();
});

t.test('an altered, shortened or invented cursor is rejected', (t) => {
  fc.assert(
    fc.property(places, fc.nat(), fc.base64String({ maxLength: 200 }), (place, at, junk) => {
      const cursor = encodeCursor(scope, place);
      const index = at % cursor.length;
      const altered = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A');
      t.equal(decodeCursor(scope, altered + cursor.slice(index + 1)), undefined);
      t.equal(decodeCursor(scope, cursor.slice(0, index)), undefined);
      t.equal(decodeCursor(scope, `${cursor}A`), undefined);
      t.equal(decodeCursor(scope, junk), undefined);
    }),
    { numRuns: 300 },
  );
  for (const text of ['', '\0', '💳', 'null', 'A'.repeat(10_000)]) {
    t.equal(decodeCursor(scope, text), undefined);
  }
  t.end();
});

t.test('a time filter is an ISO 8601 time or a day', (t) => {
  t.equal(parseTime('2026-08-02'), Date.UTC(2026, 7, 2));
  t.equal(parseTime('2026-08-02T10:15:30.123Z'), Date.UTC(2026, 7, 2, 10, 15, 30, 123));
  t.equal(parseTime('2026-08-02T10:15+07:00'), Date.UTC(2026, 7, 2, 3, 15));
  for (const text of [
    '',
    'yesterday',
    '2026',
    '2026-02-31',
    '2026-13-01',
    '2026-08-02T25:00Z',
    '2026-08-02T10:15:30',
    '1754129730',
    '2026-08-02T10:15:30+99:99',
  ]) {
    t.equal(parseTime(text), undefined, text);
  }
  t.end();
});
