// The queue of password hashes, filled by strangers of many addresses: users who are known find room and a turn in it.
import t from 'tap';
import { PasswordHasher } from '#gateway/auth/password-hasher.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import { createRegistry } from '#ops/runtime/metrics.js';

/** More than one at work and 64 that wait. */
const STRANGERS = 80;

t.test(
  'a user who is known gets the next turn in a queue that strangers have filled',
  async (t) => {
    const hasher = new PasswordHasher({
      registry: createRegistry(),
      priority: 'normal',
      log: createLog({ logLevel: 'silent' }, 'test'),
    });
    t.teardown(() => hasher.close());
    let checked = 0;
    let refused = 0;
    const flood = Array.from({ length: STRANGERS }, (_, index) =>
      hasher.verify(null, 'a guess', `192.0.2.${index + 1}`).then(
        () => (checked += 1),
        () => (refused += 1),
      ),
    );
    await waitUntil('the queue is full', () => refused > 0);
    await t.rejects(hasher.verify(null, 'a guess', '198.51.100.1'), 'one more stranger is refused');
    const before = checked;
    t.equal(await hasher.verify(null, 'a password', '198.51.100.1', 'usr_1'), false);
    t.ok(checked - before <= 3, `${checked - before} strangers were served before`);
    t.match(await hasher.hash('a password', '198.51.100.1', 'usr_1'), /^\$argon2id\$/);
    t.ok(checked - before <= 6, `${checked - before} strangers were served before`);
    await Promise.all(flood);
    t.equal(checked + refused, STRANGERS);
  },
);
