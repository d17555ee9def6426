#!/bin/sh
# emmett's event store in Postgres does not enforce that a stream is new, nor that it exists, and says of each append that it made one.
#   DATABASE_URL=postgres://… sh findings/emmett-expected-version.sh     an empty database
#
# Seen with @event-driven-io/emmett 0.42.0 and emmett-postgresql 0.42.0 on Node 20.20.2 and Postgres 18.4, 2026-11-29.
# Expected: an append with STREAM_DOES_NOT_EXIST to a stream with events fails with a version conflict, one with STREAM_EXISTS to a
# new stream as well, and createdNewStream is true of a new stream only. CommandHandler passes STREAM_DOES_NOT_EXIST for a stream that
# it read as new, so of two commands at once one is refused and retried.
# Seen: appendToStream turns both constants into "any version". The second of two commands that read a new stream appends behind the
# first when that one has committed meanwhile: both create, and a check "only if it is new" is passed twice. Two that append at the
# same moment meet in the unique key, so a test with simultaneous requests does not show it. createdNewStream is always true.
# Kasir: the rival of bench:rivals appends with expectedStreamVersion 0n, which is enforced, and handles a conflict again.
#
# Output seen:
#   new, STREAM_EXISTS: version 1, createdNewStream true
#   old, STREAM_DOES_NOT_EXIST: version 2, createdNewStream true
#   old, 0n: refused
#   old, 2n: version 3, createdNewStream true
#   two handlers that create only if the stream is new: second, first
set -eu
: "${DATABASE_URL:?the address of an empty database}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund @event-driven-io/emmett@0.42.0 @event-driven-io/emmett-postgresql@0.42.0 >/dev/null
cat >append.mjs <<'END'
import { CommandHandler, STREAM_DOES_NOT_EXIST, STREAM_EXISTS } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
const store = getPostgreSQLEventStore(process.env.DATABASE_URL);
const event = (by) => ({ type: 'Created', data: { by } });
const append = async (title, expectedStreamVersion) => {
  const seen = await store.appendToStream('order-1', [event('x')], { expectedStreamVersion }).then(
    (r) => `version ${r.nextExpectedStreamVersion}, createdNewStream ${r.createdNewStream}`,
    () => 'refused',
  );
  console.log(`${title}: ${seen}`);
};
await append('new, STREAM_EXISTS', STREAM_EXISTS);
await append('old, STREAM_DOES_NOT_EXIST', STREAM_DOES_NOT_EXIST);
await append('old, 0n', 0n);
await append('old, 2n', 2n);
const handle = CommandHandler({
  initialState: () => null,
  evolve: (_, { data }) => data.by,
  retry: { onVersionConflict: true },
});
await handle(store, 'order-2', async (state) => {
  // Another request with the same command comes first.
  await handle(store, 'order-2', (other) => (other === null ? [event('second')] : []));
  return state === null ? [event('first')] : [];
});
const { events } = await store.readStream('order-2');
console.log(`two handlers that create only if the stream is new: ${events.map(({ data }) => data.by).join(', ')}`);
await store.close();
END
node append.mjs >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
new, STREAM_EXISTS: version 1, createdNewStream true
old, STREAM_DOES_NOT_EXIST: version 2, createdNewStream true
old, 0n: refused
old, 2n: version 3, createdNewStream true
two handlers that create only if the stream is new: second, first
END
cmp seen.txt wanted.txt
