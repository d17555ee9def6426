// QR codes. The library computes the modules and draws the PNG to save on a phone. The SVG is drawn here, without styles
// or scripts, because the content security policy of the pages blocks those.
import QRCode from 'qrcode';
import { renderHtml, type Html } from '../pages/html.js';

/** Medium error correction: screens are clean, and payloads are long. */
const LEVEL = 'M';
/** Empty modules on each side, which the QR standard requires. */
const QUIET_ZONE = 4;
const PNG_MODULE_PX = 8;

/** `label` is the text for screen readers. */
export function renderQrSvg(payload: string, label: string): Html {
  const { modules } = QRCode.create(payload, { errorCorrectionLevel: LEVEL });
  const size = modules.size + 2 * QUIET_ZONE;
  const path = buildSvgPath(modules.size, (row, column) => modules.get(row, column) === 1);
  return renderHtml`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`;
}

/** One rectangle for each horizontal run of dark modules. */
function buildSvgPath(size: number, isDark: (row: number, column: number) => boolean): string {
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!isDark(row, column)) continue;
      const start = column;
      while (column < size && isDark(row, column)) column += 1;
      const length = column - start;
      path += `M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`;
    }
  }
  return path;
}

export function renderQrPng(payload: string): Promise<Buffer> {
  return QRCode.toBuffer(payload, {
    type: 'png',
    errorCorrectionLevel: LEVEL,
    margin: QUIET_ZONE,
    scale: PNG_MODULE_PX,
  });
}
