// Whole numbers as people write and paste them: `150000`, `150.000`, `Rp 150,000.00`. The digits stay a text, since a number would
// lose some of them. Gateway and dashboard read them here.

const DIGITS = 15;
/** A space, also a thin one or one that does not break. */
const BLANK = '[ \\u00a0\\u2009\\u202f]';
/** Says that there are no decimals. */
const NO_DECIMALS = '(?:00|[-\\u2013])';
const WHOLE = [
  `[0-9]+(?:[.,]${NO_DECIMALS})?`,
  ...[['\\.', ','] as const, [',', '\\.'] as const, [BLANK, '[.,]'] as const].map(
    ([separator, decimals]) =>
      `[1-9][0-9]{0,2}(?:${separator}[0-9]{3})+(?:${decimals}${NO_DECIMALS})?`,
  ),
];
const WRITTEN = new RegExp(`^(?:(?:rp\\.?|idr)${BLANK}*)?(${WHOLE.join('|')})$`, 'i');
const ENDING = new RegExp(`[.,]${NO_DECIMALS}$`);

/**
 * The digits, without leading zeros. Groups have three digits and one kind of separator, so that decimals are never taken for a
 * group: a hundred times the amount would follow. undefined: it is no whole number, or has more than 15 digits.
 */
export function readWrittenNumber(text: string): string | undefined {
  const written = WRITTEN.exec(text.replace(/\p{Cf}/gu, '').trim())?.[1];
  const digits = written
    ?.replace(ENDING, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+(?=[0-9])/, '');
  return digits === undefined || digits.length > DIGITS ? undefined : digits;
}
