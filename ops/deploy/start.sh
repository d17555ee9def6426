#!/bin/sh
# Becomes a process of the Procfile, with its options of node, or else a command of the program kasir. The image and the units
# of systemd begin here.
#   start.sh gateway
#   start.sh migrate
cd "$(dirname "$0")/../.." || exit
options=$(sed -n "s/^$1: node //p" Procfile)
# Words without blanks: they are split on purpose.
if [ -n "$options" ]; then exec node $options; fi
exec node dist/bundle/kasir/main.js "$@"
