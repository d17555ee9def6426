// The retry schedule: steps, jitter, Retry-After, the end; and the meaning of failures.
import t from 'tap';
import {
  DELIVERY_FAILURES,
  classifyStatus,
  isFinal,
  explainFailure,
} from '#actors/core/webhooks/failures.js';
import { findNextAttemptInMs, parseRetryAfter } from '#actors/core/webhooks/retry-schedule.js';

const CONTRACT = [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 86_400];
const NOW_MS = Date.UTC(2026, 7, 2, 10, 15, 30);
const wait = (failures: number, random = 0.5, retryAfterMs: number | null = null) =>
  findNextAttemptInMs({ scheduleS: CONTRACT, failures, random, retryAfterMs });

t.test('each failure has its step of the schedule, then the delivery is dead', (t) => {
  t.strictSame(
    CONTRACT.map((_, index) => wait(index + 1)),
    CONTRACT.map((seconds) => seconds * 1000),
  );
  t.equal(wait(CONTRACT.length + 1), null);
  t.end();
});

t.test('the delay of a step varies by ± 20 %', (t) => {
  t.equal(wait(2, 0), 24_000);
  t.equal(wait(2, 0.999999), 36_000);
  t.end();
});

t.test('Retry-After lengthens a step up to twice and never shortens it', (t) => {
  t.equal(wait(2, 0.5, 45_000), 45_000);
  t.equal(wait(2, 0.5, 3_600_000), 60_000);
  t.equal(wait(2, 0.5, 1_000), 30_000);
  t.equal(wait(12, 0.5, 1_000), null);
  t.end();
});

t.test('Retry-After is parsed as seconds or a date, else ignored', (t) => {
  t.equal(parseRetryAfter('120', NOW_MS), 120_000);
  t.equal(parseRetryAfter('Sun, 02 Aug 2026 10:16:30 GMT', NOW_MS), 60_000);
  t.equal(parseRetryAfter('Sun, 02 Aug 2026 10:15:30 GMT', NOW_MS), null);
  t.equal(parseRetryAfter('soon', NOW_MS), null);
  t.equal(parseRetryAfter('9'.repeat(40), NOW_MS), null);
  t.equal(parseRetryAfter(undefined, NOW_MS), null);
  t.end();
});

t.test('each HTTP status has its failure, and 2xx has none', (t) => {
  const cases: [number, ReturnType<typeof classifyStatus>][] = [
    [200, null],
    [299, null],
    [307, 'redirect'],
    [400, 'http_status'],
    [401, 'http_401'],
    [404, 'http_404'],
    [405, 'http_405'],
    [410, 'http_410'],
    [429, 'http_429'],
    [503, 'http_status'],
  ];
  for (const [status, failure] of cases) t.equal(classifyStatus(status), failure, String(status));
  t.end();
});

t.test('every failure has an explanation, and three are final', (t) => {
  for (const failure of DELIVERY_FAILURES) t.match(explainFailure(failure), /^[A-Z].{10,}\.$/);
  t.match(explainFailure('http_401'), /signature/);
  t.match(explainFailure('http_404'), /no POST route/);
  t.match(explainFailure('http_405'), /only GET/);
  t.strictSame(DELIVERY_FAILURES.filter(isFinal), [
    'http_410',
    'target_refused',
    'endpoint_inactive',
  ]);
  t.end();
});
