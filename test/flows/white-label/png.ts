// A text chunk in a picture, as programs that make pictures leave their names in it.
const END_BYTES = 12;

/** `chunk`: its type (`tEXt`, `zTXt`, …) and content. It stands before the end of the picture. */
export function withPngChunk(png: Buffer, type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  const end = png.length - END_BYTES;
  return Buffer.concat([png.subarray(0, end), length, body, check, png.subarray(end)]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) === 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
