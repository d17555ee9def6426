// A QR code as vectors, so that it is sharp on paper. Always black on white: scanners need the contrast.
import { create } from 'qrcode';
import type { ReactNode } from 'react';

/** The standard asks for an empty frame of four modules. */
const QUIET = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
  readonly className?: string | undefined;
}

export function QrCode({ text, label, className }: QrCodeProps): ReactNode {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const dark = [...data].flatMap((isDark, index) =>
    isDark === 0 ? [] : [`M${index % size} ${Math.floor(index / size)}h1v1h-1z`],
  );
  const side = size + 2 * QUIET;
  return (
    <svg
      className={className}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
