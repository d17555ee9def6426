import t from 'tap';
import { computeCrc16, encodeEmv, hasValidCrc, readPayload } from '#actors/core/rails/emv-qr.js';

/** A payload of another encoder, with the issuer of QRIS, an amount and a terminal. */
const SYNTHETIC =
  '00020101021226640017ID.CO.EXAMPLE.WWW0118936000001234567890021012345678900303UMI51440014ID.CO.QRIS.WWW0215ID10200000000010303UMI5204599953033605405150005802ID5911TOKO CONTOH6007JAKARTA61051011062190108INV-00010703A0163046BAA';

t.test('a payload has a valid CRC only unchanged', (t) => {
  t.equal(computeCrc16('123456789'), 0x29b1, 'the check value of CRC-16/CCITT-FALSE');
  t.equal(computeCrc16(''), 0xffff);
  t.ok(hasValidCrc(SYNTHETIC));
  t.notOk(hasValidCrc(SYNTHETIC.replace('15000', '15001')));
  t.notOk(hasValidCrc(`${SYNTHETIC.slice(0, -1)}B`));
  t.notOk(hasValidCrc(SYNTHETIC.slice(0, -8)));
  t.notOk(hasValidCrc(''));
  t.end();
});

/** Of another program, with a merchant's name beyond ASCII. */
const ACCENTED =
  '00020101021226640017ID.CO.EXAMPLE.WWW0118936000001234567890021012345678900303UMI51440014ID.CO.QRIS.WWW0215ID10200000000010303UMI5204599953033605405150005802ID5912KAFÉ D’ANDRÉ6007JAKARTA61051011062190108INV-00010703A016304B0C6';

t.test('the CRC is over the bytes of UTF-8', (t) => {
  t.equal(computeCrc16('É’'), 0x2570);
  t.ok(hasValidCrc(ACCENTED));
  t.notOk(hasValidCrc(ACCENTED.replace('É', 'E')));
  const fields = encodeEmv([['59', 'KAFÉ D’ANDRÉ']]);
  t.match(fields, /^5912KAFÉ D’ANDRÉ6304[0-9A-F]{4}$/, 'a length counts characters');
  t.ok(hasValidCrc(fields));
  t.end();
});

t.test('a payload is read without blanks at its end, and only with a valid CRC', (t) => {
  for (const payload of [SYNTHETIC, ACCENTED]) {
    t.equal(readPayload(payload), payload);
    t.equal(readPayload(`${payload} \r\n`), payload);
    t.equal(readPayload(` ${payload}`), null);
  }
  t.equal(readPayload(SYNTHETIC.replace('15000', '15001')), null);
  t.equal(readPayload(' '), null);
  t.end();
});

t.test('encoded fields equal the payload of another encoder', (t) => {
  const payload = encodeEmv([
    ['00', '01'],
    ['01', '12'],
    [
      '26',
      [
        ['00', 'ID.CO.EXAMPLE.WWW'],
        ['01', '936000001234567890'],
        ['02', '1234567890'],
        ['03', 'UMI'],
      ],
    ],
    [
      '51',
      [
        ['00', 'ID.CO.QRIS.WWW'],
        ['02', 'ID1020000000001'],
        ['03', 'UMI'],
      ],
    ],
    ['52', '5999'],
    ['53', '360'],
    ['54', '15000'],
    ['58', 'ID'],
    ['59', 'TOKO CONTOH'],
    ['60', 'JAKARTA'],
    ['61', '10110'],
    [
      '62',
      [
        ['01', 'INV-0001'],
        ['07', 'A01'],
      ],
    ],
  ]);
  t.equal(payload, SYNTHETIC);
  t.end();
});

t.test('a small CRC is padded to four digits', (t) => {
  const payloads = Array.from({ length: 200 }, (_, index) => encodeEmv([['01', String(index)]]));
  t.ok(
    payloads.some((payload) => payload.slice(-4).startsWith('0')),
    'one begins with a zero',
  );
  for (const payload of payloads) t.match(payload, /6304[0-9A-F]{4}$/);
  t.end();
});

t.test('a value that is empty or too long throws', (t) => {
  t.throws(() => encodeEmv([['54', '']]), /field 54 has 0 characters/);
  t.throws(() => encodeEmv([['59', 'x'.repeat(100)]]), /field 59 has 100 characters/);
  t.throws(() => encodeEmv([['26', [['00', 'x'.repeat(96)]]]]), RangeError);
  t.end();
});
