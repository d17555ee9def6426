#!/bin/sh
# A test program that tap runs fails in `t.testdir()` when its own arguments are long together.
#
# Seen with tap 21.8.0 on Node 20.20.2, 2026-11-30.
# Expected: the folder of a test is named after its file and its title, so that arguments that the program reads for itself (a list
# of inputs, an address) change nothing.
# Seen: the name of the folder holds all arguments of the process, in one component of the path. Above 255 bytes, which most file
# systems allow at most, `t.testdir()` throws ENAMETOOLONG, from `unlink` or `mkdir`, before it made a folder. Titles of tests
# are in the name too, so the argument that still works is shorter in a nested test.
# Kasir: the suite hands its list of test files over in a file (test/support/suite/together.ts).
#
# Output seen:
#   no argument: passed
#   20 bytes: passed, and the folder has the argument in its name
#   300 bytes: ENAMETOOLONG
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund tap@21.8.0 >/dev/null

cat >program.mjs <<'END'
import { basename } from 'node:path';
import t from 'tap';
t.test('writes a file', async (t) => {
  const [argument = ''] = process.argv.slice(2);
  let seen = 'passed';
  try {
    const made = basename(t.testdir({ 'note.txt': 'a note' }));
    if (argument !== '' && made.includes(argument)) seen += ', and the folder has the argument in its name';
  } catch (error) {
    seen = error.code;
  }
  console.error(`${argument === '' ? 'no argument' : `${argument.length} bytes`}: ${seen}`);
});
END
# $1: how often to repeat ten letters
try() { node program.mjs "$(i=0; while [ "$i" -lt "$1" ]; do printf 'abcdefghij'; i=$((i + 1)); done)" 2>>seen.txt >/dev/null; }
: >seen.txt
node program.mjs 2>>seen.txt >/dev/null
try 2
try 30
cat seen.txt
cat >wanted.txt <<'END'
no argument: passed
20 bytes: passed, and the folder has the argument in its name
300 bytes: ENAMETOOLONG
END
cmp seen.txt wanted.txt
