// The colours of pages for any colour of a merchant can be read, on the grounds that the style sheet of the pages has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import {
  AA_CONTRAST,
  computeContrast,
  parseColour,
  type Rgb,
} from '#actors/core/readable-colours.js';
import { parseStyleName, renderBrandStyle } from '#gateway/pages/brand-colours.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

type Colours = Readonly<Record<string, string>>;
const HEX = /^#[0-9a-f]{6}$/;

/** The variables of both schemes: those of the dark one come second. */
function readSchemes(css: string): readonly Colours[] {
  return [...css.matchAll(/:root\s*\{([^}]*)\}/g)].map(([, body = '']) =>
    Object.fromEntries(
      [...body.matchAll(/(--[a-z-]+):\s*([^;]+)/g)].map(([, name, value]) => [
        name ?? '',
        value?.replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/, '#$1$1$2$2$3$3') ?? '',
      ]),
    ),
  );
}

const pages = readSchemes(
  readFileSync(join(findPackageRoot(), 'gateway/web/checkout.css'), 'utf8'),
);
const find = (colours: Colours, name: string): Rgb => {
  const value = colours[name] ?? '';
  if (!HEX.test(value)) throw new Error(`${name} is ${value}`);
  return parseColour(value);
};

t.test('contrast is that of WCAG', (t) => {
  t.equal(computeContrast([0, 0, 0], [255, 255, 255]), 21);
  t.equal(computeContrast([9, 9, 9], [9, 9, 9]), 1);
  t.equal(computeContrast([119, 119, 119], [255, 255, 255]).toFixed(2), '4.48');
  t.end();
});

t.test('any colour gives readable buttons and links in both schemes', (t) => {
  t.equal(pages.length, 2);
  const part = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(part, part, part, (red, green, blue) => {
      const schemes = readSchemes(renderBrandStyle([red, green, blue]));
      for (const [index, page] of pages.entries()) {
        const brand = schemes[index] ?? {};
        for (const button of ['--button', '--button-hover']) {
          const contrast = computeContrast(find(brand, button), find(brand, '--on-button'));
          if (contrast < AA_CONTRAST) return false;
        }
        for (const ground of ['--paper', '--ground']) {
          const contrast = computeContrast(find(brand, '--accent'), find(page, ground));
          if (contrast < AA_CONTRAST) return false;
        }
      }
      return true;
    }),
    {
      examples: [
        [0, 0, 0],
        [255, 255, 255],
        [118, 118, 118],
        [255, 255, 0],
      ],
    },
  );
  t.end();
});

t.test('the grounds of the computation are those of the style sheet', (t) => {
  // A colour just below the limit is changed, a colour above it stays.
  for (const [index, page] of pages.entries()) {
    const accent = find(page, '--accent');
    const brand = readSchemes(renderBrandStyle(accent))[index] ?? {};
    t.same(find(brand, '--accent'), accent, 'the colour of the service can be read as it is');
  }
  t.end();
});

t.test('only the name of a style sheet is one', (t) => {
  t.same(parseStyleName('0b5cad.css'), [11, 92, 173]);
  for (const name of ['0B5CAD.css', '0b5cad', '0b5cad.css ', '#0b5cad.css', '../0b5cad.css', '']) {
    t.equal(parseStyleName(name), undefined, name);
  }
  t.end();
});
