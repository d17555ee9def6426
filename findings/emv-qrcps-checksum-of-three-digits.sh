#!/bin/sh
# One of 16 EMV merchant QR codes that emv-qrcps writes has a checksum that is too short.
#
# Seen with emv-qrcps 0.0.7 on Node 20.20.2, 2026-11-30.
# Expected: tag 63 has the CRC-16 as four hexadecimal digits; the tag and its length, `6304`, are the same in each code and are part
# of what the checksum covers.
# Seen: leading zeros of the number are left out, and the length follows: `6303` and three digits, or fewer. A reader that looks for
# `6304` at its place refuses the code, or takes the digit before for a part of it. Tests with a few examples pass. Its fork
# steplix-emv-qrcps 0.0.8 writes four digits.
# Kasir: writes four digits.
#
# Output seen:
#   1600 codes: 100 with fewer digits, the first with the amount 150044: right 6304098F, written 630398F
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund emv-qrcps@0.0.7 >/dev/null
cat >sum.js <<'END'
const { Merchant } = require('emv-qrcps');
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
const CODES = 1600;
let short = 0;
let first;
for (let amount = 150000; amount < 150000 + CODES; amount++) {
  const body =
    tag('00', '01') + tag('01', '12') + tag('53', '360') + tag('54', String(amount)) + tag('58', 'ID') +
    tag('59', 'EXAMPLE') + tag('60', 'JAKARTA');
  const right = `${body}6304${sum(`${body}6304`)}`;
  const written = Merchant.Parser.toEMVQR(right).generatePayload();
  if (written === right) continue;
  short += 1;
  first ??= `${amount}: right ${right.slice(body.length)}, written ${written.slice(body.length)}`;
}
console.log(`${CODES} codes: ${short} with fewer digits, the first with the amount ${first}`);
END
node sum.js >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
1600 codes: 100 with fewer digits, the first with the amount 150044: right 6304098F, written 630398F
END
cmp seen.txt wanted.txt
