// The files of the dashboard: the shell with its policy, hashed and compressed files, and the size of the first views.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { readDashboardFiles } from '#gateway/pages/dashboard-files.js';
import { renderShell } from '#gateway/pages/dashboard-shell.js';
import type { Preferences } from '#gateway/routing/request.js';
import type { Reply } from '#gateway/routing/response.js';
import { listScripts, VIEWS } from '#test/browser/dashboard/scripts.js';

const FIRST_VIEW_BYTES = 200 * 1024;
const NONE: Preferences = { accept: '', acceptLanguage: '', acceptEncoding: '', ifNoneMatch: '' };
const files = readDashboardFiles();
const serve = (path: string, acceptEncoding: string): Reply =>
  files.serve(path.replace('/dashboard/assets/', ''), { ...NONE, acceptEncoding }) as Reply;
const findHeader = ({ headers }: Reply, name: string): string | undefined =>
  headers.find(([each]) => each === name)?.[1];

t.test('each shell has a nonce of its own, which its policy allows for styles only', (t) => {
  const own = { brand: 'A & B', baseUrl: 'https://pay.example', icon: '/icon.svg', files };
  const deps = { ...own, sendsMail: true };
  const shells = [1, 2].map(() => renderShell(deps, { ...NONE, acceptLanguage: 'id-ID' }));
  const nonces = shells.map((shell) => {
    const policy = findHeader(shell, 'Content-Security-Policy') ?? '';
    const nonce = /style-src 'self' 'nonce-([\w+/=]{24})'/.exec(policy)?.[1] ?? '';
    t.notMatch(policy, /unsafe|script-src/);
    t.ok(String(shell.body).includes(`nonce="${nonce}"`));
    return nonce;
  });
  t.equal(new Set(nonces).size, 2);
  t.match(
    String(shells[0]?.body),
    /<html lang="id" translate="no">[^]*content="notranslate"[^]*A &amp; B/,
  );
  t.end();
});

t.test('a file is served with Brotli, gzip or plain, and may be kept for ever', (t) => {
  const brotli = serve(files.script, 'gzip, br');
  const gzip = serve(files.script, 'gzip');
  const plain = serve(files.script, 'br;q=0');
  t.equal(findHeader(brotli, 'Content-Encoding'), 'br');
  t.equal(findHeader(gzip, 'Content-Encoding'), 'gzip');
  t.equal(findHeader(plain, 'Content-Encoding'), undefined);
  t.same(brotliDecompressSync(brotli.body), plain.body);
  t.same(gunzipSync(gzip.body), plain.body);
  t.match(plain.cacheControl, /immutable/);
  t.match(files.serve('nothing.js', NONE), { code: 'path_not_found' });
  t.end();
});

const measure = (scripts: readonly string[]): number =>
  scripts.reduce((sum, name) => sum + (serve(name, 'br').body as Buffer).length, 0);

for (const view of ['signIn', 'home'] as const) {
  t.test(`the view ${view} loads less than 200 KB of compressed script`, (t) => {
    const scripts = listScripts(VIEWS[view]);
    const bytes = measure(scripts);
    t.comment(`${bytes} bytes in ${scripts.length} files`);
    t.ok(bytes < FIRST_VIEW_BYTES, `${bytes} bytes`);
    t.end();
  });
}

t.test('a missing build names the command that makes it', (t) => {
  t.throws(() => readDashboardFiles('/nowhere'), /npm run build/);
  t.end();
});
