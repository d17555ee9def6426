import fc from 'fast-check';
import t from 'tap';
import { describeHidden, removeHidden } from '#actors/core/hidden-characters.js';

const HIDDEN: readonly (readonly [name: string, character: string])[] = [
  ['a control character', '\u0007'],
  ['delete', '\u007f'],
  ['a control character of the second block', '\u009f'],
  ['a soft hyphen', '\u00ad'],
  ['a grapheme joiner', '\u034f'],
  ['a Hangul filler', '\u3164'],
  ['a zero width space', '\u200b'],
  ['a zero width joiner', '\u200d'],
  ['a mark from left to right', '\u200e'],
  ['an embedding from left to right', '\u202a'],
  ['an override from right to left', '\u202e'],
  ['a word joiner', '\u2060'],
  ['an isolate', '\u2066'],
  ['a byte-order mark', '\ufeff'],
  ['a variation selector behind nothing', '\u200b\ufe0f'],
  ['an annotation', '\ufff9'],
  ['a tag', '\u{e0041}'],
];
const SHOWN = [
  '',
  'Budi Santoso',
  'Nguyễn Thị Ánh',
  'محمد',
  '王小明',
  'Ratu\u00a0Café',
  '+62 812‑3456',
  'Toko ❤\ufe0f',
  '1\ufe0f\u20e3',
  '👩🏽\u200d💻 & 👨\u200d👩\u200d👧',
  '❤\ufe0f\u200d🔥',
];

t.test('a hidden character is removed, and named as an error', (t) => {
  for (const [name, character] of HIDDEN) {
    t.equal(removeHidden(`To${character}ko`), 'Toko', name);
    t.equal(removeHidden(`${character}Toko${character}`), 'Toko', `${name} at the ends`);
    t.match(describeHidden(`To${character}ko`), /U\+[0-9A-F]{4,5}, which is character 3\. /, name);
    t.ok(describeHidden(`To${character}ko`, true), `${name} in several lines`);
  }
  t.match(describeHidden('a\u202eb'), /the direction mark U\+202E/);
  t.match(describeHidden('a\u0007b'), /the control character U\+0007/);
  t.match(describeHidden('😀a\u200bb'), /the invisible character U\+200B, which is character 3/);
  t.end();
});

t.test('a visible character and the parts of an emoji stay', (t) => {
  for (const text of SHOWN) {
    t.equal(removeHidden(text), text);
    t.equal(describeHidden(text), null, text);
  }
  t.end();
});

t.test('a line break or a tab becomes a blank between words, and nothing at the ends', (t) => {
  for (const [text, read] of [
    ['two\nlines', 'two lines'],
    ['two\r\n\r\n lines', 'two lines'],
    ['two\u2028lines', 'two lines'],
    ['a\tcell', 'a cell'],
    ['\n\u200b\tord-1\r\n', 'ord-1'],
    ['\n', ''],
  ] as const) {
    t.equal(removeHidden(text), read, encodeURI(text));
    t.ok(describeHidden(text), encodeURI(text));
  }
  t.equal(removeHidden('0812\t3456', ''), '08123456');
  t.equal(describeHidden('two\r\nlines\tand more', true), null);
  t.match(describeHidden('two\u2028lines', true), /the control character U\+2028/);
  t.end();
});

t.test('U+0000 stays, so that the check of texts refuses it', (t) => {
  t.equal(removeHidden('a\0b'), 'a\0b');
  t.end();
});

t.test('a text that lost its hidden characters has none, and loses nothing more', (t) => {
  const parts = [...HIDDEN.map(([, character]) => character), ...SHOWN, '\n', ' ', 'a'];
  const texts = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' })));
  fc.assert(
    fc.property(texts, (all) => {
      const read = removeHidden(all.join('').replaceAll('\0', ''));
      return describeHidden(read) === null && removeHidden(read) === read;
    }),
    { numRuns: 500 },
  );
  t.end();
});
