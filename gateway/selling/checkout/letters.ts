// Text in pictures that customers save. The letters are those of gateway/web/letters.png, which ops/dev/setup/draw-pictures.ts
// draws from a font: a font of the system may be missing, and a library that reads fonts takes milliseconds for a line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { blacken, createLine } from './png.js';

/** First and last characters of the picture: Latin letters with all their accents, and signs. */
export const LETTER_RANGES = [
  [0x21, 0x7e],
  [0xa1, 0x17f],
  [0x2013, 0x2026],
] as const;
/** Each letter stands in a square of this size. */
export const CELL_PX = 32;
export const CELLS_PER_ROW = 32;
const GAP_PX = 2;
const BLANK_PX = 6;
const NO_BREAK_SPACE = '\u00a0';
const MAX_LINES = 3;

interface Letter {
  readonly widthPx: number;
  /** The black pixels of each row, from the left. */
  readonly rows: readonly (readonly number[])[];
}

const BLANK: Letter = { widthPx: BLANK_PX, rows: [] };

export const listLetters = (): readonly string[] =>
  LETTER_RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  );

let letters: ReadonlyMap<string, Letter> | undefined;

function readLetters(): ReadonlyMap<string, Letter> {
  const { data, width } = PNG.sync.read(
    readFileSync(join(findPackageRoot(), 'gateway/web/letters.png')),
  );
  const isBlack = (x: number, y: number): boolean => data[4 * (y * width + x)] === 0;
  return new Map(
    listLetters().map((letter, index) => {
      const left = (index % CELLS_PER_ROW) * CELL_PX;
      const top = Math.floor(index / CELLS_PER_ROW) * CELL_PX;
      const columns = Array.from({ length: CELL_PX }, (_, column) => column);
      const rows = columns.map((y) => columns.filter((x) => isBlack(left + x, top + y)));
      const ink = rows.flat();
      const start = Math.min(...ink, CELL_PX);
      const widthPx = Math.max(...ink, start) - start + 1;
      return [letter, { widthPx, rows: rows.map((row) => row.map((x) => x - start)) }];
    }),
  );
}

/** A letter that the picture lacks loses its accents; a sign of another script is left out. */
function readWord(word: string): readonly Letter[] {
  letters ??= readLetters();
  const found: Letter[] = [];
  for (const character of word) {
    const plain = character.normalize('NFD').charAt(0);
    const letter = character === NO_BREAK_SPACE ? BLANK : letters.get(character);
    const shown = letter ?? letters.get(plain);
    if (shown !== undefined) found.push(shown);
  }
  return found;
}

const measure = (line: readonly Letter[]): number =>
  line.reduce((sum, { widthPx }) => sum + widthPx + GAP_PX, 0);

/** Breaks at blanks, and inside a word that is wider than a line. */
function wrap(text: string, widthPx: number): readonly (readonly Letter[])[] {
  const lines: Letter[][] = [];
  let line: Letter[] = [];
  for (const word of text.split(' ').map(readWord)) {
    if (line.length > 0 && measure([...line, BLANK, ...word]) > widthPx) {
      lines.push(line);
      line = [];
    }
    if (line.length > 0) line.push(BLANK);
    for (const letter of word) {
      if (measure([...line, letter]) > widthPx) {
        lines.push(line);
        line = [];
      }
      line.push(letter);
    }
  }
  return [...lines, line].filter(({ length }) => length > 0).slice(0, MAX_LINES);
}

export interface Paper {
  /** A multiple of 8. */
  readonly widthPx: number;
  readonly marginPx: number;
  readonly isCentred: boolean;
}

/** The lines of a picture with these texts below each other. An empty text is an empty line. */
export function drawTexts(texts: readonly string[], paper: Paper): readonly Buffer[] {
  const roomPx = paper.widthPx - 2 * paper.marginPx;
  return texts.flatMap((text) =>
    text === '' ? drawLine([], paper) : wrap(text, roomPx).flatMap((line) => drawLine(line, paper)),
  );
}

function drawLine(line: readonly Letter[], { widthPx, marginPx, isCentred }: Paper): Buffer[] {
  const rows = Array.from({ length: CELL_PX }, () => createLine(widthPx));
  let left = isCentred ? Math.floor((widthPx - measure(line)) / 2) : marginPx;
  for (const letter of line) {
    for (const [y, row] of rows.entries()) {
      for (const x of letter.rows[y] ?? []) blacken(row, left + x);
    }
    left += letter.widthPx + GAP_PX;
  }
  return rows;
}
