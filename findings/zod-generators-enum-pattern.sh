#!/bin/sh
# Of a string schema with `enum` and `pattern`, two generators of Zod schemas make code that TypeScript refuses.
#
# Seen with orval 7.9.0, openapi-zod-client 1.18.3, zod 3.25.76 and TypeScript 5.9.3 on Node 20.20.2, 2026-11-28.
# Expected: both keywords are valid side by side (each value has to match both), so a generator writes a check that compiles, or
# leaves out the pattern, which says nothing that the list of values does not say.
# Seen: both make a Zod enum of the list and append the check of a text (`.regex`), a method that an enum does not have. They
# succeed and print no warning; the first sign is the error of the compiler, or a TypeError when the module is loaded.
# Kasir: no schema has a keyword beside `enum` or `const`, and a test compiles what both generators make.
#
# Output seen:
#   enum: orval 0 errors, openapi-zod-client 0 errors
#   enum and pattern: orval TS2339, openapi-zod-client TS2339
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund orval@7.9.0 openapi-zod-client@1.18.3 zod@3.25.76 typescript@5.9.3 >/dev/null

# $1: what stands beside `enum`
write_document() {
  cat <<END
{"openapi":"3.1.0","info":{"title":"Example","version":"1"},"paths":{"/orders":{"get":{"operationId":"listOrders",
"parameters":[{"name":"status","in":"query","schema":{"type":"string","enum":["open","paid"]$1}}],
"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}
END
}
# $1: a file. Prints the codes of its errors, each once.
compile() {
  node node_modules/typescript/bin/tsc --noEmit --strict --skipLibCheck --target es2022 --module nodenext "$1" |
    grep -o 'TS[0-9]*' | sort -u | paste -sd' ' | sed 's/^$/0 errors/'
}
# $1: a title, $2: what stands beside `enum`
try() {
  rm -f a.ts b.ts
  write_document "$2" >document.json
  npx orval --client zod --input document.json --output a.ts >/dev/null 2>&1
  npx openapi-zod-client document.json --output b.ts >/dev/null 2>&1
  echo "$1: orval $(compile a.ts), openapi-zod-client $(compile b.ts)"
}
{ try enum ''; try 'enum and pattern' ',"pattern":"^[a-z]+$"'; } >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
enum: orval 0 errors, openapi-zod-client 0 errors
enum and pattern: orval TS2339, openapi-zod-client TS2339
END
cmp seen.txt wanted.txt
