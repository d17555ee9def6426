// Bodies: what is no JSON, what is JSON in two ways, what is too much, too slow or never comes.
import { BODY, create, buildHead, type HostileCase } from './hostile-case.js';

const KIB = 1024;

const body = (name: string, bytes: string | Buffer, code: string, status = 400): HostileCase => ({
  name,
  steps: (shot) => [create(shot, bytes)],
  statuses: [[status]],
  code,
  handled: [0],
  isClosed: false,
});

const inBytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );

const announced = (name: string, length: number, sent: string): HostileCase => ({
  name,
  steps: (shot) => [`${buildHead(shot, [`Content-Length: ${length}`])}\r\n\r\n${sent}`],
  statuses: [[413]],
  code: 'body_too_large',
  handled: [0],
});

export const bodyCases: readonly HostileCase[] = [
  body('no JSON', 'amount=15000', 'body_invalid'),
  body('half of JSON', BODY.slice(0, -1), 'body_invalid'),
  body('JSON and more', `${BODY}{}`, 'body_invalid'),
  body('a byte order mark', `\ufeff${BODY}`, 'body_invalid'),
  body('UTF-16', Buffer.from(BODY, 'utf16le'), 'body_invalid'),
  body(
    'invalid UTF-8',
    inBytes('{"amount":"15000","description":"', [0xff, 0xfe], '"}'),
    'body_invalid',
  ),
  body(
    'overlong UTF-8',
    inBytes('{"amount":"15000","description":"', [0xc0, 0xaf], '"}'),
    'body_invalid',
  ),
  body(
    'a surrogate in UTF-8',
    inBytes('{"amount":"15000","description":"', [0xed, 0xa0, 0x80], '"}'),
    'body_invalid',
  ),
  body('NUL bytes', inBytes([0, 0, 0, 0]), 'body_invalid'),
  body('a raw NUL in a string', '{"amount":"15000","description":"a\0b"}', 'body_invalid'),
  body('an escaped NUL', '{"amount":"15000","description":"a\\u0000b"}', 'field_invalid'),
  body('half a surrogate pair', '{"amount":"15000","description":"\\ud800"}', 'field_invalid'),
  body('half a pair in a name', '{"amount":"15000","metadata":{"\\udc00":"a"}}', 'field_invalid'),
  body('a field twice', '{"amount":"15000","amount":"1"}', 'body_invalid'),
  body('a field twice, once escaped', '{"amount":"15000","\\u0061mount":"1"}', 'body_invalid'),
  body('a nested field twice', '{"amount":"15000","metadata":{"a":"1","a":"2"}}', 'body_invalid'),
  body('__proto__', '{"amount":"15000","__proto__":{"description":"a"}}', 'body_invalid'),
  body(
    '__proto__, escaped and nested',
    '{"amount":"15000","metadata":{"__pro\\u0074o__":"a"}}',
    'body_invalid',
  ),
  body('constructor', '{"amount":"15000","constructor":{"prototype":{}}}', 'body_invalid'),
  body('an unknown field', '{"amount":"15000","card_number":"1"}', 'body_invalid'),
  body(
    'deep arrays',
    `{"amount":"15000","metadata":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    'body_invalid',
  ),
  body('deep objects without an end', '{"a":'.repeat(8000), 'body_invalid'),
  body('an array', '[1]', 'body_invalid'),
  body('an empty array', '[]', 'amount_invalid'),
  body('null', 'null', 'body_invalid'),
  body('a string', '"amount"', 'body_invalid'),
  body('a number where a string is due', '{"amount":15000}', 'amount_invalid'),
  body('a number in exponents', '{"amount":"1e5"}', 'amount_invalid'),
  body('Arabic digits', '{"amount":"١٥٠"}', 'amount_invalid'),
  body('no amount', '{}', 'amount_invalid'),
  body('nothing', '', 'body_invalid'),
  {
    name: 'another media type',
    steps: (shot) => [create(shot).toString().replace('application/json', 'text/plain')],
    statuses: [[415]],
    code: 'media_type_unsupported',
    handled: [0],
  },
  {
    name: 'a charset that is not UTF-8',
    steps: (shot) => [create(shot).toString().replace('/json', '/json; charset=utf-16')],
    statuses: [[415]],
    code: 'media_type_unsupported',
    handled: [0],
  },
  {
    name: 'a compressed body',
    steps: (shot) => [
      create(shot).toString().replace('Content-Type:', 'Content-Encoding: gzip\r\nContent-Type:'),
    ],
    statuses: [[415]],
    code: 'media_type_unsupported',
    handled: [0],
  },
  {
    name: 'an identical encoding',
    steps: (shot) => [
      create(shot)
        .toString()
        .replace('Content-Type:', 'Content-Encoding: Identity\r\nContent-Type:'),
    ],
    statuses: [[201]],
    handled: [1],
  },
  body('64 KiB and one byte', ' '.repeat(64 * KIB + 1), 'body_too_large', 413),
  body('2 MiB', ' '.repeat(2048 * KIB), 'body_too_large', 413),
  { ...body('6 MiB', ' '.repeat(6144 * KIB), 'body_too_large', 413), isClosed: false },
  announced('a terabyte announced, nothing sent', 1e12, ''),
  announced('1 MiB announced, a little sent', 1024 * KIB, 'abc'),
  {
    name: 'a chunked body of 6 MiB',
    steps: (shot) => [
      `${buildHead(shot, ['Transfer-Encoding: chunked'])}\r\n\r\n`,
      ...Array.from({ length: 96 }, () => `10000\r\n${' '.repeat(64 * KIB)}\r\n`),
      '0\r\n\r\n',
    ],
    statuses: [[413]],
    code: 'body_too_large',
    handled: [0],
  },
  {
    name: 'a body that drips a byte every 200 ms',
    steps: (shot) => [
      `${buildHead(shot, ['Content-Length: 200'])}\r\n\r\n`,
      ...Array.from({ length: 100 }, () => [' ', 200]).flat(),
    ],
    statuses: [],
    handled: [0],
    isClosed: true,
    isSlow: true,
  },
  {
    name: 'a body that never comes',
    steps: (shot) => [`${buildHead(shot, ['Content-Length: 18'])}\r\n\r\n`],
    statuses: [],
    handled: [0],
    isClosed: true,
    isSlow: true,
  },
  {
    name: 'a refused request whose body never comes',
    steps: (shot) => [`${buildHead({ ...shot, key: 'wrong' }, ['Content-Length: 18'])}\r\n\r\n`],
    statuses: [[401]],
    handled: [0],
    isClosed: true,
  },
  {
    name: 'a body in single bytes',
    steps: (shot) => [
      `${buildHead(shot, ['Content-Length: 18'])}\r\n\r\n`,
      ...[...BODY].flatMap((letter) => [letter, 5]),
    ],
    statuses: [[201]],
    handled: [1],
  },
  {
    name: 'headers in single bytes',
    steps: (shot) => {
      const [line = '', ...rest] = create(shot)
        .toString()
        .split(/(?<=\r\n)/);
      return [
        line,
        ...rest
          .join('')
          .split('')
          .flatMap((letter) => [letter, 1]),
      ];
    },
    statuses: [[201]],
    handled: [1],
  },
  {
    // Tried: this build answers 505 when a packet ends inside ` HTTP/1.1`.
    name: 'a request line cut in its version',
    steps: (shot) => {
      const [start = '', ...rest] = create(shot).toString().split('HTTP/1.1');
      return [`${start}HTTP/`, 20, `1.1${rest.join('HTTP/1.1')}`];
    },
    statuses: [[201, 505]],
    handled: [0, 1],
  },
  {
    name: 'Expect: 100-continue in another case, and the body at once',
    steps: (shot) => [create(shot, BODY, ['Expect: 100-Continue'])],
    statuses: [[201]],
    handled: [1],
  },
  {
    name: 'Expect: 100-continue',
    steps: (shot) => [
      `${buildHead(shot, ['Content-Length: 18', 'Expect: 100-continue'])}\r\n\r\n`,
      200,
      BODY,
    ],
    statuses: [[201]],
    handled: [1],
  },
  {
    name: 'an expectation that nobody knows',
    steps: (shot) => [create(shot, BODY, ['Expect: a-miracle'])],
    statuses: [[417]],
    code: 'expectation_unsupported',
    handled: [0],
  },
  {
    name: 'a GET with a body',
    steps: () => ['GET /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc'],
    statuses: [[200]],
  },
];
