#!/bin/sh
# Three readers of bank statements (MT940) book a line of 2 January a year too early if its value date is in December.
#
# Seen with mt940-js 1.0.0 (and tslib 2.8.1, which it needs and does not name), mt940js 1.3.5 and @centrapay/swift-parser 1.0.1
# on Node 20.20.2, 2026-11-30.
# Expected: field 61 has the value date with its year, and the entry date as month and day. A reader takes the year that brings the
# two together: they are days apart.
# Seen: all three take the year of the value date. A line of value 2026-12-31 that is entered on 2 January has the entry date
# 2026-01-02, 363 days before, and one of value 2027-01-02 that is entered on 31 December has 2027-12-31, in the future. Neither
# throws or warns. The rest of the year is right, so that tests seldom see it.
# Kasir: reads no MT940.
#
# Output seen:
#   mt940js 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
#   swift-parser 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
#   mt940-js 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
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

// value date and entry date
const lines = ['2611291130', '2612310102', '2701021231'];
const data = [
  ...[':20:EXAMPLE', ':25:0000000000', ':28C:1/1', ':60F:C261129IDR0,00'],
  ...lines.flatMap((dates) => [`:61:${dates}C100,00NTRFEXAMPLE`, ':86:example']),
  ...[':62F:C270102IDR300,00', '-', ''],
].join('\r\n');
const day = (date) => (typeof date === 'string' ? date : date.toISOString().slice(0, 10));
const print = (name, [statement], value) => {
  const read = statement.transactions.map((each) => `${day(each[value])} ${day(each.entryDate)}`);
  console.log(`${name} ${read.join(', ')}`);
};
print('mt940js', new mt940js.Parser().parse(data), 'date');
print('swift-parser', swift.parse({ type: 'mt940', data }), 'date');
print('mt940-js', await mt940.read(Buffer.from(data)), 'valueDate');
END
node read.js >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
mt940js 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
swift-parser 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
mt940-js 2026-11-29 2026-11-30, 2026-12-31 2026-01-02, 2027-01-02 2027-12-31
END
cmp seen.txt wanted.txt
