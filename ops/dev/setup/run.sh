#!/bin/sh
# Sets up and becomes node with a program. Both run on the Node that find-node.mjs answers, and so does each `node` and `npm`
# that the program starts by name.
#   sh ops/dev/setup/run.sh <argument of prepare.mjs> <program> [words]
setup=$(dirname "$0")
folder=$(node "$setup/find-node.mjs") || exit
export PATH="${folder:+$folder:}$PATH"
part=$1
shift
node "$setup/prepare.mjs" "$part" || exit
exec node "$@"
