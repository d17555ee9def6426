// Documents are known by their first bytes, whatever their names.
import t from 'tap';
import { findMediaType } from '#gateway/accounts/kyc/media-type.js';

const PDF = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj';

t.test('a PDF is found behind what some programs put before its header', (t) => {
  for (const before of ['', '\ufeff', '\r\n', '\n\n\n', ' '.repeat(1_019)]) {
    t.equal(findMediaType(Buffer.from(before + PDF)), 'application/pdf', JSON.stringify(before));
  }
  t.end();
});

t.test('other files are refused', (t) => {
  for (const text of ['', '%PD', 'GIF89a', '<html>', ' '.repeat(1_020) + PDF]) {
    t.equal(findMediaType(Buffer.from(text)), undefined, text.slice(0, 10));
  }
  t.equal(findMediaType(Buffer.from([0xff, 0xd8, 0xff, 0xe0])), 'image/jpeg');
  t.equal(findMediaType(Buffer.from('89504e470d0a1a0a', 'hex')), 'image/png');
  t.end();
});
