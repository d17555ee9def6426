#!/bin/sh
# In a bundle of esbuild, a package that stays outside is evaluated before the modules that were imported before it.
#
# Seen with esbuild 0.28.2 on Node 20.20.2, 2026-11-28.
# Expected: modules are evaluated in the order of their imports, as without the bundle: the first sets an environment variable,
# the second, a native package that cannot be bundled, reads it while it is loaded.
# Seen: the bundle keeps the import of the package as a static import below the inlined code. Static imports are evaluated first,
# so the package finds the variable unset. No warning is printed.
# Kasir: gateway/http/native-library.ts sets such a variable and then loads the package by `await import`, which keeps the order.
#
# Output seen:
#   modules: settings, package reads 16, main
#   bundle: package reads nothing, settings, main
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --prefix tool esbuild@0.28.2 >/dev/null
mkdir -p node_modules/outside
echo '{"name":"outside","version":"1.0.0","type":"module","exports":"./index.js"}' >node_modules/outside/package.json
echo "console.log('package reads', process.env.EXAMPLE_LIMIT ?? 'nothing');" >node_modules/outside/index.js
printf "process.env.EXAMPLE_LIMIT = '16';\nconsole.log('settings');\n" >settings.mjs
printf "import './settings.mjs';\nimport 'outside';\nconsole.log('main');\n" >main.mjs
tool/node_modules/.bin/esbuild main.mjs --bundle --format=esm --platform=node --external:outside \
  --outfile=bundle.mjs --log-level=warning

list() { echo "$1: $(node "$2" | paste -sd, | sed 's/,/, /g')"; }
{ list modules main.mjs; list bundle bundle.mjs; } >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
modules: settings, package reads 16, main
bundle: package reads nothing, settings, main
END
cmp seen.txt wanted.txt
