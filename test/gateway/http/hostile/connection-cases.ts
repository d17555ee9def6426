// Clients that do not wait, go away, or want several things at once on one connection.
import { BODY, create, buildHead, type HostileCase, smuggle } from './hostile-case.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { get } from '#test/support/http/raw.js';

const FIN = { end: 'fin' } as const;
const RESET = { end: 'reset' } as const;
const waitForAnswer = (readText: () => string): Promise<unknown> =>
  waitUntil('the answer', () => readText().endsWith('}'));

/** The connection ends with our own step. */
const leaving = (
  name: string,
  steps: HostileCase['steps'],
  handled: readonly number[],
): HostileCase => ({
  name,
  steps,
  statuses: [],
  handled,
});

export const connectionCases: readonly HostileCase[] = [
  {
    name: 'three requests in a packet that are answered at once',
    steps: () => [get('/healthz') + get('/nothing') + get('/readyz')],
    statuses: [[200], [404], [200]],
  },
  {
    name: 'a create and a second one in its packet',
    steps: (shot) => [`${create(shot).toString()}${smuggle(shot)}`],
    statuses: [],
    handled: [0, 1],
    isClosed: true,
  },
  {
    name: 'a create, and before its answer a second one',
    isTimed: true,
    steps: (shot) => [create(shot), shot.waitUntilHandled, smuggle(shot)],
    statuses: [],
    handled: [1],
    isClosed: true,
  },
  {
    name: 'a refused body and a request behind it',
    steps: (shot) => [`${create({ ...shot, key: 'wrong' }).toString()}${get('/healthz')}`],
    statuses: [[401], [200]],
    handled: [0],
  },
  {
    name: 'two creates, one after the other',
    steps: (shot) => [create(shot), waitForAnswer, create(shot)],
    statuses: [[201], [201, 200]],
    handled: [2],
  },
  leaving('reset in the head', (shot) => [buildHead(shot, []), 20, RESET], [0]),
  leaving('reset in the body', (shot) => [create(shot).subarray(0, -5), 20, RESET], [0]),
  leaving('closed in the body', (shot) => [create(shot).subarray(0, -5), 20, FIN], [0]),
  leaving('reset before the answer', (shot) => [create(shot), shot.waitUntilHandled, RESET], [1]),
  leaving('closed before the answer', (shot) => [create(shot), shot.waitUntilHandled, FIN], [1]),
  leaving('reset at once', (shot) => [create(shot), RESET], [0, 1]),
  leaving(
    'reset with a chunk open',
    (shot) => [
      `${buildHead(shot, ['Transfer-Encoding: chunked'])}\r\n\r\nfff\r\n${BODY}`,
      20,
      RESET,
    ],
    [0],
  ),
  leaving(
    'reset while a refused body is dropped',
    (shot) => [
      `${buildHead({ ...shot, key: 'wrong' }, ['Content-Length: 99999'])}\r\n\r\n${BODY}`,
      20,
      RESET,
    ],
    [0],
  ),
];
