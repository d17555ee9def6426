#!/bin/sh
# A failed assertion of tap whose name holds U+2028 or U+2029 is lost, and its test passes.
#
# Seen with tap 21.8.0 (tap-parser 18.3.4) on Node 20.20.2, 2026-11-28.
# Expected: the name is shown with the character or an escape, as names with other control characters are; the test fails.
# Seen: inside a subtest the line of the assertion is no longer read as one, so the subtest has no assertion ("no tests
# found"), counts as passed, and the process exits with 0. JSON.stringify does not help: it leaves both characters as they are.
# Random texts of property tests hold them. At the end of the name, or at its beginning, the failure is counted.
# Kasir: no assertion is named after a random text; properties throw errors of node:assert instead.
#
# Output seen:
#   plain: exit 1
#   U+0085: exit 1
#   U+2028: exit 0
#   U+2029: exit 0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"name":"x","version":"1.0.0","private":true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts tap@21.8.0 tap-parser@18.3.4 >/dev/null
cat >failing.mjs <<'END'
import t from 'tap';
const [, , character] = process.argv;
t.test('one', (t) => {
  t.ok(false, `before ${JSON.parse(`"${character}"`)} after`);
  t.end();
});
END
try() {
  code=0
  node failing.mjs "$2" >tap.log 2>&1 || code=$?
  echo "$1: exit $code"
}

{ try plain '-'; try U+0085 '\u0085'; try U+2028 '\u2028'; try U+2029 '\u2029'; } >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
plain: exit 1
U+0085: exit 1
U+2028: exit 0
U+2029: exit 0
END
cmp seen.txt wanted.txt
