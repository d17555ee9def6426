// A style sheet for the colour of a merchant. The colour may be any, so the colours around it are computed: the text on a
// button is black or white, and links and outlines are the colour, darkened or lightened until they can be read on every
// ground of the pages. The contrasts are those of WCAG 2, level AA.
import type { LogoId } from '#actors/core/ids.js';
import {
  AA_CONTRAST,
  BLACK,
  chooseTextColour,
  computeContrast,
  parseColour,
  type Rgb,
  WHITE,
} from '#actors/core/readable-colours.js';

interface Scheme {
  /** The grounds in web/checkout.css that links and outlines lie on. */
  readonly grounds: readonly Rgb[];
  /** The colour is mixed with it until it can be read. */
  readonly towards: Rgb;
}

const STEPS = 20;
const HOVER_SHARE = 0.15;
const STYLE_NAME = /^([0-9a-f]{6})\.css$/;

/** --paper and --ground of each scheme. */
const SCHEMES = {
  light: {
    grounds: [
      [255, 255, 255],
      [242, 245, 248],
    ],
    towards: BLACK,
  },
  dark: {
    grounds: [
      [26, 35, 44],
      [16, 22, 28],
    ],
    towards: WHITE,
  },
} as const satisfies Record<string, Scheme>;

export const buildLogoPath = (id: LogoId): string => `/logos/${id}`;

/** `colour`: such as #0b5cad. */
export const buildStylePath = (colour: string): string => `/brand-styles/${colour.slice(1)}.css`;

/** The colour of a style sheet, by the last segment of its path. */
export function parseStyleName(text: string): Rgb | undefined {
  const digits = STYLE_NAME.exec(text)?.[1];
  return digits === undefined ? undefined : parseColour(`#${digits}`);
}

export function renderBrandStyle(colour: Rgb): string {
  const light = renderScheme(colour, SCHEMES.light);
  const dark = renderScheme(colour, SCHEMES.dark);
  return `:root{${light}}\n@media screen and (prefers-color-scheme:dark){:root{${dark}}}\n`;
}

function renderScheme(button: Rgb, { grounds, towards }: Scheme): string {
  const onButton = chooseTextColour(button);
  const away = onButton === WHITE ? BLACK : WHITE;
  const variables = {
    '--button': formatColour(button),
    '--on-button': formatColour(onButton),
    '--button-hover': formatColour(mix(button, away, HOVER_SHARE)),
    '--accent': formatColour(makeReadable(button, grounds, towards)),
    '--accent-tint': 'var(--ground)',
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}:${value}`)
    .join(';');
}

function makeReadable(colour: Rgb, grounds: readonly Rgb[], towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(colour, towards, step / STEPS);
    if (grounds.every((ground) => computeContrast(mixed, ground) >= AA_CONTRAST)) return mixed;
  }
  return towards;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2): number => Math.round(from[at] + (to[at] - from[at]) * share);
  return [part(0), part(1), part(2)];
}

const formatColour = (colour: Rgb): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
