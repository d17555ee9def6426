// QR codes. The library computes the modules. The SVG of the pages is drawn here, without styles or scripts, because the
// content security policy of the pages blocks those. The PNG is for customers who save it on a phone.
//
// Anybody who has the address of a page may ask for its drawing, so each payload is drawn once.
import { LRUCache } from 'lru-cache';
import QRCode, { type BitMatrix } from 'qrcode';
import { buildPrivateFile, type CachedFile } from '#gateway/pages/assets.js';
import { renderHtml, trustMarkup, type Html } from '#gateway/pages/html.js';
import { drawTexts } from './letters.js';
import { createLine, encodePng, PIXELS_PER_BYTE } from './png.js';

/** Medium error correction: screens are clean, and payloads are long. */
const LEVEL = 'M';
/** Empty modules on each side, which the QR standard requires. */
const QUIET_ZONE = 4;
const MODULE_PX = PIXELS_PER_BYTE;
const BLACK_MODULE = 0;
/** About 300 codes of QRIS. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The modules, their path in an SVG, and the PNG. */
const BYTES_PER_MODULE = 8;

interface Drawing {
  readonly modules: BitMatrix;
  path?: string;
  picture?: { readonly caption: string; readonly file: CachedFile };
}

const drawings = new LRUCache<string, Drawing>({
  maxSize: MAX_BYTES,
  sizeCalculation: ({ modules }) => modules.data.length * BYTES_PER_MODULE,
});

function findDrawing(payload: string): Drawing {
  const found = drawings.get(payload);
  if (found !== undefined) return found;
  const { modules } = QRCode.create(payload, { errorCorrectionLevel: LEVEL });
  const drawing = { modules };
  drawings.set(payload, drawing);
  return drawing;
}

/** `label` is the text for screen readers. */
export function renderQrSvg(payload: string, label: string): Html {
  const drawing = findDrawing(payload);
  const size = drawing.modules.size + 2 * QUIET_ZONE;
  drawing.path ??= buildSvgPath(drawing.modules);
  return renderHtml`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${trustMarkup(drawing.path)}" fill="#000" />
  </svg>`;
}

/** One rectangle for each horizontal run of dark modules. */
function buildSvgPath({ size, data }: BitMatrix): string {
  const runs: string[] = [];
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (data[row * size + column] !== 1) continue;
      const start = column;
      while (column < size && data[row * size + column] === 1) column += 1;
      const length = column - start;
      runs.push(`M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`);
    }
  }
  return runs.join('');
}

/** The code as a PNG, with these texts below it. */
export function findQrPicture(payload: string, caption: readonly string[] = []): CachedFile {
  const drawing = findDrawing(payload);
  const key = caption.join('\n');
  if (drawing.picture?.caption !== key) {
    const file = buildPrivateFile(drawPng(drawing.modules, caption), '.png');
    drawing.picture = { caption: key, file };
  }
  return drawing.picture.file;
}

/** A pixel is one bit, so that a module is one byte. Without a caption this takes 0.13 ms. */
function drawPng({ size, data }: BitMatrix, caption: readonly string[]): Buffer {
  const widthPx = (size + 2 * QUIET_ZONE) * MODULE_PX;
  const lines: Buffer[] = [];
  for (let row = -QUIET_ZONE; row < size + QUIET_ZONE; row += 1) {
    const line = createLine(widthPx);
    for (let column = 0; row >= 0 && row < size && column < size; column += 1) {
      if (data[row * size + column] === 1) line[1 + QUIET_ZONE + column] = BLACK_MODULE;
    }
    for (let copy = 0; copy < MODULE_PX; copy += 1) lines.push(line);
  }
  const texts = caption.length === 0 ? [] : [...caption, ''];
  const paper = { widthPx, marginPx: QUIET_ZONE * MODULE_PX, isCentred: true };
  return encodePng(widthPx, [...lines, ...drawTexts(texts, paper)]);
}
