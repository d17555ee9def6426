// The callback addresses of rails: fixed for a key, different for each rail, without the rail's
// name.
import t from 'tap';
import {
  CALLBACK_ID,
  deriveCallbackId,
  buildCallbackPath,
  mapRailsByCallbackId,
} from '#actors/core/rails/live-rails.js';

const KEY = Buffer.alloc(32, 1);

t.test('each LIVE rail has its own callback id and path, without its name', (t) => {
  const rails = ['midtrans', 'xendit'] as const;
  const ids = rails.map((rail) => deriveCallbackId(KEY, rail));
  t.equal(new Set([...ids, deriveCallbackId(Buffer.alloc(32, 2), 'midtrans')]).size, 3);
  for (const id of ids) t.match(id, CALLBACK_ID);
  t.same(
    [...mapRailsByCallbackId([KEY])].sort(),
    rails.map((rail) => [deriveCallbackId(KEY, rail), rail]).sort(),
    'the sandbox has no callbacks',
  );
  t.equal(buildCallbackPath(KEY, 'midtrans'), `/v1/rails/${ids[0]}/callbacks`);
  t.notMatch(buildCallbackPath(KEY, 'xendit'), /xendit/);
  t.end();
});

t.test('each rail has one address for each key while keys are rotated', (t) => {
  const next = Buffer.alloc(32, 2);
  const rails = mapRailsByCallbackId([next, KEY]);
  t.equal(rails.size, 4);
  for (const key of [next, KEY]) t.equal(rails.get(deriveCallbackId(key, 'xendit')), 'xendit');
  t.equal(mapRailsByCallbackId([next]).get(deriveCallbackId(KEY, 'xendit')), undefined);
  t.end();
});
