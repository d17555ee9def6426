// The size of a PNG or JPEG that a stranger sent. Nothing is decoded: the header of a PNG has a fixed place, and the segments of
// a JPEG are skipped up to the header of its frame. Each byte is looked at once at most, so 48 000 bytes take less than 0.1 ms.
import type { Logo } from '#store/postgres/merchants/settings.js';
import { findMediaType } from '../kyc/media-type.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Picture extends Size {
  readonly mediaType: Logo['mediaType'];
}

const READERS: Readonly<Record<Logo['mediaType'], (file: Buffer) => Size | undefined>> = {
  'image/png': readPngSize,
  'image/jpeg': readJpegSize,
};

/** Undefined: it is no PNG and no JPEG that browsers show. */
export function measurePicture(file: Buffer): Picture | undefined {
  const mediaType = findMediaType(file);
  if (mediaType === undefined || mediaType === 'application/pdf') return undefined;
  const size = READERS[mediaType](file);
  return size === undefined || size.width === 0 || size.height === 0
    ? undefined
    : { mediaType, ...size };
}

/** Behind the signature: the length of the first chunk, 13, and its type. */
const PNG_FIRST_CHUNK = Buffer.from('\0\0\0\x0dIHDR', 'latin1');
const PNG_FIRST_CHUNK_AT = 8;
const PNG_WIDTH_AT = 16;
const PNG_HEIGHT_AT = 20;
/** The signature, and the first chunk with its checksum. */
const PNG_HEADER_BYTES = 33;

function readPngSize(file: Buffer): Size | undefined {
  const start = file.subarray(PNG_FIRST_CHUNK_AT, PNG_WIDTH_AT);
  if (file.length < PNG_HEADER_BYTES || !start.equals(PNG_FIRST_CHUNK)) return undefined;
  return { width: file.readUInt32BE(PNG_WIDTH_AT), height: file.readUInt32BE(PNG_HEIGHT_AT) };
}

/** A file has about ten before its frame. A colour profile or a preview of 64 kB and more takes several. */
const MAX_SEGMENTS = 64;
const FIRST_SEGMENT_AT = 2;
const MARKER = 0xff;
/** Baseline, extended and progressive; browsers show no other JPEG. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
/** Tables (DHT, DQT, DRI) and a comment. Anything else before the frame, such as a scan, is an error. */
const SKIPPED: readonly number[] = [0xc4, 0xdb, 0xdd, 0xfe];
const isApplicationData = (marker: number): boolean => marker >= 0xe0 && marker <= 0xef;

function readJpegSize(file: Buffer): Size | undefined {
  let at = FIRST_SEGMENT_AT;
  for (let segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    if (file[at] !== MARKER) return undefined;
    // A marker may have fill bytes before it.
    while (file[at] === MARKER) at += 1;
    const marker = file[at] ?? 0;
    const segment = readSegment(file, at + 1);
    if (segment === undefined) return undefined;
    if (FRAMES.includes(marker)) return readFrameSize(segment);
    if (!SKIPPED.includes(marker) && !isApplicationData(marker)) return undefined;
    at += 1 + segment.length;
  }
  return undefined;
}

const LENGTH_BYTES = 2;

/** A segment begins with its length. Undefined: the file ends before it. */
function readSegment(file: Buffer, at: number): Buffer | undefined {
  if (at + LENGTH_BYTES > file.length) return undefined;
  const length = file.readUInt16BE(at);
  return length < LENGTH_BYTES || at + length > file.length
    ? undefined
    : file.subarray(at, at + length);
}

const FRAME_BYTES = 8;
const COMPONENT_BYTES = 3;
const HEIGHT_AT = 3;
const WIDTH_AT = 5;
const COMPONENTS_AT = 7;

/** Length, precision, height, width, and the number of components, which the length agrees with. */
function readFrameSize(frame: Buffer): Size | undefined {
  if (frame.length < FRAME_BYTES) return undefined;
  const bytes = FRAME_BYTES + COMPONENT_BYTES * frame.readUInt8(COMPONENTS_AT);
  if (frame.length !== bytes) return undefined;
  return { width: frame.readUInt16BE(WIDTH_AT), height: frame.readUInt16BE(HEIGHT_AT) };
}
