// The circuit breaker on given times: it opens, probes, closes, and judges a failure by when its attempt began.
import t from 'tap';
import { CircuitBreaker } from '#ops/runtime/circuit-breaker.js';

const RESTS = { firstRestMs: 1_000, maxRestMs: 4_000 };

function openAt(nowMs: number, breaker: CircuitBreaker): void {
  for (let failures = 0; failures < 5; failures += 1) breaker.fail(nowMs, nowMs);
}

t.test('five failures in a row open it, and a success between them begins anew', (t) => {
  const breaker = new CircuitBreaker(RESTS);
  for (let failures = 0; failures < 4; failures += 1) t.notOk(breaker.fail(10, 10));
  breaker.succeed();
  for (let failures = 0; failures < 4; failures += 1) t.notOk(breaker.fail(10, 10));
  t.equal(breaker.state, 'closed');
  t.equal(breaker.countAllowed(8, 10), 8);
  t.ok(breaker.fail(10, 10));
  t.equal(breaker.state, 'open');
  t.equal(breaker.nextProbeMs, 1_010);
  t.equal(breaker.countAllowed(8, 1_009), 0);
  t.equal(breaker.countAllowed(8, 1_010), 1);
  t.end();
});

t.test('a failed probe doubles the rest up to the longest, and a success closes it', (t) => {
  const rests: number[] = [];
  const breaker = new CircuitBreaker({ ...RESTS, probeMs: 100, onChange: (ms) => rests.push(ms) });
  openAt(0, breaker);
  for (const beganMs of [1_000, 4_000, 9_000]) {
    t.ok(breaker.tryBegin(beganMs));
    t.equal(breaker.state, 'probing');
    t.ok(breaker.fail(beganMs, beganMs + 50));
  }
  t.ok(breaker.tryBegin(14_000));
  breaker.succeed();
  t.equal(breaker.state, 'closed');
  t.same(rests, [1_000, 100, 2_000, 100, 4_000, 100, 4_000, 100, 0]);
  openAt(20_000, breaker);
  t.equal(breaker.nextProbeMs, 21_000, 'the next rest is the first one again');
  t.end();
});

t.test('a failure of an attempt that began before the rest was over is no probe', (t) => {
  const breaker = new CircuitBreaker(RESTS);
  openAt(0, breaker);
  t.notOk(breaker.fail(0, 500), 'while it is open');
  t.equal(breaker.nextProbeMs, 1_000);
  t.ok(breaker.tryBegin(1_200));
  t.notOk(breaker.fail(999, 1_300), 'while a probe is under way');
  t.ok(breaker.fail(1_200, 1_300));
  t.equal(breaker.nextProbeMs, 3_300);
  t.end();
});

t.test('one probe is under way, and another begins when it is overdue', (t) => {
  const breaker = new CircuitBreaker({ ...RESTS, probeMs: 100 });
  openAt(0, breaker);
  t.notOk(breaker.tryBegin(999));
  t.ok(breaker.tryBegin(1_000));
  t.notOk(breaker.tryBegin(1_099));
  t.equal(breaker.countAllowed(8, 1_099), 0);
  t.ok(breaker.tryBegin(1_100));
  t.end();
});

t.test('it rests until a given time', (t) => {
  const breaker = new CircuitBreaker(RESTS);
  breaker.hold(5_000);
  t.equal(breaker.countAllowed(8, 4_999), 0);
  t.notOk(breaker.fail(4_000, 4_500));
  t.equal(breaker.countAllowed(8, 5_000), 1);
  t.end();
});
