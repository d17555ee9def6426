// A bad network between the service and Redis: replies that never come, connections cut in the middle
// of a reply, connections that hang.
import t from 'tap';
import { waitUntil } from '../../ops/dev/wait.js';
import { underLoad } from '../support/stage.js';

const STAGE = { gateways: 2, payments: 2, isProxied: true } as const;

t.test('connections are cut in the middle of replies', (t) =>
  underLoad(t, STAGE, async ({ proxy, load }) => {
    for (const bytes of [3, 50, 200, 1_000, 5_000, 20_000]) {
      const before = proxy.cuts();
      proxy.cutAfter(bytes);
      await waitUntil('connections were cut', 15_000, () => proxy.cuts() >= before + 3);
      proxy.heal();
      await load.progress(30);
    }
  }),
);

t.test('replies are dropped, and the connections with them', (t) =>
  underLoad(t, STAGE, async ({ proxy, load, serves }) => {
    for (let times = 0; times < 4; times += 1) {
      const sent = load.history.length;
      proxy.swallowReplies();
      await waitUntil('requests were sent meanwhile', 10_000, () => load.inFlight() > 20);
      proxy.heal();
      await serves();
      await load.progress(30);
      t.ok(load.history.length > sent);
    }
  }),
);

t.test('all connections hang until they are given up', (t) =>
  underLoad(t, STAGE, async ({ proxy, serves, load }) => {
    const before = proxy.connections();
    proxy.hold();
    await waitUntil('everything waits', 10_000, () => load.inFlight() > 20);
    await waitUntil('connections are given up', 15_000, () => proxy.connections() > before + 1);
    proxy.heal();
    await serves();
  }),
);
