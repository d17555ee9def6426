// The budgets of logins, of proofs in a session and of mailed links, without gateways: strangers use up none of the
// others.
import t, { type Test } from 'tap';
import type { SessionId, UserId } from '#actors/core/ids.js';
import { createLoginThrottle } from '#gateway/limits/login-throttle.js';
import type { Session } from '#gateway/routing/request.js';
import { Buckets } from '#store/redis/limits/buckets.js';

const LIMIT = 5;
const EMAIL = 'admin@example.com';
const HOUR_MS = 60 * 60_000;

const session: Session = {
  id: 'ses_1' as SessionId,
  userId: 'usr_1' as UserId,
  email: EMAIL,
  role: 'admin',
  merchantId: null,
  isVerified: true,
  hasSecondFactor: true,
  mustEnrol: false,
  isByCookie: false,
};

function openThrottle(t: Test) {
  const time = { nowMs: 1_000_000 };
  const lockouts: string[] = [];
  const buckets = new Buckets({
    count: () => Promise.reject(new Error('each process counts for itself')),
    monotonicMs: () => time.nowMs,
  });
  t.teardown(() => buckets.stop());
  const throttle = createLoginThrottle(LIMIT, buckets, (account) => lockouts.push(account));
  return { throttle, lockouts, time };
}

/** Repeats what takes from a budget until it is refused; returns how often it was not. */
function countTakes(take: () => boolean): number {
  let taken = 0;
  while (taken < 1_000 && take()) taken += 1;
  return taken;
}

t.test('failed logins of strangers leave the proofs in a session alone', (t) => {
  const { throttle, lockouts } = openThrottle(t);
  const logIn = (address: string): boolean => throttle.take(EMAIL, address).error === undefined;
  for (let client = 1; client <= 20; client += 1) {
    t.equal(
      countTakes(() => logIn(`192.0.2.${client}`)),
      LIMIT,
    );
  }
  t.equal(logIn('198.51.100.1'), false, 'the account is locked for every client');
  t.ok(lockouts.length > 0);
  const prove = (address: string): boolean =>
    throttle.takeInSession(session, address).error === undefined;
  t.equal(
    countTakes(() => prove('192.0.2.1')),
    LIMIT,
    'where strangers failed, too',
  );
  t.equal(prove('198.51.100.1'), true, 'and elsewhere');
  const other: Session = { ...session, userId: 'usr_2' as UserId, email: 'other@example.com' };
  t.equal(throttle.takeInSession(other, '192.0.2.1').error, undefined, 'each user has a budget');
  t.end();
});

t.test('failed logins of strangers leave a browser that is known its own attempts', (t) => {
  const { throttle, lockouts } = openThrottle(t);
  const logIn = (address: string, device?: string): boolean =>
    throttle.take(EMAIL, address, device).error === undefined;
  for (let client = 1; client <= 20; client += 1) countTakes(() => logIn(`192.0.2.${client}`));
  t.equal(logIn('198.51.100.1'), false, 'the account is locked for strangers');
  const beforeMistakes = lockouts.length;
  throttle.take(EMAIL, '192.0.2.1', 'laptop').refund();
  t.equal(
    countTakes(() => logIn('192.0.2.1', 'laptop')),
    LIMIT,
    'a right login is free, and mistakes are limited',
  );
  t.ok(lockouts.length > beforeMistakes, 'the user is told');
  t.equal(logIn('198.51.100.2', 'laptop'), false, 'another address gives no more');
  t.equal(logIn('192.0.2.1', 'telephone'), true, 'another browser of the user');
  t.end();
});

t.test('a known browser logs in behind an address that strangers have used up', (t) => {
  const { throttle } = openThrottle(t);
  let account = 0;
  const failed = countTakes(() => {
    account += 1;
    return throttle.take(`nobody${account}@example.com`, '192.0.2.1').error === undefined;
  });
  t.equal(failed, 12 * LIMIT);
  t.not(throttle.take(EMAIL, '192.0.2.1').error, undefined);
  t.equal(throttle.take(EMAIL, '192.0.2.1', 'laptop').error, undefined);
  t.end();
});

t.test('proofs in a session are limited by client and by user, and a right one is free', (t) => {
  const { throttle, lockouts } = openThrottle(t);
  const prove = (address: string): boolean =>
    throttle.takeInSession(session, address).error === undefined;
  for (let round = 0; round < 3 * LIMIT; round += 1) {
    throttle.takeInSession(session, '192.0.2.1').refund();
  }
  let taken = 0;
  for (let client = 1; client <= 40; client += 1) {
    taken += countTakes(() => prove(`192.0.2.${client}`));
  }
  t.equal(taken, 20 * LIMIT);
  t.same([...new Set(lockouts)], [EMAIL], 'the user is told');
  t.equal(throttle.take(EMAIL, '192.0.2.1').error, undefined, 'logins have their own budget');
  t.end();
});

t.test('a client that asks for links keeps nobody else from one', (t) => {
  const { throttle, time } = openThrottle(t);
  for (const name of ['takeReset', 'takeVerification'] as const) {
    const ask = (address: string): boolean => throttle[name](EMAIL, address);
    t.equal(
      countTakes(() => ask('192.0.2.1')),
      LIMIT,
    );
    t.equal(ask('192.0.2.2'), true, 'the owner of the account');
    t.equal(
      countTakes(() => ask('2001:db8::1')),
      LIMIT,
    );
    t.equal(
      countTakes(() => ask('2001:db8:0:1::1')),
      LIMIT,
      'of a wider network',
    );
    t.equal(throttle[name]('other@example.com', '192.0.2.1'), true);
    time.nowMs += HOUR_MS;
    t.equal(
      countTakes(() => ask('192.0.2.1')),
      1,
      'an hour later',
    );
  }
  t.end();
});
