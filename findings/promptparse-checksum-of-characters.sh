#!/bin/sh
# promptparse refuses a right EMV merchant QR code, and writes a wrong checksum, if the name in tag 64 is not ASCII.
#
# Seen with promptparse 1.6.0 on Node 20.20.2, 2026-11-30.
# Expected: tag 63 has the CRC-16 of the bytes before it. The merchant's name in its own language (tag 64) is UTF-8, so one letter may
# be several bytes. A library that reads and writes these codes takes the CRC of bytes, as wallets do.
# Seen: it feeds JavaScript's characters to the CRC. For ASCII the two are the same. With CAFÉ in tag 64 `withCrcTag` writes another
# checksum, without a warning, and `parse(code, true)`, the strict reader, answers null for the right code, as for a damaged one.
# Kasir: takes the CRC of the bytes of UTF-8.
#
# Output seen:
#   CAFE: right 9D19, withCrcTag 9D19, parse reads it
#   CAFÉ: right 0614, withCrcTag 34E2, parse answers null
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund promptparse@1.6.0 >/dev/null
cat >sum.js <<'END'
const { parse, withCrcTag } = require('promptparse');
const tag = (id, value) => `${id}${String([...value].length).padStart(2, '0')}${value}`;
// CRC-16/CCITT-FALSE: polynomial 1021, it begins with FFFF.
const sum = (text) => {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
};
for (const name of ['CAFE', 'CAFÉ']) {
  const body =
    tag('00', '01') + tag('01', '12') + tag('53', '360') + tag('54', '150000') + tag('58', 'ID') +
    tag('59', 'EXAMPLE') + tag('60', 'JAKARTA') + tag('64', tag('00', 'fr') + tag('01', name));
  const right = `${body}6304${sum(`${body}6304`)}`;
  const answer = parse(right, true) === null ? 'answers null' : 'reads it';
  const written = withCrcTag(body, '63').slice(-4);
  console.log(`${name}: right ${right.slice(-4)}, withCrcTag ${written}, parse ${answer}`);
}
END
node sum.js >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
CAFE: right 9D19, withCrcTag 9D19, parse reads it
CAFÉ: right 0614, withCrcTag 34E2, parse answers null
END
cmp seen.txt wanted.txt
