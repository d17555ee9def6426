#!/bin/sh
# archive_command of Postgres (docs/operations/backup.md): copies a segment of the log to the archive, and to its disk, before
# Postgres may delete it. After a crash Postgres sends a segment again: the same bytes are accepted, others never overwrite.
#   archive-wal.sh <path of the segment> <path in the archive>
set -eu
if [ -e "$2" ]; then
  cmp "$1" "$2" && exit 0
  echo "archive-wal.sh: $2 exists with other content: another server writes to this archive. Give each server its own" >&2
  exit 1
fi
cp "$1" "$2.new"
sync "$2.new"
mv "$2.new" "$2"
sync "$(dirname "$2")"
