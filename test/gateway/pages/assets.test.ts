// Files of pages: named by their content, cached, compressed for clients that accept gzip.
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { readAssetFiles, readBrotliFiles } from '#gateway/pages/asset-files.js';
import { createAssets, createCachedFile, serveFile } from '#gateway/pages/assets.js';
import type { Answer, Reply } from '#gateway/routing/response.js';
import type { Preferences } from '#gateway/routing/request.js';

const NONE: Preferences = { accept: '', acceptLanguage: '', acceptEncoding: '', ifNoneMatch: '' };
const LONG = Buffer.from('a{}'.repeat(1000));
const assets = createAssets(
  new Map([
    ['long.css', LONG],
    ['short.js', Buffer.from('1')],
  ]),
);

function serve(path: string, wishes: Partial<Preferences> = {}): Answer {
  return assets.serve(path.replace('/assets/', ''), { ...NONE, ...wishes });
}

const headerOf = (answer: Answer, name: string): string | undefined =>
  (answer as Reply).headers.find(([each]) => each === name)?.[1];

t.test('a file is served with its ETag, and with 304 when the client has it', (t) => {
  const path = assets.findPath('long.css');
  t.match(path, /^\/assets\/long\.[0-9a-f]{12}\.css$/);
  const answer = serve(path) as Reply;
  t.same(answer.body, LONG);
  t.equal(answer.contentType, 'text/css; charset=utf-8');
  t.match(answer.cacheControl, /immutable/);
  const etag = headerOf(answer, 'ETag') ?? '';
  const same = serve(path, { ifNoneMatch: `W/"x", ${etag}` }) as Reply;
  t.match(same, { status: 304, body: '' });
  t.equal((serve(path, { ifNoneMatch: '"other"' }) as Reply).status, 200);
  t.end();
});

t.test('a client that accepts gzip gets a long file compressed', (t) => {
  const path = assets.findPath('long.css');
  const answer = serve(path, { acceptEncoding: 'deflate, gzip;q=1.0, br' }) as Reply;
  t.equal(headerOf(answer, 'Content-Encoding'), 'gzip');
  t.same(gunzipSync(answer.body), LONG);
  for (const acceptEncoding of ['', 'br', 'gzip;q=0', 'gzip; q=0.00, br']) {
    t.same((serve(path, { acceptEncoding }) as Reply).body, LONG, acceptEncoding);
  }
  const short = serve(assets.findPath('short.js'), { acceptEncoding: 'gzip' });
  t.equal(headerOf(short, 'Content-Encoding'), undefined, 'too short to gain from it');
  t.end();
});

t.test('a client that accepts Brotli gets it for a file that has it', (t) => {
  const made = createAssets(
    new Map([
      ['long.css', LONG],
      ['other.css', LONG],
    ]),
    new Map([['long.css', brotliCompressSync(LONG)]]),
  );
  const ask = (name: string, acceptEncoding: string): Reply =>
    made.serve(made.findPath(name).replace('/assets/', ''), { ...NONE, acceptEncoding }) as Reply;
  const answer = ask('long.css', 'gzip, deflate, br, zstd');
  t.equal(headerOf(answer, 'Content-Encoding'), 'br');
  t.same(brotliDecompressSync(answer.body), LONG);
  t.equal(headerOf(ask('long.css', 'gzip'), 'Content-Encoding'), 'gzip');
  t.equal(headerOf(ask('other.css', 'gzip, br'), 'Content-Encoding'), 'gzip');
  t.end();
});

t.test('the build compressed the files of the reference as they are served', (t) => {
  const files = readAssetFiles();
  const brotli = readBrotliFiles();
  t.same([...brotli.keys()], ['reference.js', 'swagger-ui.css', 'swagger-ui-bundle.js']);
  for (const [name, content] of brotli) {
    t.ok(brotliDecompressSync(content).equals(files.get(name) ?? Buffer.of()), name);
  }
  t.end();
});

t.test('an unknown file is not found, and an unknown media type is rejected', (t) => {
  t.equal(serve('/assets/long.css').code, 'path_not_found', 'only by its full name');
  t.throws(() => assets.findPath('other.css'), /no asset/);
  t.throws(() => createAssets(new Map([['x.exe', LONG]])), /no media type/);
  t.end();
});

t.test('a file under a fixed path is revalidated each time', (t) => {
  const file = createCachedFile(LONG, 'application/json');
  t.equal((serveFile(file, NONE) as Reply).cacheControl, 'no-cache');
  t.end();
});

t.test('style sheets of the pages load nothing from other hosts', (t) => {
  for (const [name, content] of readAssetFiles()) {
    if (!name.endsWith('.css')) continue;
    t.notMatch(content.toString('utf8'), /url\(["']?(?:data:|https?:|\/\/)|@import/, name);
  }
  t.end();
});
