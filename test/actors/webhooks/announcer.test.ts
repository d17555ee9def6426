// Announcements of endpoints to gateways: few messages, whatever the number of attempts.
import t from 'tap';
import { createAnnouncer } from '#actors/webhooks/announcer.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';

const MOST = 1_000;

function createHarness() {
  const messages: (readonly string[])[] = [];
  const timers = new Set<() => void>();
  const announce = createAnnouncer(
    (ids) => {
      messages.push(ids);
      return Promise.reject(new Error('Redis is away'));
    },
    {
      ...SYSTEM_CLOCK,
      startTimer: (_ms, onOver) => {
        timers.add(onOver);
        return () => timers.delete(onOver);
      },
    },
  );
  const passTime = (): void => {
    for (const onOver of [...timers]) onOver();
  };
  return { announce, messages, passTime };
}

t.test('the endpoints of a moment are announced together, each once', (t) => {
  const { announce, messages, passTime } = createHarness();
  for (const id of ['we_1', 'we_2', 'we_1']) announce(id);
  t.strictSame(messages, []);
  passTime();
  announce('we_1');
  passTime();
  passTime();
  t.strictSame(messages, [['we_1', 'we_2'], ['we_1']]);
  t.end();
});

t.test('many endpoints are announced at once', (t) => {
  const { announce, messages, passTime } = createHarness();
  for (let number = 0; number <= MOST; number += 1) announce(`we_${number}`);
  t.equal(messages.length, 1);
  passTime();
  t.strictSame(
    messages.map(({ length }) => length),
    [MOST, 1],
  );
  t.end();
});
