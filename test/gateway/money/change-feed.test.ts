// The feed of changes on given sources: what is told, in which order, and to whom.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId } from '#actors/core/ids.js';
import { ChangeFeed, type ChangeSource } from '#gateway/money/changes/change-feed.js';
import type { Permission } from '#gateway/routing/roles.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import type { Changes } from '#store/postgres/changes/change.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

const merchantId = makeId('mer', randomBytes(16));
const NONE: Changes = { changes: [], isComplete: true };
const change = (id: string): Changes => ({
  ...NONE,
  changes: [{ merchantId, environment: 'TEST', id }],
});

/** Answers these readings, and nothing later. */
function scriptSource(
  permission: Permission,
  ...readings: readonly (Changes | Error)[]
): ChangeSource {
  const left = [...readings];
  return {
    permission,
    read: () => {
      const reading = left.shift() ?? NONE;
      return reading instanceof Error ? Promise.reject(reading) : Promise.resolve(reading);
    },
    rest: () => undefined,
  };
}

/** Returns what a developer, who may not read payouts, is told. */
function followSources(t: Test, sources: readonly ChangeSource[], failsAt = 0) {
  const told: unknown[] = [];
  const role = 'developer';
  let rounds = 0;
  const feed = new ChangeFeed({
    findRoles: (sessions) => {
      rounds += 1;
      return rounds === failsAt
        ? Promise.reject(new Error('away'))
        : Promise.resolve(new Map(sessions.map((id) => [id, role])));
    },
    sources,
    log: createLog({ logLevel: 'silent' }, 'test'),
  });
  t.teardown(() => feed.stop());
  feed.follow({
    ...{ merchantId, environment: 'TEST', role, sessionId: makeId('ses', randomBytes(16)) },
    onReady: () => told.push('ready'),
    onChange: (ids) => told.push(ids),
    onEnd: () => told.push('end'),
  });
  return { feed, told };
}

t.test('when more changed than a reading holds, anything may have changed', async (t) => {
  const more = { ...NONE, isComplete: false };
  const { feed, told } = followSources(t, [
    scriptSource('read_payments', NONE, change('pay_1')),
    scriptSource('read_webhooks', NONE, more),
  ]);
  await waitUntil('the page is told', () => told.length === 2);
  await feed.stop();
  t.strictSame(told, ['ready', null, 'end']);
});

t.test('a source that fails holds up no other, and loses nothing', async (t) => {
  const { feed, told } = followSources(t, [
    scriptSource('read_payments', NONE, change('pay_1')),
    scriptSource('read_payouts', change('po_1'), change('po_2')),
    scriptSource('read_webhooks', NONE, new Error('away'), change('we_1')),
  ]);
  await waitUntil('the page is told', () => told.length === 3);
  await feed.stop();
  t.strictSame(told, ['ready', ['pay_1'], ['we_1'], 'end']);
});

// The second reading checks the sessions before it, and again before its changes are told.
for (const failsAt of [2, 3]) {
  t.test(`a reading whose check ${failsAt} of sessions fails loses nothing`, async (t) => {
    const sources = [scriptSource('read_payments', NONE, change('pay_1'))];
    const { feed, told } = followSources(t, sources, failsAt);
    await waitUntil('the page is told', () => told.length === 2);
    await feed.stop();
    t.strictSame(told, ['ready', ['pay_1'], 'end']);
  });
}

t.test('a session that ends during a reading is told nothing of it', async (t) => {
  const told: unknown[] = [];
  const sessionId = makeId('ses', randomBytes(16));
  const sessions = new Map([[sessionId, 'developer']]);
  let readings = 0;
  const feed = new ChangeFeed({
    findRoles: () => Promise.resolve(sessions),
    sources: [
      {
        permission: 'read_payments',
        read: () => {
          readings += 1;
          if (readings === 1) return Promise.resolve(NONE);
          sessions.clear();
          return Promise.resolve(change('pay_1'));
        },
        rest: () => undefined,
      },
    ],
    log: createLog({ logLevel: 'silent' }, 'test'),
  });
  t.teardown(() => feed.stop());
  feed.follow({
    ...{ merchantId, environment: 'TEST', role: 'developer', sessionId },
    onReady: () => told.push('ready'),
    onChange: (ids) => told.push(ids),
    onEnd: () => told.push('end'),
  });
  await waitUntil('the page has ended', () => told.includes('end'));
  t.strictSame(told, ['ready', 'end']);
});

t.test('a page ends, and is told of a change, within a second', async (t) => {
  const clock = new GivenClock(1_000);
  const told: unknown[] = [];
  const sessionId = makeId('ses', randomBytes(16));
  const sessions = new Map([[sessionId, 'developer']]);
  const feed = new ChangeFeed({
    findRoles: () => Promise.resolve(sessions),
    sources: [scriptSource('read_payments', NONE, change('pay_1'))],
    log: createLog({ logLevel: 'silent' }, 'test'),
    clock,
  });
  t.teardown(() => feed.stop());
  feed.follow({
    ...{ merchantId, environment: 'TEST', role: 'developer', sessionId },
    onReady: () => told.push('ready'),
    onChange: (ids) => told.push(ids),
    onEnd: () => told.push('end'),
  });
  await waitUntil('the page follows', () => told.length === 1 && clock.nextInMs !== undefined);
  clock.advance(1_000);
  await waitUntil('the page is told', () => told.length === 2 && clock.nextInMs !== undefined);
  sessions.clear();
  clock.advance(1_000);
  await waitUntil('the page ends', () => told.length === 3);
  t.strictSame(told, ['ready', ['pay_1'], 'end']);
});
