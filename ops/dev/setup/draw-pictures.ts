// Draws the pictures of the pages for customers: the letters of pictures that customers save, and the picture that a chat shows
// beside a shared link. It needs Chromium and the font DejaVu Sans; their licence is gateway/web/letters.txt.
//   node --import=tsx --conditions=kasir-source ops/dev/setup/draw-pictures.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { CELL_PX, CELLS_PER_ROW, listLetters } from '#gateway/selling/checkout/letters.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { findChromium } from './chromium-binary.mjs';

const FONT = '24px "DejaVu Sans"';
const GREY = 0;
/** Accents of capitals fit above it, and tails of small letters below. */
const BASELINE_PX = 25;
const LEFT_PX = 4;
/** As chats show pictures of links, without cutting. */
const PREVIEW = { width: 1200, height: 630 };
/** A card with lines, as the picture beside the title of a page: it names nobody. */
const PREVIEW_PAGE = `<body style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630"
  width="1200" height="630"><rect width="1200" height="630" fill="#0b5cad"/>
  <rect x="360" y="135" width="480" height="360" rx="44" fill="#fff"/>
  <path d="M440 235h320M440 315h200M440 395h120" stroke="#0b5cad" stroke-width="40" stroke-linecap="round"/>
</svg></body>`;

async function drawLetters(page: Page): Promise<Buffer> {
  const letters = listLetters();
  const height = Math.ceil(letters.length / CELLS_PER_ROW) * CELL_PX;
  const drawing = `(() => {
    const canvas = document.createElement('canvas');
    const [width, height] = [${CELLS_PER_ROW * CELL_PX}, ${height}];
    Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.fillStyle = '#000';
    context.font = ${JSON.stringify(FONT)};
    ${JSON.stringify(letters)}.forEach((letter, index) => {
      const [x, y] = [index % ${CELLS_PER_ROW}, Math.floor(index / ${CELLS_PER_ROW})];
      context.fillText(letter, x * ${CELL_PX} + ${LEFT_PX}, y * ${CELL_PX} + ${BASELINE_PX});
    });
    const pixels = context.getImageData(0, 0, width, height);
    for (let at = 0; at < pixels.data.length; at += 4) {
      const grey = pixels.data[at] < 140 ? 0 : 255;
      pixels.data.set([grey, grey, grey, 255], at);
    }
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1];
  })()`;
  const drawn = PNG.sync.read(Buffer.from(await page.evaluate<string>(drawing), 'base64'));
  return PNG.sync.write(drawn, { colorType: GREY });
}

const executablePath = findChromium();
if (executablePath === null) throw new Error('no Chromium was found: put chromium on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: PREVIEW });
const folder = join(findPackageRoot(), 'gateway/web');
writeFileSync(join(folder, 'letters.png'), await drawLetters(page));
await page.setContent(PREVIEW_PAGE);
writeFileSync(join(folder, 'preview.png'), await page.screenshot());
await browser.close();
