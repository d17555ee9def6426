// QR codes. The library computes the modules. The SVG of the pages is drawn here, without styles or scripts, because the
// content security policy of the pages blocks those. The PNG is for customers who save it on a phone.
//
// Anybody who has the address of a page may ask for its drawing, so each payload is drawn once.
import { deflateSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import QRCode, { type BitMatrix } from 'qrcode';
import { buildPrivateFile, type CachedFile } from '../pages/assets.js';
import { renderHtml, trustMarkup, type Html } from '../pages/html.js';

/** Medium error correction: screens are clean, and payloads are long. */
const LEVEL = 'M';
/** Empty modules on each side, which the QR standard requires. */
const QUIET_ZONE = 4;
const PNG_MODULE_PX = 8;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const PNG_HEADER_BYTES = 13;
const NO_FILTER = 0;
const WHITE_MODULE = 0xff;
const BLACK_MODULE = 0;
const FASTEST = 1;
const CRC_POLYNOMIAL = 0xedb88320;
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

/**
 * A pixel is one bit, so that a module is one byte. This takes 0.13 ms. qrcode writes four bytes a pixel and takes 9 ms; pngjs
 * writes one at least and takes 0.5 ms, and its buffers cause collections of all garbage.
 */
function drawPng({ size, data }: BitMatrix): Buffer {
  const width = size + 2 * QUIET_ZONE;
  const lines: Buffer[] = [];
  for (let row = -QUIET_ZONE; row < size + QUIET_ZONE; row += 1) {
    const line = Buffer.alloc(1 + width, WHITE_MODULE);
    line[0] = NO_FILTER;
    for (let column = 0; row >= 0 && row < size && column < size; column += 1) {
      if (data[row * size + column] === 1) line[1 + QUIET_ZONE + column] = BLACK_MODULE;
    }
    for (let copy = 0; copy < PNG_MODULE_PX; copy += 1) lines.push(line);
  }
  const header = Buffer.alloc(PNG_HEADER_BYTES);
  header.writeUInt32BE(width * PNG_MODULE_PX, 0);
  header.writeUInt32BE(width * PNG_MODULE_PX, 4);
  header[8] = 1; // bit a pixel, in grey (0); the other fields have one value each
  return Buffer.concat([
    PNG_SIGNATURE,
    ...buildChunk('IHDR', header),
    ...buildChunk('IDAT', deflateSync(Buffer.concat(lines), { level: FASTEST })),
    ...buildChunk('IEND', Buffer.alloc(0)),
  ]);
}

function buildChunk(type: string, content: Buffer): readonly Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(computeCrc32(body));
  return [length, body, sum];
}

/** Node 20.12 has no zlib.crc32. A table would save 20 µs. */
function computeCrc32(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (CRC_POLYNOMIAL & -(sum & 1));
  }
  return ~sum >>> 0;
}
