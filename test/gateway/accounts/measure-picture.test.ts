// The bounded reader of pictures: the first bytes decide, and a hostile file is never read further than its header.
import fc from 'fast-check';
import { PNG } from 'pngjs';
import t from 'tap';
import { measurePicture } from '#gateway/accounts/settings/measure-picture.js';
import { buildBodySpec } from '#gateway/routing/route.js';
import { SetLogoRequest } from '#gateway/accounts/settings/schema.js';

const START = Buffer.from([0xff, 0xd8]);
const SCAN = 0xda;
const MOST_SEGMENTS = 64;
const MOST_CHARACTERS = 64_000;

const segment = (marker: number, content: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, content]);
};
/** A frame header: precision, height, width, components. */
const frame = (width: number, height: number, marker = 0xc0, components = 3): Buffer => {
  const content = Buffer.alloc(6 + 3 * components);
  content.writeUInt8(8);
  content.writeUInt16BE(height, 1);
  content.writeUInt16BE(width, 3);
  content.writeUInt8(components, 5);
  return segment(marker, content);
};
const jpeg = (...parts: readonly Buffer[]): Buffer => Buffer.concat([START, ...parts]);
const profile = segment(0xe2, Buffer.alloc(500, 0xff));
const png = (width: number, height: number): Buffer =>
  PNG.sync.write(new PNG({ width, height, fill: true }));
/** A PNG with other bytes at one place. */
const patch = (file: Buffer, at: number, bytes: string): Buffer => {
  const patched = Buffer.from(file);
  patched.write(bytes, at, 'latin1');
  return patched;
};

t.test('the size of a picture is found behind what may stand before it', (t) => {
  const size = { width: 300, height: 200 };
  const cases = {
    'a PNG': png(300, 200),
    'a JPEG that begins with its frame': jpeg(frame(300, 200)),
    'a progressive one behind its profile': jpeg(profile, frame(300, 200, 0xc2)),
    'one with fill bytes': jpeg(Buffer.alloc(900, 0xff), frame(300, 200)),
    'a grey one with tables and a comment': jpeg(
      ...[segment(0xdb, Buffer.alloc(65)), segment(0xc4, Buffer.alloc(20))],
      ...[segment(0xdd, Buffer.alloc(2)), segment(0xfe, Buffer.from('by a camera'))],
      frame(300, 200, 0xc1, 1),
    ),
    'one with as many segments as are read': jpeg(
      ...Array.from({ length: MOST_SEGMENTS - 1 }, () => profile),
      frame(300, 200),
    ),
  };
  for (const [name, file] of Object.entries(cases)) t.match(measurePicture(file), size, name);
  t.end();
});

t.test('a file that only resembles a picture is none', (t) => {
  const cases = {
    'a frame behind the scan': jpeg(segment(SCAN, Buffer.alloc(10)), frame(300, 200)),
    'a frame in the data of the scan': jpeg(segment(SCAN, frame(300, 200))),
    'a frame in a profile': jpeg(segment(0xe2, frame(300, 200))),
    'a second beginning': jpeg(START, frame(300, 200)),
    'an end before the frame': jpeg(Buffer.from([0xff, 0xd9]), frame(300, 200)),
    'a lossless frame': jpeg(frame(300, 200, 0xc3)),
    'an arithmetic frame': jpeg(frame(300, 200, 0xc9)),
    'a frame of no width': jpeg(frame(0, 200)),
    'a frame whose height comes later': jpeg(frame(300, 0)),
    'a frame with another length': jpeg(segment(0xc0, Buffer.alloc(10, 1))),
    'a cut frame': jpeg(frame(300, 200)).subarray(0, 12),
    'a segment without its length': jpeg(Buffer.from([0xff, 0xe0, 0x00])),
    'a segment of no length': jpeg(Buffer.from([0xff, 0xe0, 0x00, 0x00]), frame(300, 200)),
    'a segment that is longer than the file': jpeg(Buffer.from([0xff, 0xe0, 0xff, 0xff])),
    'too many segments': jpeg(
      ...Array.from({ length: MOST_SEGMENTS }, () => profile),
      frame(300, 200),
    ),
    'fill bytes only': jpeg(Buffer.alloc(40_000, 0xff)),
    'a PNG whose first chunk has another name': patch(png(3, 2), 12, 'CgBI'),
    'a PNG whose first chunk has another length': patch(png(3, 2), 8, '\0\0\0\x0e'),
    'a PNG of no height': patch(png(3, 2), 20, '\0\0\0\0'),
    'a cut PNG': png(3, 2).subarray(0, 32),
    'a GIF': Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64'),
    'a PDF': Buffer.from('%PDF-1.7'),
    'no bytes': Buffer.alloc(0),
  };
  for (const [name, file] of Object.entries(cases)) t.equal(measurePicture(file), undefined, name);
  t.end();
});

t.test('any bytes behind a signature give a size or nothing', (t) => {
  const signature = fc.constantFrom(START, png(1, 1).subarray(0, 16));
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Uint8Array.from([0xff, ...bytes])),
    fc.constant(frame(7, 5)),
  );
  fc.assert(
    fc.property(signature, fc.array(piece), (start, pieces) => {
      const picture = measurePicture(Buffer.concat([start, ...pieces]));
      return picture === undefined || (picture.width > 0 && picture.height > 0);
    }),
  );
  t.end();
});

t.test('the length of the text decides before a logo is decoded', (t) => {
  const body = buildBodySpec(SetLogoRequest);
  t.match(body.check({ content: 'A'.repeat(MOST_CHARACTERS) }), { value: Object });
  t.match(body.check({ content: 'A'.repeat(MOST_CHARACTERS + 4) }), {
    code: 'field_invalid',
    details: {
      param: 'content',
      message: 'content must be a PNG or JPEG file in base64, of at most 48000 bytes.',
    },
  });
  t.end();
});
