// Whether a colour can be seen on the pages of customers, which compute contrasts in the same way
// (gateway/pages/brand-colours.ts).
import {
  chooseTextColour as choose,
  computeContrast,
  parseColour,
  type Rgb,
  WHITE,
} from '@core/readable-colours.js';

/** WCAG 2, level AA: the edge of a button. */
const BUTTON_CONTRAST = 3;
const COLOUR = /^#[0-9a-f]{6}$/i;
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
  return choose(parseColour(colour)) === WHITE ? '#ffffff' : '#000000';
}

export const isColour = (text: string): boolean => COLOUR.test(text);
