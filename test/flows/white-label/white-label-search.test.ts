// The search of the white-label test finds a planted canary under each encoding, which proves that its silence means absence.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import QRCode from 'qrcode';
import t from 'tap';
import { CANARY, findWords, RAIL_WORDS } from './canaries.js';
import { withPngChunk } from './png.js';

const WORD = new RegExp(CANARY, 'i');
const AROUND = `{"before":"${'x'.repeat(200)}","name":"${CANARY}"}`;
const png = await QRCode.toBuffer('nothing to see');

const formatHex = (character: string, width: number): string =>
  character.charCodeAt(0).toString(16).padStart(width, '0');
const each = (write: (character: string) => string): string => [...CANARY].map(write).join('');
const jwt = ['{"alg":"none"}', AROUND, 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const mimeLines = (text: string): string =>
  Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');

const PLANTED: Readonly<Record<string, Buffer | string>> = {
  'as it is': AROUND,
  'in capitals': AROUND.toUpperCase(),
  'inside a word': `a${CANARY}b`,
  gzip: gzipSync(AROUND),
  deflate: deflateSync(AROUND),
  'raw deflate': deflateRawSync(AROUND),
  brotli: brotliCompressSync(AROUND),
  base64: Buffer.from(AROUND).toString('base64'),
  'base64 of the word alone': Buffer.from(CANARY).toString('base64'),
  'base64 with its address in front': `cursor${Buffer.from(CANARY).toString('base64url')}`,
  'base64 in lines': mimeLines(AROUND),
  'base64 in base64': Buffer.from(Buffer.from(AROUND).toString('base64')).toString('base64'),
  'base64 of gzip': `{"log":"${gzipSync(AROUND).toString('base64')}"}`,
  'a token': `{"token":"${jwt}"}`,
  percent: `/path?name=${each((one) => `%${formatHex(one, 2)}`)}`,
  'percent twice': `/path?name=${each((one) => `%25${formatHex(one, 2)}`)}`,
  'JSON escapes': `{"name":"${each((one) => `\\u${formatHex(one, 4)}`)}"}`,
  'JSON in JSON': JSON.stringify({
    body: JSON.stringify({ name: 1 }).replace('1', `"${each((one) => `\\u${formatHex(one, 4)}`)}"`),
  }),
  'hex escapes': each((one) => `\\x${formatHex(one, 2)}`),
  entities: each((one) => `&#${one.charCodeAt(0)};`),
  'entities in hex': each((one) => `&#x${formatHex(one, 2)};`),
  'quoted-printable': each((one) => `=${formatHex(one, 2).toUpperCase()}`),
  'over the end of a mail line': `${CANARY.slice(0, 4)}=\r\n${CANARY.slice(4)}`,
  hex: Buffer.from(CANARY).toString('hex'),
  'two bytes a character': Buffer.from(CANARY, 'utf16le'),
  'a text in a picture': withPngChunk(png, 'tEXt', Buffer.from(`Software\0${CANARY}`)),
  'a compressed text in a picture': withPngChunk(
    png,
    'zTXt',
    Buffer.concat([Buffer.from('Software\0\0'), deflateSync(CANARY)]),
  ),
  'a picture in a page': `<img src="data:image/png;base64,${withPngChunk(png, 'tEXt', Buffer.from(`Software\0${CANARY}`)).toString('base64')}">`,
};

for (const [name, planted] of Object.entries(PLANTED)) {
  t.test(`a canary is found: ${name}`, (t) => {
    t.not(findWords(Buffer.from(planted), WORD).length, 0, 'it is found');
    const without = Buffer.isBuffer(planted) ? png : planted.slice(0, 3);
    t.strictSame(findWords(Buffer.from(without), WORD), [], 'and only it');
    t.end();
  });
}

t.test('the names of rails are found, and similar words are not', (t) => {
  for (const name of ['Midtrans', 'XENDIT', 'veritrans', 'a Snap page']) {
    t.not(findWords(Buffer.from(Buffer.from(name).toString('base64')), RAIL_WORDS).length, 0, name);
  }
  t.strictSame(findWords(Buffer.from('a snapshot'), RAIL_WORDS), []);
  t.end();
});
