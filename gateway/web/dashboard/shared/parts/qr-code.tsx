// A QR code as one SVG path: black on white in light and in dark, with the quiet zone that scanners need.
import { create } from 'qrcode';
import { type ReactNode, useMemo } from 'react';

const QUIET_MODULES = 4;
const DEFAULT_PX = 200;

interface QrCodeProps {
  readonly text: string;
  /** For screen readers. */
  readonly label: string;
  readonly sizePx?: number;
}

/** One square of the path for each dark module. */
function drawModules(size: number, data: Uint8Array): string {
  let path = '';
  for (let at = 0; at < data.length; at += 1) {
    if (data[at] === 0) continue;
    path += `M${(at % size) + QUIET_MODULES} ${Math.floor(at / size) + QUIET_MODULES}h1v1h-1z`;
  }
  return path;
}

export function QrCode({ text, label, sizePx = DEFAULT_PX }: QrCodeProps): ReactNode {
  const { path, width } = useMemo(() => {
    const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
    return { path: drawModules(size, data), width: size + 2 * QUIET_MODULES };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      width={sizePx}
      height={sizePx}
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${width}v${width}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
