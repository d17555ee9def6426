// The script of the interactive reference, in one file, and the files of the library that it mounts. Its package depends on a
// telemetry package, so production does without both. Brotli makes the script of the library a fifth smaller than gzip, but takes
// seconds, so it runs here and only for what has changed; gateways compress with gzip at start.
import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const SCRIPT = 'gateway/web/reference.js';
const LIBRARY = 'node_modules/swagger-ui-dist';
const OUTPUT = 'dist/gateway/web';
/** Inline pictures in the style sheet of the library: the content security policy blocks them. */
const INLINE_PICTURE = /url\("data:(?:[^"\\]|\\.)*"\)|url\(data:[^)"]*\)/g;
/** A third of the style sheet: utility classes for widths of the screen (`pa0-ns`), which the script of the library never uses. */
const UNUSED_WIDTHS =
  /@media screen and \(min-width:[36]0em\)(?:and \(max-width:60em\))?\{(?:[^{}]*\{[^{}]*\})*\}/g;

export async function buildReference(root) {
  mkdirSync(join(root, OUTPUT), { recursive: true });
  const style = readFileSync(join(root, LIBRARY, 'swagger-ui.css'), 'utf8');
  const files = {
    'reference.js': await bundle(root),
    'swagger-ui.css': Buffer.from(style.replace(INLINE_PICTURE, 'none').replace(UNUSED_WIDTHS, '')),
    'swagger-ui-bundle.js': readFileSync(join(root, LIBRARY, 'swagger-ui-bundle.js')),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, OUTPUT, name);
    writeFileSync(path, content);
    compress(`${path}.br`, content);
  }
}

async function bundle(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [SCRIPT],
    ...{ bundle: true, minify: true, format: 'esm', target: 'es2022' },
    ...{ write: false, logLevel: 'warning' },
  });
  return Buffer.from(outputFiles[0].contents);
}

function compress(path, content) {
  if (existsSync(path) && decompress(path)?.equals(content)) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  writeFileSync(path, brotliCompressSync(content, { params }));
}

/** null: an earlier build was cut off while it wrote the file. */
function decompress(path) {
  try {
    return brotliDecompressSync(readFileSync(path));
  } catch {
    return null;
  }
}
