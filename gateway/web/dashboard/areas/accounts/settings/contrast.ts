// Whether a colour can be seen on the pages of customers, which compute contrasts in the same way
// (gateway/pages/brand-colours.ts).

type Rgb = readonly [red: number, green: number, blue: number];

/** WCAG 2, level AA: text, and the edge of a button. */
const TEXT_CONTRAST = 4.5;
const BUTTON_CONTRAST = 3;
const COLOUR = /^#[0-9a-f]{6}$/i;
const WHITE: Rgb = [255, 255, 255];
/** The paper of the pages (gateway/web/checkout.css). */
const GROUNDS = { light: WHITE, dark: [26, 35, 44] } as const satisfies Record<string, Rgb>;

export interface WeakGround {
  readonly ground: keyof typeof GROUNDS;
  readonly contrast: number;
}

/** The grounds on which the colour is hard to see. */
export function findWeakGrounds(colour: string): readonly WeakGround[] {
  if (!COLOUR.test(colour)) return [];
  const rgb = parseColour(colour);
  return (['light', 'dark'] as const)
    .map((ground) => ({ ground, contrast: computeContrast(rgb, GROUNDS[ground]) }))
    .filter(({ contrast }) => contrast < BUTTON_CONTRAST);
}

/** The text on a button of the colour. */
export function chooseTextColour(colour: string): string {
  return computeContrast(parseColour(colour), WHITE) >= TEXT_CONTRAST ? '#ffffff' : '#000000';
}

export const isColour = (text: string): boolean => COLOUR.test(text);

function parseColour(colour: string): Rgb {
  const part = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

/** From 1 to 21. */
function computeContrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [computeLuminance(one), computeLuminance(other)].sort((a, b) => a - b);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function computeLuminance([red, green, blue]: Rgb): number {
  return 0.2126 * linearize(red) + 0.7152 * linearize(green) + 0.0722 * linearize(blue);
}

function linearize(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
