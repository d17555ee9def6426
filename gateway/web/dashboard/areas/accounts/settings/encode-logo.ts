// A picture as the API takes it: PNG or JPEG in base64, of at most 48 000 bytes. A larger one is drawn smaller until it fits.
const MAX_BYTES = 48_000;
const MAX_PX = 1_024;
const FIRST_PX = 512;
const SMALLEST_PX = 64;
const PLAIN_TYPES = ['image/png', 'image/jpeg'];

export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
}

/** @throws UnreadablePicture */
export async function encodeLogo(file: File): Promise<string> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new UnreadablePicture(`${file.name} is no picture`);
  });
  const isSmall = Math.max(picture.width, picture.height) <= MAX_PX && file.size <= MAX_BYTES;
  if (isSmall && PLAIN_TYPES.includes(file.type)) return readBase64(file);
  for (let px = FIRST_PX; px >= SMALLEST_PX; px /= 2) {
    const smaller = await drawSmaller(picture, px);
    if (smaller.size <= MAX_BYTES) return readBase64(smaller);
  }
  throw new UnreadablePicture(`${file.name} cannot be made small enough`);
}

async function drawSmaller(picture: ImageBitmap, px: number): Promise<Blob> {
  const scale = Math.min(1, px / Math.max(picture.width, picture.height));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/png' });
}

async function readBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
