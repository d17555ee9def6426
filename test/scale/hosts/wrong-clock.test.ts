// The clock of a host goes an hour ahead while it works, and comes back. Times of payments are those of the stores, nothing expires
// early, and every webhook arrives.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeFolder } from '#test/support/servers.js';
import { watchFault } from '#test/support/stage.js';
import { needProgram } from '#test/support/suite/programs.js';
import { ENGINE, type HostedService, type Variables, underLoadOnHosts } from './hosted-service.js';
import { startClock } from './progress.js';

const AHEAD_S = 3_600;
/** The clocks of this test and of Redis are one; creates wait in queues meanwhile. */
const MAX_ERROR_S = 60;

/** Variables that give a process a clock of its own, which goes as the file says. */
function prepareClock(t: Test): { readonly variables: Variables; set(aheadS: number): void } {
  const faketime = needProgram('faketime', 'faketime');
  const file = join(makeFolder(t), 'clock');
  const set = (aheadS: number): void => {
    writeFileSync(file, `+${aheadS}s\n`);
  };
  set(0);
  // The program sets the library that it finds, and a time that does not change.
  const library = execFileSync(faketime, ['-m', '-f', '+0s', 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  }).trim();
  return {
    variables: {
      ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' },
      // Timers and deadlines go by a clock that nobody sets.
      ...{ FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' },
    },
    set,
  };
}

/** How far ahead the clock was that signed the newest webhook. */
function readSignedAhead({ receiver }: HostedService): number {
  const newest = receiver.received.at(-1);
  if (newest === undefined) return 0;
  return Number(newest.headers['webhook-timestamp']) - newest.atMs / 1_000;
}

t.test('a host whose clock is an hour ahead changes nothing for payments', async (t) => {
  const clock = prepareClock(t);
  const changeSecond = () => Promise.resolve(clock.variables);
  await underLoadOnHosts(t, { changeSecond }, async (service) => {
    const { load, serve, sql } = service;
    await watchFault(service, { engine: ENGINE, fault: 'a clock goes an hour ahead' }, async () => {
      clock.set(AHEAD_S);
      await waitUntil('the clock of the second host is ahead', () => {
        return readSignedAhead(service) > AHEAD_S / 2;
      });
      await load.progress(300);
    });
    await watchFault(service, { engine: ENGINE, fault: 'the clock comes back' }, async () => {
      clock.set(0);
      const sinceBack = startClock();
      await waitUntil('the clock of the second host is right', () => {
        return readSignedAhead(service) < AHEAD_S / 2;
      });
      await Promise.all([serve('first'), serve('second')]);
      sinceBack.report('the clock is right again: both hosts create after');
    });
    const wrong = await sql`
      select id, created_at from payments
       where created_at > now() + make_interval(secs => ${MAX_ERROR_S})
          or id in (select payment_id from payment_events where type = 'payment_expired')`;
    t.strictSame([...wrong], [], 'all times are right, and none expired');
  });
});
