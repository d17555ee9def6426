// Requests whose end two readers could see in two places, each with another request hidden behind it.
import { BODY, create, buildHead, type HostileCase, type Shot, smuggle } from './hostile-case.js';

const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKS = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/**
 * Header lines that make a create unsafe: refused, closed, never handled; and once more with a request behind it
 * in the packet, which closes the connection, before the 400 has left or after.
 */
function refused(name: string, lines: readonly string[], body = BODY): HostileCase[] {
  const common = { handled: [0], isClosed: true };
  return [
    {
      ...common,
      name,
      steps: (shot) => [`${buildHead(shot, lines)}\r\n\r\n${body}`],
      statuses: [[400]],
    },
    {
      ...common,
      name: `${name}, and a request behind it`,
      steps: (shot) => [`${buildHead(shot, lines)}\r\n\r\n${body}${smuggle(shot)}`],
      statuses: [],
    },
  ];
}

const chunked = (
  name: string,
  body: string,
  statuses: HostileCase['statuses'],
  handled: number[],
): HostileCase => ({
  name,
  steps: (shot) => [`${buildHead(shot, ['Transfer-Encoding: chunked'])}\r\n\r\n${body}`],
  statuses,
  handled,
  isClosed: true,
});

const twice = (name: string, line: (shot: Shot) => string): HostileCase => ({
  name: `${name} twice`,
  steps: (shot) => [create(shot, BODY, [line(shot)])],
  statuses: [[400]],
  code: 'field_invalid',
  handled: [0],
  isClosed: true,
});

export const framingCases: readonly HostileCase[] = [
  ...refused('Content-Length twice, equal', [LENGTH, LENGTH]),
  ...refused('Content-Length twice, different', [LENGTH, 'Content-Length: 3']),
  ...refused('Content-Length 0 and then the true one', ['Content-Length: 0', LENGTH]),
  ...refused(
    'Content-Length and Transfer-Encoding',
    [LENGTH, 'Transfer-Encoding: chunked'],
    CHUNKS,
  ),
  ...refused(
    'Transfer-Encoding and Content-Length',
    ['Transfer-Encoding: chunked', LENGTH],
    CHUNKS,
  ),
  ...refused(
    'Transfer-Encoding and an empty Content-Length',
    ['Transfer-Encoding: chunked', 'Content-Length:'],
    CHUNKS,
  ),
  ...refused(
    'Transfer-Encoding twice',
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    CHUNKS,
  ),
  ...refused('Transfer-Encoding: xchunked', ['Transfer-Encoding: xchunked'], CHUNKS),
  ...refused(
    'Transfer-Encoding: chunked, identity',
    ['Transfer-Encoding: chunked, identity'],
    CHUNKS,
  ),
  ...refused('Transfer-Encoding: gzip, chunked', ['Transfer-Encoding: gzip, chunked'], CHUNKS),
  ...refused('Transfer-Encoding: identity', ['Transfer-Encoding: identity']),
  ...refused('Transfer-Encoding: nothing', ['Transfer-Encoding:']),
  ...refused('Content-Length: -1', ['Content-Length: -1']),
  ...refused('Content-Length: +18', ['Content-Length: +18']),
  ...refused('Content-Length: 0x12', ['Content-Length: 0x12']),
  ...refused('Content-Length: 18, 18', ['Content-Length: 18, 18']),
  ...refused('Content-Length: 18 18', ['Content-Length: 18 18']),
  ...refused('Content-Length: 1e1', ['Content-Length: 1e1']),
  ...refused('Content-Length: nothing', ['Content-Length:']),
  ...refused('Content-Length of 30 digits', [`Content-Length: ${'9'.repeat(30)}`]),
  twice('Host', () => 'Host: other'),
  twice('Authorization', (shot) => `Authorization: Bearer ${shot.key}`),
  twice('X-Api-Key', (shot) => `X-Api-Key: ${shot.key}\r\nX-Api-Key: ${shot.key}`),
  twice('Idempotency-Key', (shot) => `Idempotency-Key: ${shot.smuggled}`),
  twice('Service-Version', () => 'Service-Version: 2026-08-02\r\nService-Version: 2026-08-02'),
  chunked('a chunked body', CHUNKS, [[201]], [1]),
  {
    name: 'a chunked body and a request behind it',
    steps: (shot) => [
      `${buildHead(shot, ['Transfer-Encoding: chunked'])}\r\n\r\n${CHUNKS}${smuggle(shot)}`,
    ],
    statuses: [],
    handled: [0, 1],
    isClosed: true,
  },
  {
    name: 'a request in the trailers of a chunked body',
    steps: (shot) => [
      `${buildHead(shot, ['Transfer-Encoding: chunked'])}\r\n\r\n${CHUNKS.slice(0, -2)}XX${smuggle(shot)}`,
    ],
    statuses: [],
    handled: [0, 1],
    isClosed: true,
  },
  chunked('a chunk size that is no number', `zz\r\n${BODY}\r\n0\r\n\r\n`, [[400]], [0]),
  chunked('a negative chunk size', `-12\r\n${BODY}\r\n0\r\n\r\n`, [[400]], [0]),
  chunked(
    'a chunk size beyond 64 bits',
    `ffffffffffffffff12\r\n${BODY}\r\n0\r\n\r\n`,
    [[400]],
    [0],
  ),
  {
    ...chunked('a chunk extension', `12;a=b\r\n${BODY}\r\n0\r\n\r\n`, [], [0, 1]),
    isSlow: true,
  },
  {
    ...chunked('a chunked body without an end', '5\r\nabcde\r\n', [], [0]),
    isSlow: true,
  },
];
