// The addresses that rails call back: the same for ever for one ID_KEY, another for each rail, and no rail's name in it.
import t from 'tap';
import {
  CALLBACK_ID,
  deriveCallbackId,
  buildCallbackPath,
  mapRailsByCallbackId,
} from '#actors/core/rails/live-rails.js';

const KEY = Buffer.alloc(32, 1);

t.test('ids of callbacks', (t) => {
  const rails = ['midtrans', 'xendit'] as const;
  const ids = rails.map((rail) => deriveCallbackId(KEY, rail));
  t.equal(new Set([...ids, deriveCallbackId(Buffer.alloc(32, 2), 'midtrans')]).size, 3);
  for (const id of ids) t.match(id, CALLBACK_ID);
  t.same(
    [...mapRailsByCallbackId(KEY)].sort(),
    rails.map((rail) => [deriveCallbackId(KEY, rail), rail]).sort(),
    'the sandbox calls nobody back',
  );
  t.equal(buildCallbackPath(KEY, 'midtrans'), `/v1/rails/${ids[0]}/callbacks`);
  t.notMatch(buildCallbackPath(KEY, 'xendit'), /xendit/);
  t.end();
});
