// Reads the payload of a QR code from its picture. We draw the code ourselves, since the rail's picture would name the
// rail. The size is checked before the picture is unpacked.
import jsQRModule from 'jsqr';
import { PNG } from 'pngjs';

const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex');
const WIDTH_AT = 16;
const HEIGHT_AT = 20;
const MAX_SIDE = 2048;

// The package is CommonJS: its default export is the imported value itself.
const readCode = jsQRModule as unknown as typeof jsQRModule.default;

/** null: not a PNG, too large, or without a code. */
export function decodeQrImage(png: Buffer): string | null {
  if (png.length < HEIGHT_AT + 4 || !png.subarray(0, PNG_HEAD.length).equals(PNG_HEAD)) return null;
  if (png.readUInt32BE(WIDTH_AT) > MAX_SIDE || png.readUInt32BE(HEIGHT_AT) > MAX_SIDE) return null;
  try {
    const { data, width, height } = PNG.sync.read(png);
    return readCode(new Uint8ClampedArray(data), width, height)?.data ?? null;
  } catch {
    return null;
  }
}
