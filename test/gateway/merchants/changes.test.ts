// The stream of changes: a page is told of its merchant's payments in its environment, and of nothing else.
import t, { type Test } from 'tap';
import { ChangeFeed } from '#gateway/changes/change-feed.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createLog } from '#ops/runtime/log.js';
import { openPostgres } from '#store/postgres/client.js';
import type { Changes } from '#store/postgres/payments/read-changes.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startServingService } from '#test/support/serving.js';

const PATH = '/v1/merchants/me/changes';
const EVENT_STREAM = 'text/event-stream';
const WITHIN_MS = 15_000;
const STREAMS_PER_MERCHANT = 50;

const service = await startServingService(t, { gateways: 2 });
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = service.merchant;
const owner = await beginSession(sql, await makePerson(sql, 'owner', merchantId));
const viewer = await beginSession(sql, await makePerson(sql, 'viewer', merchantId));
const stranger = await beginSession(sql, await makePerson(sql, 'owner', await makeMerchant(sql)));
const [first, second] = service.gateways.map(({ baseUrl }) => baseUrl);

/** The events that a browser which follows the changes has received. */
interface Followed {
  readonly text: () => string;
  readonly isOver: () => boolean;
  readonly status: number;
}

async function follow(
  t: Test,
  token: string,
  { environment = 'TEST', baseUrl = first ?? '' } = {},
): Promise<Followed> {
  const stopped = new AbortController();
  t.teardown(() => stopped.abort());
  const answer = await fetch(`${baseUrl}${PATH}?environment=${environment}`, {
    headers: { authorization: `Bearer ${token}`, accept: EVENT_STREAM },
    signal: stopped.signal,
  });
  let text = '';
  let isOver = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk as Uint8Array);
    isOver = true;
  };
  read().catch(() => undefined);
  return { status: answer.status, text: () => text, isOver: () => isOver };
}

const waitForText = (what: string, followed: Followed, text: string) =>
  waitUntil(what, WITHIN_MS, () => followed.text().includes(text));

async function payPaid(): Promise<string> {
  const { body } = await service.api.create({ amount: '15000' });
  await service.api.simulate(body['id'], 'paid');
  return String(body['id']);
}

t.test('a page is told which payments of its merchant changed, by every gateway', async (t) => {
  const pages = [await follow(t, owner), await follow(t, viewer, { baseUrl: second ?? '' })];
  for (const page of pages) await waitForText('the page is ready', page, 'event: ready');
  const ids = [await payPaid(), await payPaid()];
  for (const page of pages) {
    for (const id of ids) await waitForText('the payment is told', page, id);
    t.match(page.text(), /^event: changes\ndata: \{"ids":\["pay_[^\n]*\]\}\n\n/m);
  }
});

t.test('a page is not told of another environment or merchant', async (t) => {
  const live = await follow(t, owner, { environment: 'LIVE' });
  const foreign = await follow(t, stranger);
  const own = await follow(t, owner);
  for (const page of [live, foreign, own]) {
    await waitForText('the page is ready', page, 'event: ready');
  }
  await waitForText('the payment is told', own, await payPaid());
  // All pages of a gateway are told after one reading.
  for (const page of [live, foreign]) t.notMatch(page.text(), /pay_/);
});

t.test('a comment shows that an idle stream lives', async (t) => {
  const page = await follow(t, owner, { environment: 'LIVE' });
  await waitForText('a comment', page, '\n\n:\n\n');
  t.notOk(page.isOver());
});

t.test('a request that does not accept events is told the type', async (t) => {
  const answer = await openApi(first ?? '', owner).call(PATH);
  t.equal(answer.status, 400);
  t.match(answer.body, { error: { param: 'Accept', message: /text\/event-stream/ } });
});

t.test('a merchant holds a bounded number of streams, and gets places back', async (t) => {
  const open = Array.from({ length: STREAMS_PER_MERCHANT }, () => fetchStream());
  const held = await Promise.all(open);
  t.ok(held.every(({ status }) => status === 200));
  const refused = await fetchStream();
  t.equal(refused.status, 429);
  await refused.text();
  for (const { stopped } of held) stopped();
  await waitUntil('a place is free', WITHIN_MS, async () => {
    const { status, stopped } = await fetchStream();
    stopped();
    return status === 200;
  });
});

async function fetchStream() {
  const stopping = new AbortController();
  const answer = await fetch(`${first}${PATH}`, {
    headers: { authorization: `Bearer ${stranger}`, accept: EVENT_STREAM },
    signal: stopping.signal,
  });
  return {
    status: answer.status,
    text: () => answer.text(),
    stopped: () => stopping.abort(),
  };
}

t.test('a gateway that stops ends its streams at once', async (t) => {
  const page = await follow(t, owner, { baseUrl: second ?? '' });
  await waitForText('the page is ready', page, 'event: ready');
  const stopped = service.gateways[1]?.stop();
  await waitUntil('the stream has ended', WITHIN_MS, () => page.isOver());
  await stopped;
});

t.test('when more changed than a reading holds, anything may have changed', async (t) => {
  const told: unknown[] = [];
  const some: Changes = { positions: new Map(), changes: [], isComplete: true };
  const readings = [some, { ...some, isComplete: false }];
  const feed = new ChangeFeed({
    read: () => Promise.resolve(readings.shift() ?? some),
    log: createLog({ logLevel: 'silent' }, 'test'),
  });
  t.teardown(() => feed.stop());
  feed.follow({
    ...{ merchantId, environment: 'TEST' },
    onReady: () => told.push('ready'),
    onChange: (ids) => told.push(ids),
    onEnd: () => told.push('end'),
  });
  await waitUntil('the page is told', WITHIN_MS, () => told.length === 2);
  await feed.stop();
  t.strictSame(told, ['ready', null, 'end']);
});
