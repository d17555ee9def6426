// Registries that give no answer about vulnerabilities, or one that says nothing: the check fails, unless it may be offline.
import type { RequestListener } from 'node:http';
import t from 'tap';
import { answer, BULK, checkAt, INFORMED, know } from '#test/support/peers/registry.js';

/** Registries that say nothing about vulnerabilities. */
const SILENT: Readonly<Record<string, RequestListener>> = {
  'never answers': () => undefined,
  'closes the connection': (request) => {
    request.socket.destroy();
  },
  'answers 500': answer(500, '{"error":"out of order"}'),
  'answers 405': answer(405, '{"message":"405 Method Not Allowed","statusCode":405}'),
  'answers with a page': answer(200, '<html>welcome</html>'),
  'answers with an empty body': answer(200, ''),
  'answers null': answer(200, 'null'),
  'answers with a list': answer(200, '[]'),
  'answers with a text': answer(200, '"ok"'),
  'answers with an error': answer(200, '{"error":"not found"}'),
  'knows no vulnerability at all': know({}),
};

/** Shorter than the check waits for npm, so that npm gives up on a registry that never answers. */
const env = { npm_config_fetch_timeout: '1000' };

for (const [what, registry] of Object.entries(SILENT)) {
  t.test(`a registry that ${what} fails the check, and passes with --offline`, async (t) => {
    const strict = await checkAt(t, registry, { env });
    t.equal(strict.code, 1, strict.stderr);
    t.match(strict.stderr, /^kasir: the packages were not checked .*pass --offline/);
    t.ok(strict.asked.includes(BULK), 'npm asked this registry');
    const lenient = await checkAt(t, registry, { env, words: ['--offline'] });
    t.equal(lenient.code, 0, lenient.stderr);
    t.match(lenient.stderr, /^kasir: warning: the packages were not checked/);
  });
}

t.test('an npm that is set to work offline asks nobody, and fails the check', async (t) => {
  const offline = { npm_config_offline: 'true' };
  const { code, asked } = await checkAt(t, know(INFORMED), { env: offline });
  t.same({ code, asked }, { code: 1, asked: [] });
});
