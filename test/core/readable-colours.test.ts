// Contrasts as WCAG 2 defines them, and the text on a button.
import t from 'tap';
import {
  BLACK,
  chooseTextColour,
  computeContrast,
  parseColour,
  WHITE,
} from '#actors/core/readable-colours.js';

t.test('contrasts are those of WCAG 2, whichever colour comes first', (t) => {
  const cases = [
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#010101', '#000000', 1.01],
  ] as const;
  for (const [one, other, expected] of cases) {
    const contrast = computeContrast(parseColour(one), parseColour(other));
    t.equal(Number(contrast.toFixed(2)), expected);
    t.equal(computeContrast(parseColour(other), parseColour(one)), contrast);
  }
  t.end();
});

t.test('the text on a button is white where it can be read, else black', (t) => {
  t.equal(chooseTextColour(parseColour('#0b5cad')), WHITE);
  t.equal(chooseTextColour(parseColour('#777777')), BLACK);
  t.end();
});
