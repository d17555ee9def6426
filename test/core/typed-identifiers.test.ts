import t from 'tap';
import { readCode, readPhone, removeSeparators } from '#actors/core/typed-identifiers.js';

t.test('separators and hidden characters of an identifier are ignored', (t) => {
  for (const [typed, read] of [
    ['01.234.567.8-901.000', '012345678901000'],
    ['01.234.567.8/901.000', '012345678901000'],
    ['3273 0150 0190 0001', '3273015001900001'],
    ['123\u2011456\u00a07890', '1234567890'],
    ['\u202a1234567890\u202c\n', '1234567890'],
    ['123\t456', '123456'],
    ['12a45', '12a45'],
    ['1,234', '1,234'],
    ['', ''],
  ] as const) {
    t.equal(removeSeparators(typed), read, encodeURI(typed));
  }
  t.end();
});

t.test('a code is read as it was shown', (t) => {
  for (const [typed, read] of [
    ['112150', '112150'],
    ['112 150', '112150'],
    ['112-150', '112150'],
    [' 112\u2009150\n', '112150'],
    ['0a1b-2c3d-4e5f-6g7h', '0a1b-2c3d-4e5f-6g7h'],
    ['0a1b2c3d4e5f6g7h', '0a1b-2c3d-4e5f-6g7h'],
    ['0A1B 2C3D 4E5F 6G7H', '0a1b-2c3d-4e5f-6g7h'],
    ['0a1b\u20132c3d\u20134e5f\u20136g7h', '0a1b-2c3d-4e5f-6g7h'],
    ['11215', '11215'],
    ['0a1b2c3d', '0a1b2c3d'],
  ] as const) {
    t.equal(readCode(typed), read, JSON.stringify(typed));
  }
  t.end();
});

t.test('a telephone number keeps its groups, with ASCII separators and digits', (t) => {
  for (const [typed, read] of [
    ['+62 812\u20113456\u20117890', '+62 812-3456-7890'],
    ['+62\u00a0812\u22123456', '+62 812-3456'],
    ['\u202a\uff0b\uff16\uff12 812\u202c', '+62 812'],
    [' (0812) 3456.7890 ', '(0812) 3456.7890'],
    ['call us', 'call us'],
  ] as const) {
    t.equal(readPhone(typed), read, JSON.stringify(typed));
  }
  t.end();
});
