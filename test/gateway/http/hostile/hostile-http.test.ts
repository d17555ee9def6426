// Hostile HTTP on raw sockets. After each case the process is alive, a new connection is answered, no smuggled request was
// handled, and none was handled twice.
//
// HOSTILE_PORT and HOSTILE_KEY (a test key) direct the cases at a whole gateway, where handled requests are not counted.
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { bodyCases } from './body-cases.js';
import { connectionCases } from './connection-cases.js';
import { framingCases } from './framing-cases.js';
import { headCases } from './head-cases.js';
import type { HostileCase, Shot } from './hostile-case.js';
import { findCode, get, type Heard, speak, listStatuses } from '#test/support/http/raw.js';
import { type OwnTarget, startTarget, type Target } from '#test/support/http/target.js';

const HANDLE_MS = 100;
/** How long to listen where the server may send anything or nothing, and keep the connection or not. */
const LISTEN_MS = 3_500;
/** A whole gateway tells nothing of what it handles. */
const PAUSE_MS = 20;

let own: OwnTarget | undefined;

async function chooseTarget(): Promise<Target> {
  const { HOSTILE_PORT: port, HOSTILE_KEY: key } = process.env;
  if (port !== undefined && key !== undefined) {
    return { port: Number(port), key, handled: () => undefined };
  }
  own = await startTarget({ handleMs: HANDLE_MS });
  return own;
}

const target = await chooseTarget();
/** Unique per run, because a whole gateway remembers the idempotency keys of the last run. */
const run = Date.now().toString(36);
let counter = 0;

async function shoot(each: HostileCase): Promise<{ heard: Heard; shot: Shot }> {
  counter += 1;
  const shot: Shot = {
    key: target.key,
    id: `own-${run}-${counter}`,
    smuggled: `smuggled-${run}-${counter}`,
    waitUntilHandled: () => waitUntilHandled(shot.id),
  };
  const wanted = each.statuses.length;
  const until = (text: string): boolean =>
    each.isClosed !== true && wanted > 0 && listStatuses(text).length >= wanted && isWhole(text);
  // The end of all others is known: the wanted answers, or a closed connection.
  const isOpenEnded = wanted === 0 && each.isClosed !== true;
  const options = isOpenEnded ? { forMs: LISTEN_MS } : { until };
  return { heard: await speak(target.port, each.steps(shot), options), shot };
}

function waitUntilHandled(id: string): Promise<unknown> {
  if (own === undefined) return sleep(PAUSE_MS);
  return waitUntil('it is handled', () => target.handled(id) === 1);
}

const isWhole = (text: string): boolean =>
  !text.includes('{') || text.trimEnd().endsWith('}') || !text.includes('\r\n\r\n');

async function check(test: Test, each: HostileCase): Promise<void> {
  const { heard, shot } = await shoot(each);
  checkStatuses(test, each, heard);
  if (each.code !== undefined) test.equal(findCode(heard.text), each.code, `${each.name}: code`);
  if (each.isClosed === true) test.not(heard.ending, 'open', `${each.name}: is closed`);
  if (each.isClosed === false) test.equal(heard.ending, 'open', `${each.name}: is kept`);
  checkHandled(test, each, shot);
  await checkAlive(test, each.name);
}

function checkStatuses(test: Test, each: HostileCase, heard: Heard): void {
  const statuses = listStatuses(heard.text);
  const told = `${each.name}: heard [${statuses.join()}] and ${heard.ending}`;
  if (each.statuses.length > 0) {
    const isAsWanted = statuses.every((status, index) => each.statuses[index]?.includes(status));
    test.ok(isAsWanted && statuses.length === each.statuses.length, told);
    return;
  }
  const good = statuses.filter((status) => status < 300).length;
  test.ok(good <= Math.max(...(each.handled ?? [0])), told);
}

function checkHandled(test: Test, each: HostileCase, shot: Shot): void {
  const handled = target.handled(shot.id);
  if (handled === undefined) return;
  const allowed = each.handled ?? [0];
  test.ok(allowed.includes(handled), `${each.name}: handled ${handled} times`);
  test.equal(target.handled(shot.smuggled), 0, `${each.name}: nothing hidden was handled`);
}

async function checkAlive(test: Test, name: string): Promise<void> {
  const next = await speak(target.port, [get('/healthz')], {
    until: (text) => text.endsWith('}'),
  });
  test.same(listStatuses(next.text), [200], `${name}: the next request is answered`);
}

t.teardown(() => own?.server.stop(0));

const cases = { framingCases, headCases, bodyCases, connectionCases };

const isQuick = (each: HostileCase): boolean =>
  each.isSlow !== true && (own !== undefined || each.isTimed !== true);

for (const [name, group] of Object.entries(cases)) {
  t.test(name, async (test) => {
    for (const each of group.filter(isQuick)) await check(test, each);
  });
}

t.test('slow requests end by a time-out', async (test) => {
  const slow = Object.values(cases).flatMap((group) =>
    group.filter((each) => each.isSlow === true),
  );
  await Promise.all(slow.map((each) => check(test, each)));
});

t.test('HEAD and 204 have no body', async (test) => {
  const head = 'HEAD /healthz HTTP/1.1\r\nHost: t\r\n\r\n';
  const isAnswered = (readText: () => string): Promise<unknown> =>
    waitUntil('its answer', () => readText().endsWith('\r\n\r\n'));
  const heard = await speak(target.port, [head, isAnswered, get('/healthz')], {
    until: (text) => text.endsWith('}'),
  });
  test.same(listStatuses(heard.text), [200, 200]);
  test.equal(heard.text.split('"status"').length, 2, 'one body for two answers');
});

t.test('1,000 connections at once are all answered', async (test) => {
  let goOn = (): void => undefined;
  const others = new Promise<void>((resolve) => (goOn = resolve));
  const steps = ['GET /heal', () => others, 'thz HTTP/1.1\r\nHost: t\r\n\r\n'];
  const open = Array.from({ length: 1000 }, () =>
    speak(target.port, steps, { until: (text) => text.endsWith('}') }),
  );
  if (own !== undefined) {
    const { server } = own;
    await waitUntil('all are connected', () => server.connections >= 1000);
  }
  await checkAlive(test, 'meanwhile');
  goOn();
  const heard = await Promise.all(open);
  test.equal(heard.filter(({ text }) => listStatuses(text)[0] === 200).length, 1000);
});

t.test('no handler threw and no request is left in flight', async (test) => {
  if (own === undefined) return;
  const { server, failures } = own;
  await waitUntil('no request is in flight', () => server.inFlight === 0);
  test.same(failures, []);
});
