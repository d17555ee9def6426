// QR codes. The library computes the modules. The SVG of the pages is drawn here, without styles or scripts, because the
// content security policy of the pages blocks those. The PNG is for customers who save it on a phone.
//
// Anybody who has the address of a page may ask for its drawing, so each payload is drawn once.
import { LRUCache } from 'lru-cache';
import { PNG } from 'pngjs';
import QRCode, { type BitMatrix } from 'qrcode';
import { buildPrivateFile, type CachedFile } from '../pages/assets.js';
import { renderHtml, trustMarkup, type Html } from '../pages/html.js';

/** Medium error correction: screens are clean, and payloads are long. */
const LEVEL = 'M';
/** Empty modules on each side, which the QR standard requires. */
const QUIET_ZONE = 4;
const PNG_MODULE_PX = 8;
const WHITE = 0xff;
const BLACK = 0;
/** About 300 codes of QRIS. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The modules, their path in an SVG, and the PNG. */
const BYTES_PER_MODULE = 8;

interface Drawing {
  readonly modules: BitMatrix;
  path?: string;
  picture?: CachedFile;
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

/** The code as a PNG. */
export function findQrPicture(payload: string): CachedFile {
  const drawing = findDrawing(payload);
  return (drawing.picture ??= buildPrivateFile(drawPng(drawing.modules), '.png'));
}

/** In grey, with one byte a pixel: qrcode writes four, which took 9 ms instead of 0.5. */
function drawPng({ size, data }: BitMatrix): Buffer {
  const width = (size + 2 * QUIET_ZONE) * PNG_MODULE_PX;
  const png = new PNG();
  png.width = width;
  png.height = width;
  png.data = Buffer.alloc(width * width, WHITE);
  for (let row = 0; row < size; row += 1) {
    const line = (row + QUIET_ZONE) * PNG_MODULE_PX * width;
    for (let column = 0; column < size; column += 1) {
      if (data[row * size + column] !== 1) continue;
      const start = line + (column + QUIET_ZONE) * PNG_MODULE_PX;
      png.data.fill(BLACK, start, start + PNG_MODULE_PX);
    }
    for (let copy = 1; copy < PNG_MODULE_PX; copy += 1) {
      png.data.copy(png.data, line + copy * width, line, line + width);
    }
  }
  return PNG.sync.write(png, {
    colorType: 0,
    inputColorType: 0,
    inputHasAlpha: false,
    filterType: 0,
    deflateLevel: 1,
    deflateStrategy: 0,
  });
}
