// Whether a text or an edge of one colour can be read on a ground of another one: the contrasts of WCAG 2, level AA.
export type Rgb = readonly [red: number, green: number, blue: number];

export const WHITE: Rgb = [255, 255, 255];
export const BLACK: Rgb = [0, 0, 0];
/** The least contrast of a text. */
export const AA_CONTRAST = 4.5;

/** `colour`: such as #0b5cad. */
export function parseColour(colour: string): Rgb {
  const part = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

/** The text on a button of the colour. */
export const chooseTextColour = (button: Rgb): Rgb =>
  computeContrast(button, WHITE) >= AA_CONTRAST ? WHITE : BLACK;

/** From 1 to 21. */
export function computeContrast(one: Rgb, other: Rgb): number {
  const [first, second] = [computeLuminance(one), computeLuminance(other)];
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}

function computeLuminance([red, green, blue]: Rgb): number {
  return 0.2126 * linearize(red) + 0.7152 * linearize(green) + 0.0722 * linearize(blue);
}

function linearize(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
