// Heads that no client sends: what the parser refuses by itself, and what it lets through to us.
import { BODY, create, buildHead, type HostileCase, type Shot, smuggle } from './hostile-case.js';
import { MAX_HEAD_BYTES } from '#gateway/http/request-limits.js';
import { get } from '#test/support/http/raw.js';

/** The native parser's own answers: a short text and a close. */
const PARSER = [400, 431, 505];

const raw = (
  name: string,
  bytes: string,
  statuses: HostileCase['statuses'],
  rest: Partial<HostileCase> = {},
): HostileCase => ({
  name,
  steps: () => [bytes],
  statuses,
  ...rest,
});

/** The parser waits for an end that never comes, then closes without a word. */
const unfinished = (name: string, head: (shot: Shot) => string): HostileCase => ({
  name,
  steps: (shot) => [head(shot)],
  statuses: [],
  handled: [0],
  isClosed: true,
  isSlow: true,
});

const path = (target: string, status: number, code?: string): HostileCase =>
  raw(`GET ${target}`, get(target), [[status]], code === undefined ? {} : { code });

export const headCases: readonly HostileCase[] = [
  raw('HTTP/1.0', 'GET /healthz HTTP/1.0\r\n\r\n', [PARSER], { isClosed: true }),
  raw('HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [PARSER], { isClosed: true }),
  raw('HTTP/9.9', 'GET /healthz HTTP/9.9\r\nHost: t\r\n\r\n', [PARSER], { isClosed: true }),
  raw('absolute form', 'GET http://test/healthz HTTP/1.1\r\nHost: t\r\n\r\n', [PARSER], {
    isClosed: true,
  }),
  raw('asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n', [PARSER], { isClosed: true }),
  raw('authority form', 'CONNECT test:443 HTTP/1.1\r\nHost: t\r\n\r\n', [PARSER], {
    isClosed: true,
  }),
  raw('garbage', '\x00\x01\x02\xff\r\n\r\n', [PARSER], { isClosed: true }),
  raw('a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 \r\n', [PARSER], {
    isClosed: true,
  }),
  raw('line feeds only', 'GET /healthz HTTP/1.1\nHost: t\n\n', [PARSER], { isClosed: true }),
  raw('a head of half the limit', get('/healthz', [`X: ${'a'.repeat(MAX_HEAD_BYTES / 2)}`]), [
    [200],
  ]),
  raw('a head beyond the limit', get('/healthz', [`X: ${'a'.repeat(MAX_HEAD_BYTES)}`]), [[431]], {
    isClosed: true,
  }),
  raw('cookies of 12 KiB', get('/healthz', [`Cookie: shop=${'a'.repeat(12 * 1024)}`]), [[200]]),
  raw(
    '200 headers',
    get(
      '/healthz',
      Array.from({ length: 200 }, () => 'X: a'),
    ),
    [[431]],
    { isClosed: true },
  ),
  raw('a path of 8 KiB', get(`/${'a'.repeat(8192)}`), [[404]]),
  raw('a path of 16 KiB', get(`/${'a'.repeat(16_384)}`), [[431]], { isClosed: true }),
  unfinished('no Host', () => 'GET /healthz HTTP/1.1\r\n\r\n'),
  unfinished(
    'a folded header',
    (shot) => `${buildHead(shot, ['X: a', ' b', 'Content-Length: 18'])}\r\n\r\n${BODY}`,
  ),
  unfinished(
    'a blank before the colon',
    (shot) => `${buildHead(shot, ['Content-Length : 18'])}\r\n\r\n${BODY}${smuggle(shot)}`,
  ),
  unfinished(
    'NUL in a header',
    (shot) => `${buildHead(shot, ['X: a\0b', 'Content-Length: 18'])}\r\n\r\n${BODY}`,
  ),
  unfinished(
    'a bare CR in a header',
    (shot) => `${buildHead(shot, ['X: a\rb', 'Content-Length: 18'])}\r\n\r\n${BODY}`,
  ),
  unfinished('half a request line', () => 'GET /heal'),
  unfinished('half a head', (shot) => buildHead(shot, ['Content-Length: 18'])),
  unfinished('nothing at all', () => ''),
  {
    name: 'headers that drip a byte every 200 ms',
    steps: (shot) => {
      const [line = '', ...rest] = buildHead(shot, []).split(/(?<=\r\n)/);
      return [
        line,
        ...rest
          .join('')
          .slice(0, 100)
          .split('')
          .flatMap((letter) => [letter, 200]),
      ];
    },
    statuses: [],
    handled: [0],
    isClosed: true,
    isSlow: true,
  },
  {
    name: 'headers without an end',
    steps: () => [
      'GET /healthz HTTP/1.1\r\nHost: t\r\n',
      ...Array.from({ length: 200 }, (_, i) => `X-${i}: ${'a'.repeat(100)}\r\n`),
    ],
    // 431 and a close, which can overtake it: the parser does not read the rest.
    statuses: [],
    isClosed: true,
  },
  path('/', 404, 'path_not_found'),
  path('/v1/payments/', 404, 'path_not_found'),
  path('//v1/payments', 404, 'path_not_found'),
  path('/v1/%70ayments/x', 404, 'path_not_found'),
  path('/v1/payments/../../healthz', 404, 'path_not_found'),
  path('/v1/payments/..%2f..%2fhealthz', 404, 'payment_not_found'),
  path('/v1/payments/%00', 404, 'payment_not_found'),
  path('/v1/payments/%', 404, 'payment_not_found'),
  path('/v1/payments/%zz%ff%c0%af', 404, 'payment_not_found'),
  path('/v1/payments/\xff\xfe', 404, 'payment_not_found'),
  path('/v1/payments/{payment_id}', 404, 'payment_not_found'),
  path('/v1/payments/__proto__', 404, 'payment_not_found'),
  path('/__proto__/constructor', 404, 'path_not_found'),
  path('/healthz?a=%zz&a=1&__proto__=2', 200),
  path(`/${'a/'.repeat(500)}`, 404, 'path_not_found'),
  raw('HEAD', 'HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n', [[200]]),
  raw('HEAD of nothing', 'HEAD /nothing HTTP/1.1\r\nHost: t\r\n\r\n', [[404]]),
  raw('HEAD that must close', 'HEAD /healthz HTTP/1.1\r\nHost: t\r\nHost: u\r\n\r\n', [[400]], {
    isClosed: true,
  }),
  raw('an unknown method', 'BREW /healthz HTTP/1.1\r\nHost: t\r\n\r\n', [[405]], {
    code: 'method_not_allowed',
  }),
  raw('a method in small letters', 'get /healthz HTTP/1.1\r\nHost: t\r\n\r\n', [[405]], {
    code: 'method_not_allowed',
  }),
  raw('__proto__ as a method', '__proto__ /healthz HTTP/1.1\r\nHost: t\r\n\r\n', [[405]], {
    code: 'method_not_allowed',
  }),
  raw('TRACE', 'TRACE /healthz HTTP/1.1\r\nHost: t\r\n\r\n', [[405]], {
    code: 'method_not_allowed',
  }),
  raw(
    'an upgrade',
    get('/healthz', [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]),
    [[200]],
  ),
  raw('Connection: close', get('/healthz', ['Connection: close']), [[200]], { isClosed: true }),
  {
    name: 'invalid UTF-8 in Idempotency-Key',
    steps: (shot) => [create({ ...shot, id: '\xff\xfe' })],
    statuses: [[400]],
    code: 'idempotency_key_invalid',
    handled: [0],
  },
  {
    name: 'an Idempotency-Key of 256 characters',
    steps: (shot) => [create({ ...shot, id: 'k'.repeat(256) })],
    statuses: [[400]],
    code: 'idempotency_key_invalid',
    handled: [0],
  },
];
