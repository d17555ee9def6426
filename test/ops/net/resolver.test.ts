// The resolver of names that merchants give, at a real name server.
import { stat } from 'node:fs/promises';
import type { LookupAddress } from 'node:dns';
import t, { type Test } from 'tap';
import { createPoster } from '#ops/net/post.js';
import { WAIT_MS } from '#ops/dev/launch/wait-until.js';
import { createResolver, type ResolverOptions } from '#ops/net/resolver.js';
import { type NameServer, startNameServer } from '#test/support/webhooks/name-server.js';

/** For names that nobody answers. */
const SILENT_MS = 1_500;
const DEAD_NAMES = 64;
const V6 = '2001:0db8:0000:0000:0000:0000:0000:0001';

type Look = (name: string) => Promise<readonly LookupAddress[]>;

async function open(
  t: Test,
  options: ResolverOptions = {},
): Promise<{ server: NameServer; look: Look }> {
  const server = await startNameServer(t, {
    'both.test': ['192.0.2.7', V6],
    'v4.test': ['192.0.2.8'],
  });
  const resolve = createResolver({ servers: [server.address], lookUpMs: WAIT_MS, ...options });
  const look: Look = (name) =>
    new Promise((settle, fail) => {
      resolve(name, { all: true }, (error, addresses) => {
        if (error === null) settle(addresses);
        else fail(error);
      });
    });
  return { server, look };
}

t.test('both families of a name are found, by one look-up for all who ask', async (t) => {
  const { server, look } = await open(t);
  const found = await Promise.all(Array.from({ length: 20 }, () => look('both.test')));
  const both = [
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ];
  for (const addresses of found) t.match(addresses, both);
  t.equal(server.questions.length, 2, 'one question for each family');
  t.match(await look('BOTH.test'), both);
  t.equal(server.questions.length, 2, 'the answer is kept');
  t.match(await look('v4.test'), [{ address: '192.0.2.8', family: 4 }]);
});

t.test('a name that does not exist fails, and the failure is kept', async (t) => {
  const { server, look } = await open(t);
  await t.rejects(look('nowhere.test'), { code: 'ENOTFOUND' });
  const { length } = server.questions;
  await t.rejects(look('nowhere.test'), { code: 'ENOTFOUND' });
  t.equal(server.questions.length, length);
});

t.test('names of a dead zone keep nobody else waiting', async (t) => {
  const { server, look } = await open(t, { lookUpMs: SILENT_MS });
  const ended: string[] = [];
  const note = (what: string) => () => void ended.push(what);
  const dead = Array.from({ length: DEAD_NAMES }, (_, index) =>
    t.rejects(look(`${index}.dead.test`), { code: 'ETIMEOUT' }).then(note('dead')),
  );
  await Promise.all([look('v4.test').then(note('name')), stat('.').then(note('thread'))]);
  t.strictSame([...ended].sort(), ['name', 'thread'], 'both ended before the first dead name');
  await Promise.all(dead);
  const { length } = server.questions;
  await t.rejects(look('0.dead.test'), { code: 'ETIMEOUT' });
  t.equal(server.questions.length, length, 'silence is kept too');
});

t.test('names of the machine itself are its loopback addresses', async (t) => {
  const { server, look } = await open(t);
  for (const name of ['localhost', 'LOCALHOST.', 'shop.localhost']) {
    t.match(await look(name), [{ address: '127.0.0.1' }, { address: '::1' }]);
  }
  t.equal(server.questions.length, 0);
});

t.test('a POST to a name of a dead zone fails as a time-out of its name', async (t) => {
  const server = await startNameServer(t, {});
  const resolve = createResolver({ servers: [server.address], lookUpMs: SILENT_MS });
  const poster = createPoster({ allowed: [], resolve });
  t.teardown(() => poster.close());
  const post = (url: string) => poster.post(url, {}, Buffer.from('{}'));
  t.match(await post('https://a.dead.test/'), { kind: 'failed', failure: 'timeout_dns' });
  t.match(await post('https://nowhere.test/'), { kind: 'failed', failure: 'dns' });
});
