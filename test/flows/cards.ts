// Valid card numbers of every network, as people write them. Ranges and lengths are written down anew here: the
// code that is tested has its own.

export interface Card {
  /** ASCII digits. */
  readonly number: string;
  /** As it is sent: grouped, or in digits of another script. */
  readonly written: string;
}

type Random = () => number;

const NETWORKS: readonly (readonly [prefixes: readonly string[], lengths: readonly number[]])[] = [
  [['4'], [13, 16, 19]],
  [['51', '52', '53', '54', '55', '2221', '2400', '2720'], [16]],
  [['34', '37'], [15]],
  [['300', '305', '36', '38', '39'], [14]],
  [['3528', '3550', '3589'], [16]],
  [['6011', '644', '649', '65'], [16]],
  [['62'], [16, 17, 18, 19]],
  [
    ['5018', '5020', '5038', '5893', '6304', '6759', '6761', '6763'],
    [12, 13, 16, 19],
  ],
  [['508', '60', '81', '82'], [16]],
  [['2200', '2204'], [16]],
  [['9792'], [16]],
];

/** Zero of some scripts: fullwidth, Arabic-Indic, extended Arabic-Indic, Devanagari, Thai, mathematical bold. */
const ZEROS = [0xff10, 0x0660, 0x06f0, 0x0966, 0x0e50, 0x1d7ce];
const SEPARATORS = ['', ' ', '-', '\u00a0', '\u2013', '\u2009', ' - ', '\u200b'];

/** The same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeCards(count: number, random: Random): Card[] {
  return Array.from({ length: count }, (_, index) => {
    const number = makeNumber(index, random);
    return { number, written: write(number, random) };
  });
}

const pick = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** Networks in turn, so that each has its share. */
function makeNumber(index: number, random: Random): string {
  const network = NETWORKS[index % NETWORKS.length];
  if (network === undefined) throw new Error('there is no network');
  const [prefixes, lengths] = network;
  const length = pick(lengths, random);
  let digits = pick(prefixes, random);
  while (digits.length < length - 1) digits += String(Math.floor(random() * 10));
  const check = '0123456789'.split('').find((digit) => passesLuhn(digits + digit));
  return digits + String(check);
}

export function passesLuhn(number: string): boolean {
  const sum = number
    .split('')
    .reverse()
    .map((digit, index) => Number(digit) * (index % 2 === 1 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

function write(number: string, random: Random): string {
  const separator = pick(SEPARATORS, random);
  const size = pick([4, 4, 4, 3, 5, 6], random);
  const groups = number.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
  const grouped = groups.join(separator);
  if (random() < 0.7) return grouped;
  const zero = pick(ZEROS, random);
  return grouped.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}
