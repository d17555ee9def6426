// Hidden characters: control characters, marks that change the direction of a text, and characters without a shape, such as
// U+200B. Nobody sees them, and texts that are copied from a chat, a PDF or a list of contacts bring them along.
//
//   text that comes with a payment, a refund or a payout     loses them, because optional data must not cost a sale
//   text that a user or an administrator sets                is refused and names the character, because a name must not
//                                                            look like another one, and the person can correct it
//
// A line break or a tab separates words, so it becomes a blank. Two kinds of invisible characters belong to what people see
// and stay: the joiner between two pictures, and one variation selector behind a visible character. U+0000 is an error
// everywhere, because Postgres cannot store it.

const LINE_BREAK = '\\t-\\r\\x85\\u2028\\u2029';
/** \p{DI}, the default ignorables, includes all marks of direction. U+FFF9 to U+FFFB enclose annotations. */
const OTHER_HIDDEN = '\\x01-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\p{DI}\\ufff9-\\ufffb';
const JOINER =
  '(?<=\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?)\\u200d(?=\\p{Extended_Pictographic})';
const SELECTOR = '(?<=(?!\\p{DI})[\\p{L}\\p{N}\\p{P}\\p{S}])\\p{Variation_Selector}';
const SHOWN = `(?!${JOINER}|${SELECTOR})`;

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/;
const HIDDEN = new RegExp(`${SHOWN}[${OTHER_HIDDEN}]`, 'gu');
const LINE_BREAKS = new RegExp(`[${LINE_BREAK}][ ${LINE_BREAK}]*`, 'gu');
const ANY_HIDDEN = new RegExp(`${SHOWN}[${LINE_BREAK}${OTHER_HIDDEN}]`, 'u');
/** For a text that may have several lines. */
const HIDDEN_IN_LINES = new RegExp(`${SHOWN}(?![\\t\\n\\r])[${LINE_BREAK}${OTHER_HIDDEN}]`, 'u');
const DIRECTION = /\p{Bidi_Control}/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const HEX_DIGITS = 4;

/** The text without hidden characters. `lineBreak` replaces line breaks and tabs between words; at the ends they go. */
export function removeHidden(text: string, lineBreak = ' '): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) return text;
  const visible = text.replace(HIDDEN, '');
  return visible.replace(LINE_BREAKS, (found: string, at: number) =>
    at === 0 || at + found.length === visible.length ? '' : lineBreak,
  );
}

/** Completes the sentence "<field> …" for the first hidden character; null: there is none. */
export function describeHidden(text: string, mayHaveLines = false): string | null {
  if (!NOT_PRINTABLE_ASCII.test(text)) return null;
  const found = (mayHaveLines ? HIDDEN_IN_LINES : ANY_HIDDEN).exec(text);
  if (found === null) return null;
  const [character] = found;
  const position = [...text.slice(0, found.index)].length + 1;
  return (
    `must not contain the ${findKind(character)} ${formatCodePoint(character)}, which is character ${position}. ` +
    'Remove it, or type the text anew'
  );
}

function findKind(character: string): string {
  if (DIRECTION.test(character)) return 'direction mark';
  return CONTROL.test(character) ? 'control character' : 'invisible character';
}

const formatCodePoint = (character: string): string =>
  `U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(HEX_DIGITS, '0')}`;
