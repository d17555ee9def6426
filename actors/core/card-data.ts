// Card data in texts is rejected before it reaches a log, a stream or a table. A card number has a network's prefix, that
// network's exact length and a valid Luhn digit. Digits of every script count.
//
//   spaces, dashes between digits      each run of whole groups is checked, so "order 12, 4111 1111 1111 1111" is found
//                                      and a part of a longer number is not
//   . / _ , between digits             only in the groups that cards are printed in, since amounts and dates have these too
//   a word with letters and digits     is an identifier (UUID, ULID, INV-2026-0001) and holds no card number; its first or
//                                      last group may belong to a number in printed groups: "VISA-4111 1111 1111 1111"
//
// Other scripts and forms of letters are converted to ASCII first, also for security codes. Fields are not joined. Tax,
// identity and bank account numbers have their own rules and are not checked. In free texts an identity number (NIK) that looks
// like a JCB card is refused: only the date from its seventh digit on would tell them apart, and one card number in fourteen has a
// valid date there. The error says that letters in front of it help.

interface Network {
  /** The range of the leading digits, both ends included. */
  readonly from: number;
  readonly to: number;
  readonly lengths: readonly number[];
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 19;
const PREFIX_LENGTH = 4;
const FROM_16 = [16, 17, 18, 19];
const FROM_12 = [12, 13, 14, 15, ...FROM_16];

/** Prefixes of four digits. Sources: ISO/IEC 7812 ranges as the networks publish them. */
const NETWORKS: readonly Network[] = [
  { from: 4000, to: 4999, lengths: [13, 16, 19] }, // Visa
  { from: 5100, to: 5599, lengths: [16] }, // Mastercard
  { from: 2221, to: 2720, lengths: [16] }, // Mastercard
  { from: 3400, to: 3499, lengths: [15] }, // American Express
  { from: 3700, to: 3799, lengths: [15] }, // American Express
  { from: 3000, to: 3059, lengths: [14, ...FROM_16] }, // Diners Club
  { from: 3095, to: 3095, lengths: [14, ...FROM_16] }, // Diners Club
  { from: 3600, to: 3699, lengths: [14] }, // Diners Club; not 16, as identity numbers of Banten have
  { from: 3800, to: 3999, lengths: [14, ...FROM_16] }, // Diners Club
  { from: 3528, to: 3589, lengths: FROM_16 }, // JCB
  { from: 6000, to: 6099, lengths: FROM_16 }, // Discover, RuPay, Indonesian debit cards (GPN)
  { from: 6440, to: 6599, lengths: FROM_16 }, // Discover, RuPay
  { from: 6200, to: 6299, lengths: FROM_16 }, // UnionPay
  { from: 8100, to: 8299, lengths: FROM_16 }, // UnionPay, RuPay
  { from: 5080, to: 5089, lengths: [16] }, // RuPay
  { from: 2200, to: 2204, lengths: FROM_16 }, // Mir
  { from: 9792, to: 9792, lengths: [16] }, // Troy
  { from: 5018, to: 5018, lengths: FROM_12 }, // Maestro, this and below
  { from: 5020, to: 5020, lengths: FROM_12 },
  { from: 5038, to: 5038, lengths: FROM_12 },
  { from: 5893, to: 5893, lengths: FROM_12 },
  { from: 6304, to: 6304, lengths: FROM_12 },
  { from: 6759, to: 6759, lengths: FROM_12 },
  { from: 6761, to: 6763, lengths: FROM_12 },
];

const DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /[^\P{Nd}0-9]/gu;
/** At least MIN_LENGTH digits with only separators and invisible characters between them. */
const RUN = /\d(?:[\s\p{Z}\p{Pd}\p{Cf}\u2212._/,]*\d){11,}/gu;
/** The same for ASCII, in a quarter of the time; nearly all texts are ASCII. */
const ASCII_RUN = /\d(?:[\s\-._/,]*\d){11,}/g;
const NOT_ASCII = /\P{ASCII}/u;
const DIGITS = /\d+/g;
const TYPED_SEPARATORS = /[._/,]/;
/** Letters and digits, joined as identifiers are. */
const WORD = /[\p{L}\p{Nd}]+(?:[-_/][\p{L}\p{Nd}]+)*/gu;
const LETTER = /\p{L}/u;
/** The digits with which a word begins or ends; letters may touch them, a longer mixture of both is an identifier. */
const FIRST_GROUP = /^(\d+)\p{L}*(?![\p{L}\d])/u;
const LAST_GROUP = /(?<![\p{L}\d])\p{L}*?(\d+)$/u;

/** The lengths of the groups in which cards print their numbers, or of digits one by one. */
const LAYOUT = /^(?: 4 4 4 4(?: [13])?| 4 6 [45]| 6 13|(?: 1)+)$/;
const isLayout = (lengths: string): boolean => LAYOUT.test(lengths);

const SECURITY_CODE =
  /(?<![a-z\d])(?:(?:cvv|cvc|cvn)2?|card (?:security|verification) (?:code|value)|kode keamanan kartu)[\W_]{0,3}\d{3,4}(?![a-z\d])/i;
/** No country has telephone numbers of 14 digits or more that begin as cards do. */
const MIN_LENGTH_WITH_PLUS = 14;
const URL_PARTS = /[/?&=#;:@]+/;

/** Whether a text holds a card number or the security code of a card. */
export function hasCardData(text: string): boolean {
  const plain = convertToPlain(text);
  return SECURITY_CODE.test(plain) || hasCardNumber(plain);
}

/** For logs and answers, which mask more than requests refuse: identifiers are searched too. */
export function mayHoldCardData(text: string): boolean {
  const plain = convertToPlain(text);
  return SECURITY_CODE.test(plain) || hasCardInRuns(plain, isAnyLayout);
}

/** Checks each part of an address, decoded. Also for a path or a query alone. */
export function hasCardDataInUrl(url: string): boolean {
  return hasInUrl(url, hasCardData);
}

/** As mayHoldCardData. */
export function mayHoldCardDataInUrl(url: string): boolean {
  return hasInUrl(url, mayHoldCardData);
}

/** The name of a parameter tells the meaning of its value: `cvv=123`. */
function hasInUrl(url: string, has: (text: string) => boolean): boolean {
  const decoded = decodeUrl(url);
  return SECURITY_CODE.test(convertToPlain(decoded)) || decoded.split(URL_PARTS).some(has);
}

/** A number that begins with a plus is a telephone number unless its length is beyond those of its country. */
export function isCardAsPhone(phone: string): boolean {
  const digits = phone.replace(/\D/g, '');
  const isLong = digits.length >= MIN_LENGTH_WITH_PLUS;
  return isCardNumber(digits) && (isLong || !phone.startsWith('+'));
}

function decodeUrl(url: string): string {
  if (!/[%+]/.test(url)) return url;
  try {
    return decodeURIComponent(url.replaceAll('+', ' '));
  } catch {
    return url.replace(/%[0-9a-f]{2}|\+/gi, ' ');
  }
}

function convertToPlain(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text.normalize('NFKC').replace(OTHER_DIGITS, convertToAsciiDigit);
}

function hasCardNumber(text: string): boolean {
  if (text.length < MIN_LENGTH || text.search(selectRuns(text)) < 0) return false;
  return (
    hasCardInRuns(text.replace(WORD, blankIdentifier), isAnyLayout) ||
    hasCardInRuns(text.replace(WORD, keepOuterGroups), isLayout)
  );
}

const blankIdentifier = (word: string): string => (LETTER.test(word) ? 'x' : word);

function keepOuterGroups(word: string): string {
  if (!LETTER.test(word)) return word;
  const first = FIRST_GROUP.exec(word)?.[1] ?? '';
  const last = LAST_GROUP.exec(word)?.[1] ?? '';
  return `${first} x ${last}`;
}

const selectRuns = (text: string): RegExp => (NOT_ASCII.test(text) ? RUN : ASCII_RUN);

type IsAllowed = (lengths: string) => boolean;
const isAnyLayout: IsAllowed = () => true;

function hasCardInRuns(text: string, isAllowed: IsAllowed): boolean {
  if (text.length < MIN_LENGTH) return false;
  for (const [run] of text.matchAll(selectRuns(text))) {
    const parts = run.split(TYPED_SEPARATORS).map((part) => part.match(DIGITS) ?? []);
    if (parts.some((groups) => hasCardInGroups(groups, isAllowed))) return true;
    if (parts.length > 1 && hasCardInGroups(parts.flat(), isLayout)) return true;
  }
  return false;
}

/** Each script has its ten digits in a row, from zero on. */
function convertToAsciiDigit(character: string): string {
  let codePoint = Number(character.codePointAt(0));
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(codePoint - 1))) {
    codePoint -= 1;
    before += 1;
  }
  return String(before % 10);
}

function hasCardInGroups(groups: readonly string[], isAllowed: IsAllowed): boolean {
  return groups.some((_, first) => {
    let digits = '';
    let lengths = '';
    for (let index = first; index < groups.length && digits.length < MAX_LENGTH; index += 1) {
      const group = groups[index] ?? '';
      digits += group;
      lengths += ` ${group.length}`;
      if (isCardNumber(digits) && isAllowed(lengths)) return true;
    }
    return false;
  });
}

function isCardNumber(digits: string): boolean {
  if (digits.length < MIN_LENGTH || digits.length > MAX_LENGTH) return false;
  const prefix = Number(digits.slice(0, PREFIX_LENGTH));
  const isIssued = NETWORKS.some(
    ({ from, to, lengths }) => prefix >= from && prefix <= to && lengths.includes(digits.length),
  );
  return isIssued && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
