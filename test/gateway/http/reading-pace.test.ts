// The pace at which a client must read a streamed body.
import t from 'tap';
import { ReadingPace } from '#gateway/http/reading-pace.js';

const KIB = 1024;
/** The steps in which the native side reports progress. */
const STEP_BYTES = 1024 * KIB;

/** How long a client that reads at a steady rate is served, at most `limitMs`. */
function serveAt(bytesPerSecond: number, limitMs: number): number {
  const pace = new ReadingPace();
  const stepMs = (STEP_BYTES * 1_000) / bytesPerSecond;
  let servedMs = 0;
  while (servedMs < limitMs) {
    if (stepMs > pace.leftMs) return servedMs + pace.leftMs;
    pace.addWait(stepMs);
    pace.addBytes(STEP_BYTES);
    servedMs += stepMs;
  }
  return limitMs;
}

t.test('a client that reads 32 KiB a second is served for as long as it takes', (t) => {
  const hourMs = 3_600_000;
  t.equal(serveAt(32 * KIB, hourMs), hourMs);
  t.equal(serveAt(10_000 * KIB, hourMs), hourMs);
  t.end();
});

t.test('a client that reads nothing is served for a minute, a slow one for a few', (t) => {
  t.equal(serveAt(1, 3_600_000), 60_000);
  const slowMs = serveAt(20 * KIB, 3_600_000);
  t.ok(slowMs > 60_000 && slowMs < 300_000, `${slowMs} ms`);
  t.end();
});

t.test('time is not saved up', (t) => {
  const pace = new ReadingPace();
  pace.addBytes(1_000 * STEP_BYTES);
  t.equal(pace.leftMs, 60_000);
  t.end();
});
