// The words by which payments are found: those of a payment and those of a search are divided alike.
import fc from 'fast-check';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { buildSearch, listTerms, MAX_SEARCH_WORDS } from '#actors/core/payment/search-words.js';

const owner = { merchantId: makeId('mer', Buffer.alloc(16, 1)), environment: 'TEST' } as const;
const TAG = 6;
const ID = `pay_${'7'.repeat(26)}`;

function makeSnapshot(changes: object = {}): string {
  const payment = { id: ID, environment: 'TEST', amount: '150000', metadata: {}, ...changes };
  return JSON.stringify({ ...payment, internal: { merchantId: owner.merchantId } });
}

/** The words without their tags. */
const listWords = (changes: object): string[] =>
  listTerms(makeSnapshot(changes)).map((term) => term.slice(TAG));

/** The query without tags. */
function showQuery(text: string): string {
  const search = buildSearch(owner, text);
  if (typeof search === 'string') return search;
  return search.query.replace(/'[\w-]{6}/g, "'");
}

t.test('the words of a payment are those of its texts, each once', (t) => {
  t.same(
    listWords({
      reference_id: 'INV-2026/0001',
      customer_name: 'Budi  José',
      customer_email: 'Budi@Toko.example',
      customer_phone: '0812-3456',
      metadata: { Kota: 'Jakarta Pusat', price: '1.500' },
    }),
    [
      ...['7'.repeat(26), '628123456', '150000', 'inv', '2026', '0001', 'budi', 'jose'],
      ...['toko', 'example', '0812', '3456', 'kota', 'jakarta', 'pusat', 'price', '1500'],
    ],
  );
  t.same(listWords({ metadata: null, reference_id: null }), ['7'.repeat(26), '150000']);
  t.end();
});

t.test('words have a bound, and those of the metadata are left out first', (t) => {
  const words = Array.from({ length: 300 }, (_, n) => `w${n}`).join(' ');
  const found = listWords({ metadata: { [`k${'x'.repeat(100)}`]: words }, reference_id: 'ref' });
  t.equal(found.length, 200);
  t.same(found.slice(2, 4), ['ref', `k${'x'.repeat(63)}`]);
  t.end();
});

t.test('a snapshot without a payment is refused', (t) => {
  t.throws(() => listTerms('{}'));
  t.end();
});

t.test('each merchant and environment has words of its own', (t) => {
  const [word] = listTerms(makeSnapshot());
  const search = buildSearch(owner, ID);
  const live = buildSearch({ ...owner, environment: 'LIVE' }, ID);
  const other = { ...owner, merchantId: makeId('mer', Buffer.alloc(16, 2)) };
  t.same(search, { query: `'${String(word)}':*` });
  t.notSame(live, search);
  t.notSame(buildSearch(other, ID), search);
  t.end();
});

t.test('all words of a search must occur, and the last one may go on', (t) => {
  for (const [text, query] of [
    ['Budi SANTOSO', "'budi' & 'santoso':*"],
    ['josé', "'jose':*"],
    ['a', "'a'"],
    ['x@y.example', "'x' & 'y' & 'example':*"],
    ["it's \\ :* | ! ()", "'it' & 's'"],
    ['150.000', "'150000':*"],
    ['150,000.00', "'150000':*"],
    ['Rp150.000,-', "'150000':*"],
    ['rp. 1.500.000 budi', "'1500000' & 'budi':*"],
    ['IDR 5', "'5'"],
    ['terp 15', "'terp' & '15':*"],
    ['12.34', "'12' & '34':*"],
    [ID, `'${'7'.repeat(26)}':*`],
    ['pay_777', "'777':*"],
    ['0812 3456', "('0812' & '3456':*) | '628123456':*"],
    ['+62 812-3456', "('62' & '812' & '3456':*) | '628123456':*"],
    ['', 'no_word'],
    [' .,- ', 'no_word'],
    ['w '.repeat(MAX_SEARCH_WORDS + 1), 'too_many_words'],
  ] as const) {
    t.equal(showQuery(text), query, text);
  }
  t.end();
});

t.test('a text has the same words whether all of it is ASCII or not', (t) => {
  const other = 'zzéqq';
  const part = fc.constantFrom(
    ...['Rp', 'idr', 'pay_', '150', '000', '7', 'Budi', 'x'.repeat(70), "O'Neil", '@toko.example'],
    ...[' ', '  ', '\t', '.', ',', '-', '_', '/', '+62'],
  );
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (text) => {
      const words = listWords({ reference_id: text });
      const withOther = listWords({ reference_id: `${text} ${other}` });
      t.same(withOther, [...words, 'zzeqq'], text);
    }),
  );
  t.end();
});
