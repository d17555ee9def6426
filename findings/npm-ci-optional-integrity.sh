#!/bin/sh
# npm ci answers success when the hash of an optional dependency is wrong.
#
# Seen with npm 11.19.1 on Node 20.20.2, 2026-11-28. The package: nanoid 5.1.5.
# Expected: `npm ci` compares the download with the hash of the lock file and fails with EINTEGRITY, as it does for an
# ordinary dependency.
# Seen: for an optional one it prints nothing of it, leaves the package out, and exits with 0. It is the same when the registry
# cannot be reached. So an exit of 0 does not say that what a lock file pins is there.
# Kasir: the Node that the set-up fetches is given to npm as a dependency that must be installed (decision 0055).
#
# Output seen:
#   dependencies: exit 1, EINTEGRITY, installed: no
#   optionalDependencies: exit 0, no error, installed: no
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --prefix tool npm@11.19.1 >/dev/null
mkdir package
cd package
npm11() { node ../tool/node_modules/npm/bin/npm-cli.js "$@"; }

try() {
  rm -rf node_modules package-lock.json
  printf '{"name":"x","version":"1.0.0","private":true,"%s":{"nanoid":"5.1.5"}}' "$1" >package.json
  npm11 install --package-lock-only --ignore-scripts --no-audit --no-fund >npm.log 2>&1
  # Another hash of the same length.
  sed -i 's/"integrity": "sha512-....../"integrity": "sha512-AAAAAA/' package-lock.json
  grep -q 'sha512-AAAAAA' package-lock.json
  code=0
  npm11 ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || code=$?
  error='no error'
  if grep -q EINTEGRITY npm.log; then error=EINTEGRITY; fi
  installed=no
  if [ -e node_modules/nanoid/package.json ]; then installed=yes; fi
  echo "$1: exit $code, $error, installed: $installed"
}

{ try dependencies; try optionalDependencies; } >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
dependencies: exit 1, EINTEGRITY, installed: no
optionalDependencies: exit 0, no error, installed: no
END
cmp seen.txt wanted.txt
