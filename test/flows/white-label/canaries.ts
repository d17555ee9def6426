// The search for words that must not reach merchants, in bytes as they were received: as they stand, and below every
// encoding that a careless passage could have wrapped them in, one inside the other.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** Every string of the canary rails carries it. Lower case, digits apart from letters: it survives every encoding. */
export const CANARY = 'zqkenarizq';
/** The names of rails and their products. */
export const RAIL_WORDS = /midtrans|xendit|veritrans|\bsnap\b/i;

const DEPTH = 4;
/** The description and the scripts of pages are read below one encoding only: they are long, and made before any rail speaks. */
const LONG_BYTES = 100_000;
const EXCERPT = 40;

type Decoder = (bytes: Buffer) => readonly Buffer[];

const DECODERS: Readonly<Record<string, Decoder>> = {
  compressed: (bytes) =>
    [gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync].flatMap((inflate) =>
      attempt(() => inflate(bytes)),
    ),
  png: readPngTexts,
  percent: rewrite(/%([0-9a-f]{2})/gi, (hex) => Buffer.from(hex, 'hex')),
  'quoted-printable': rewrite(/=(?:\r?\n|([0-9A-F]{2}))/g, (hex) => Buffer.from(hex, 'hex')),
  escapes: rewrite(/\\+u([0-9a-f]{4})/gi, (hex) => codePoint(Number.parseInt(hex, 16))),
  'hex escapes': rewrite(/\\+x([0-9a-f]{2})/gi, (hex) => Buffer.from(hex, 'hex')),
  entities: rewrite(/&#(x?[0-9a-f]{1,6});/gi, (digits) =>
    codePoint(Number(/^x/i.test(digits) ? `0${digits}` : digits)),
  ),
  base64: decodeRuns,
  hex: (bytes) =>
    (bytes.toString('latin1').match(/(?:[0-9a-f]{2}){6,}/gi) ?? []).map((run) =>
      Buffer.from(run, 'hex'),
    ),
  'two bytes a character': (bytes) =>
    bytes.includes(0) ? [Buffer.from(bytes.filter((byte) => byte !== 0))] : [],
};

/** Where the words stand, and below which encodings; nothing when they stand nowhere. */
export function findWords(
  bytes: Buffer,
  words: RegExp,
  depth = bytes.length > LONG_BYTES ? 1 : DEPTH,
): readonly string[] {
  const found = attempt(() => excerpt(bytes, words)).filter((it) => it !== null);
  if (depth === 0) return found;
  for (const [name, decode] of Object.entries(DECODERS)) {
    for (const inner of decode(bytes)) {
      const below = findWords(inner, words, isTelling(inner) ? depth - 1 : 0);
      found.push(...below.map((where) => `${name} > ${where}`));
    }
  }
  return found;
}

function excerpt(bytes: Buffer, words: RegExp): string | null {
  const text = bytes.toString('latin1');
  const at = text.search(words);
  return at < 0 ? null : JSON.stringify(text.slice(Math.max(0, at - EXCERPT), at + EXCERPT));
}

/** True for contents that are decoded further: text, compressed data and pictures. */
function isTelling(bytes: Buffer): boolean {
  if (bytes.length < 6) return false;
  const head = bytes.readUInt16BE(0);
  if (head === 0x1f8b || head === 0x8950 || (head >> 8 === 0x78 && head % 31 === 0)) return true;
  const printable = bytes.reduce((sum, byte) => sum + (byte >= 32 && byte < 127 ? 1 : 0), 0);
  return printable >= bytes.length * 0.8 || bytes.includes(0);
}

function attempt<Result>(act: () => Result): Result[] {
  try {
    return [act()];
  } catch {
    return [];
  }
}

function codePoint(code: number): Buffer {
  return Buffer.from(code <= 0x10ffff ? String.fromCodePoint(code) : '', 'utf8');
}

/** Nothing when there is nothing to rewrite. */
function rewrite(pattern: RegExp, to: (digits: string) => Buffer): Decoder {
  return (bytes) => {
    const text = bytes.toString('latin1');
    const written = text.replace(pattern, (_, digits: string | undefined) =>
      to(digits ?? '').toString('latin1'),
    );
    return written === text ? [] : [Buffer.from(written, 'latin1')];
  };
}

/** Lines of a mail belong together; a run may begin anywhere, so it is read from each of four places. */
function decodeRuns(bytes: Buffer): readonly Buffer[] {
  const pattern = /(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]*|[A-Za-z0-9+/_-]{8,}/g;
  const runs = bytes.toString('latin1').match(pattern) ?? [];
  return runs.flatMap((run) => {
    const joined = run.replace(/\s/g, '');
    return [0, 1, 2, 3].map((from) => Buffer.from(joined.slice(from), 'base64url'));
  });
}

const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex');

/** The texts of a picture: tEXt as it is, zTXt and iTXt with what they have compressed. */
function readPngTexts(bytes: Buffer): readonly Buffer[] {
  if (!bytes.subarray(0, PNG_HEAD.length).equals(PNG_HEAD)) return [];
  const texts: Buffer[] = [];
  for (let at = PNG_HEAD.length; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (/^[a-z]/.test(type)) texts.push(content, ...inflateTail(content));
    at += 12 + length;
  }
  return texts;
}

/** Compressed data follows one or more zeros. */
function inflateTail(content: Buffer): readonly Buffer[] {
  const starts = [...content.keys()].filter((index) => content[index] === 0x78).slice(0, 64);
  return starts.flatMap((start) => attempt(() => inflateSync(content.subarray(start))));
}
