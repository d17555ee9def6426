#!/bin/sh
# Two builders of EMV merchant QR codes leave out a fee in per cent, and put a checksum on what is left.
#
# Seen with steplix-emv-qrcps 0.0.8 and emv-qrcps 0.0.7 on Node 20.20.2, 2026-11-30.
# Expected: tag 55 says which fee the wallet adds: 02 a fixed one in tag 56, 03 a percentage in tag 57, which must then be there. The
# library has a setter for each, so a code that is built, or read and written again, has both.
# Seen: the fixed fee is written. The setter of the percentage stores it elsewhere: the code says 55 = 03 and has no tag 57, for a code
# that is built and for one that is read. Nothing throws, and the checksum is right for the shorter code, so that it scans.
# Kasir: writes QRIS codes itself, without fees.
#
# Output seen:
#   emv-qrcps: fixed 550202 56042000, percentage 550203 -, read and written 550203 -
#   steplix-emv-qrcps: fixed 550202 56042000, percentage 550203 -, read and written 550203 -
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true}' >package.json
npm install --silent --ignore-scripts --no-audit --no-fund steplix-emv-qrcps@0.0.8 emv-qrcps@0.0.7 >/dev/null
cat >build.js <<'END'
const build = (merchant, setFee) => {
  const code = merchant.buildEMVQR();
  code.setPayloadFormatIndicator('01');
  code.setTransactionCurrency('360');
  code.setTransactionAmount('150000');
  setFee(code);
  code.setCountryCode('ID');
  code.setMerchantName('EXAMPLE');
  code.setMerchantCity('JAKARTA');
  return code.generatePayload();
};
// The tags of the fee stand between the amount and the country.
const show = (payload) => {
  const [, kind, fee] = /5406150000(550\d{3})(.*)5802ID/.exec(payload);
  return `${kind} ${fee || '-'}`;
};
for (const name of ['emv-qrcps', 'steplix-emv-qrcps']) {
  const { Merchant } = require(name);
  const fixed = build(Merchant, (code) => {
    code.setTipOrConvenienceIndicator('02');
    code.setValueOfConvenienceFeeFixed('2000');
  });
  const percentage = build(Merchant, (code) => {
    code.setTipOrConvenienceIndicator('03');
    code.setValueOfConvenienceFeePercentage('5');
  });
  const read = Merchant.Parser.toEMVQR(
    '00020153033605406150000550203570155802ID5907EXAMPLE6007JAKARTA63040000',
  );
  const again = show(read.generatePayload());
  console.log(`${name}: fixed ${show(fixed)}, percentage ${show(percentage)}, read and written ${again}`);
}
END
node build.js >seen.txt
cat seen.txt
cat >wanted.txt <<'END'
emv-qrcps: fixed 550202 56042000, percentage 550203 -, read and written 550203 -
steplix-emv-qrcps: fixed 550202 56042000, percentage 550203 -, read and written 550203 -
END
cmp seen.txt wanted.txt
