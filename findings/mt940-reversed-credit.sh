#!/bin/sh
# Of three readers of bank statements (MT940), one gives a reversed credit as money that came in.
#
# Seen with mt940-js 1.0.0 (and tslib 2.8.1, which it needs and does not name), mt940js 1.3.5 and @centrapay/swift-parser 1.0.1
# on Node 20.20.2, 2026-11-30.
# Expected: field 61 has the marks C, D, RC and RD. RC takes a credit back, so it lowers the balance as D does, and RD raises it. A
# reader gives amounts with their sign, or a direction that is right for a sum. An R after the mark is no reversal: it is the
# funds code, the third letter of IDR.
# Seen: mt940js and swift-parser give RC a minus and RD a plus. mt940-js finds the letter C in the mark: RC is `isCredit: true` with a
# positive amount, RD is `isCredit: false`, and no member tells a reversal. A credit that was reversed counts twice instead of not
# at all. All three read the funds code as it is meant.
# Kasir: reads no MT940.
#
# Output seen:
#   mt940js C 100000, CR 100000, D -100000, RC -100000, RD 100000, RCR -100000
#   swift-parser C 100000, CR 100000, D -100000, RC -100000, RD 100000, RCR -100000
#   mt940-js C 100000, CR 100000, D -100000, RC 100000, RD -100000, RCR 100000
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund mt940-js@1.0.0 tslib@2.8.1 mt940js@1.3.5 @centrapay/swift-parser@1.0.1 >/dev/null
cat >read.js <<'END'
import swift from '@centrapay/swift-parser';
import mt940 from 'mt940-js';
import mt940js from 'mt940js';

const marks = ['C', 'CR', 'D', 'RC', 'RD', 'RCR'];
const data = [
  ...[':20:EXAMPLE', ':25:0000000000', ':28C:1/1', ':60F:C261130IDR1000000,00'],
  ...marks.flatMap((mark) => [`:61:2611301130${mark}100000,00NTRFEXAMPLE`, `:86:${mark}`]),
  ...[':62F:C261130IDR1000000,00', '-', ''],
].join('\r\n');
const print = (name, [statement], sign) => {
  const read = statement.transactions.map((transaction, index) => `${marks[index]} ${sign(transaction)}`);
  console.log(`${name} ${read.join(', ')}`);
};
print('mt940js', new mt940js.Parser().parse(data), ({ amount }) => amount);
print('swift-parser', swift.parse({ type: 'mt940', data }), ({ amount }) => Number(amount));
print('mt940-js', await mt940.read(Buffer.from(data)), ({ amount, isCredit }) => (isCredit ? amount : -amount));
END
node read.js >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
mt940js C 100000, CR 100000, D -100000, RC -100000, RD 100000, RCR -100000
swift-parser C 100000, CR 100000, D -100000, RC -100000, RD 100000, RCR -100000
mt940-js C 100000, CR 100000, D -100000, RC 100000, RD -100000, RCR 100000
END
cmp seen.txt wanted.txt
