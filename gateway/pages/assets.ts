// Style sheets, scripts and pictures of the pages: read once at start, kept in memory plain and compressed. Their names
// hold a hash of their content, so browsers may cache them without an end.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { extname } from 'node:path';
import { acceptsGzip } from '../routing/compressed-reply.js';
import { buildApiError, type Answer, type HeaderPair } from '../routing/response.js';
import type { Preferences } from '../routing/request.js';

const HASH_CHARACTERS = 12;
/** Compression saves nothing below this size. */
const MIN_COMPRESSED_BYTES = 1024;
const FOR_EVER = 'public, max-age=31536000, immutable';
/** The browser revalidates each time, and gets 304 while the content is the same. */
const ALWAYS_ASK = 'no-cache';
/** For one browser, which reuses it for five minutes and then asks. */
const PRIVATE = 'private, max-age=300';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export interface CachedFile {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly compressed: Buffer | undefined;
  readonly brotli?: Buffer | undefined;
}

export interface Assets {
  /** The path of a file, for pages. @throws when no file has this name */
  findPath(name: string): string;
  /** Answers one; `file` is the last segment of its path. */
  serve(file: string, preferences: Preferences): Answer;
}

/**
 * `files`: content by name; a name is `checkout.css`, its path becomes `/assets/checkout.<hash>.css`. `brotli`: of some, their
 * content compressed with Brotli.
 */
export function createAssets(
  files: ReadonlyMap<string, Buffer>,
  brotli: ReadonlyMap<string, Buffer> = new Map(),
): Assets {
  const paths = new Map<string, string>();
  const assets = new Map<string, CachedFile>();
  for (const [name, content] of files) {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_CHARACTERS);
    const extension = extname(name);
    const file = `${name.slice(0, -extension.length)}.${hash}${extension}`;
    paths.set(name, `/assets/${file}`);
    assets.set(file, { ...buildAsset(content, extension, hash), brotli: brotli.get(name) });
  }
  return {
    findPath(name) {
      const path = paths.get(name);
      if (path === undefined) throw new Error(`there is no asset ${name}`);
      return path;
    },
    serve(file, preferences) {
      const asset = assets.get(file);
      return asset === undefined ? buildApiError('path_not_found') : serveFile(asset, preferences);
    },
  };
}

function buildAsset(content: Buffer, extension: string, hash: string): CachedFile {
  const gzip = extension === '.png' ? undefined : compress(content);
  return buildImmutableFile(content, extension, { hash, gzip });
}

/** A file whose path changes with its content. */
export function buildImmutableFile(
  plain: Buffer,
  extension: string,
  { hash, gzip }: { hash: string; gzip: Buffer | undefined },
): CachedFile {
  const contentType = TYPES[extension];
  if (contentType === undefined) throw new Error(`no media type for ${extension}`);
  return { contentType, cacheControl: FOR_EVER, etag: `"${hash}"`, plain, compressed: gzip };
}

/** A file for one customer. */
export function buildPrivateFile(plain: Buffer, extension: string): CachedFile {
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, HASH_CHARACTERS);
  const file = buildImmutableFile(plain, extension, { hash, gzip: undefined });
  return { ...file, cacheControl: PRIVATE };
}

/** A text that is generated at start and served under a fixed path. */
export function createCachedFile(content: Buffer, contentType: string): CachedFile {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_CHARACTERS);
  const etag = `"${hash}"`;
  const compressed = compress(content);
  return { contentType, cacheControl: ALWAYS_ASK, etag, plain: content, compressed };
}

function compress(content: Buffer): Buffer | undefined {
  return content.length < MIN_COMPRESSED_BYTES ? undefined : gzipSync(content, { level: 9 });
}

export function serveFile(file: CachedFile, preferences: Preferences): Answer {
  const { contentType, cacheControl, etag } = file;
  const headers: HeaderPair[] = [
    ['ETag', etag],
    ['Vary', 'Accept-Encoding'],
  ];
  if (preferences.ifNoneMatch.includes(etag)) {
    return { code: null, status: 304, body: '', contentType, headers, cacheControl };
  }
  const { body, encoding } = chooseEncoding(file, preferences.acceptEncoding);
  if (encoding !== null) headers.push(['Content-Encoding', encoding]);
  return { code: null, status: 200, body, contentType, headers, cacheControl };
}

const BROTLI = /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

function chooseEncoding(
  { plain, compressed, brotli }: CachedFile,
  acceptEncoding: string,
): { body: Buffer; encoding: 'br' | 'gzip' | null } {
  if (brotli !== undefined && BROTLI.test(acceptEncoding)) return { body: brotli, encoding: 'br' };
  if (compressed !== undefined && acceptsGzip(acceptEncoding)) {
    return { body: compressed, encoding: 'gzip' };
  }
  return { body: plain, encoding: null };
}
