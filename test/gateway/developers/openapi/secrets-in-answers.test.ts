// No answer to a GET of a session holds a secret: such an answer may be compressed, and the size of a compressed answer tells
// whether a text that the caller chose occurs in it (gateway/routing/compressed-reply.ts).
import t from 'tap';
import { ROUTES, walk } from './documents.js';

const SECRET =
  /(^|_)(secret|token|password|otp|totp|challenge|recovery_codes?|passkey_options)(_|$)/;
/** They say whether there is a second factor, and how many codes are left. */
const FACTS = new Set(['totp_enabled', 'recovery_codes_left']);

t.test('no answer to a GET of a session has a field for a secret', (t) => {
  const read = ROUTES.filter(({ method, auth }) => method === 'GET' && auth === 'session');
  const found: string[] = [];
  for (const { path, answers } of read) {
    walk(answers, ({ properties }) => {
      if (typeof properties !== 'object' || properties === null) return;
      const names = Object.keys(properties).filter((name) => SECRET.test(name) && !FACTS.has(name));
      found.push(...names.map((name) => `${path} ${name}`));
    });
  }
  t.ok(read.length > 40, `${read.length} routes`);
  t.same(found, []);
  t.end();
});
