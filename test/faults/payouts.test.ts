// LIVE payouts at a rail that counts its requests, while processes die at every step: nothing is paid twice, and nothing is
// returned to the merchant that may have been paid.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t from 'tap';
import type { PayoutId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { expediteInquiry } from '#store/postgres/payouts/due-payouts.js';
import { startGateways } from '../support/accounts.js';
import {
  createTestMerchant,
  startProcess,
  TEST_KEYS,
  uniqueWord,
  type Variables,
} from '../support/processes.js';
import { startBank } from './bank.js';
import { balanceOf, hasStatus, openKey, payOut } from '../support/rails/payouts.js';
import { startRedis } from '../support/servers.js';
import { addEndpoint } from '../support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '../support/webhooks/receiver.js';

const { sql, databaseUrl, baseUrl } = await startGateways(t);
const redis = await startRedis(t);
const bank = await startBank(t);
const { merchantId } = await createTestMerchant(databaseUrl, { isLiveEnabled: true });
const live = await openKey(baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);
await sql`insert into balance_rows (account, currency, amount)
          values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', 100000)`;

const VARIABLES: Variables = {
  ...TEST_KEYS,
  REDIS_URL: redis.url,
  DATABASE_URL: databaseUrl,
  RAIL_XENDIT_URL: bank.url,
  RAIL_XENDIT_SECRET_KEY: 'xnd_test',
  RAIL_XENDIT_CALLBACK_TOKEN: 'token',
  RAIL_TIMEOUT_MS: '1000',
  RAIL_SYNC_SCHEDULE: '1',
};
const startRails = (more: Variables = {}) => startProcess(t, 'rails', { ...VARIABLES, ...more });

async function make(amount = '10'): Promise<string> {
  const { status, body, text } = await payOut(live, { amount }, uniqueWord());
  if (status !== 201) throw new Error(text);
  return String(body['id']);
}

async function rowOf(id: string) {
  const [row] = await sql`
    select status, is_unknown, look_ups, rail from payouts where id = ${id}`;
  return row ?? {};
}

t.test('a completed payout that the bank sends back is reversed', async (t) => {
  const rails = await startRails();
  const id = await make();
  await waitUntil('the rail has it', () => bank.asked.get(id) === 1);
  await hasStatus(live, id, 'PROCESSING');
  t.strictSame(await balanceOf(live), { available: '99990', in_transit: '10' });
  bank.set(id, 'SUCCEEDED');
  await hasStatus(live, id, 'COMPLETED');
  bank.set(id, 'REVERSED');
  const payoutId = id as PayoutId;
  t.equal(await expediteInquiry(sql, 'midtrans', payoutId), 'missing', 'that rail never got it');
  t.equal(await expediteInquiry(sql, 'xendit', 'po_1' as PayoutId), 'missing');
  t.equal(await expediteInquiry(sql, 'xendit', payoutId), 'expedited');
  await hasStatus(live, id, 'REVERSED');
  t.strictSame(await balanceOf(live), { available: '100000', in_transit: '0' });
  t.equal(bank.asked.get(id), 1);
  await rails.kill();
});

t.test('a payout killed between the call and its answer is paid once', async (t) => {
  const rails = await startRails();
  bank.holds = true;
  bank.begins = 'SUCCEEDED';
  const id = await make();
  await waitUntil('the rail has it', () => bank.asked.get(id) === 1);
  await rails.kill();
  t.match(await rowOf(id), { status: 'PROCESSING', rail: 'xendit' }, 'claimed before the call');
  bank.holds = false;
  const next = await startRails();
  await hasStatus(live, id, 'COMPLETED');
  t.equal(bank.asked.get(id), 1, 'paid once');
  await next.kill();
});

t.test(
  'a payout killed between the claim and the call is never paid and becomes a task',
  async (t) => {
    const rails = await startRails({ DATABASE_URL: (await openDeafly(['payout_sent'])).url });
    const id = await make();
    await waitUntil('it is claimed', async () => {
      return (await rowOf(id))['status'] === 'PROCESSING';
    });
    await rails.kill();
    t.equal(bank.asked.get(id), undefined);
    const others = await Promise.all([startRails(), startRails()]);
    await waitUntil('it is inquired', async () => {
      return Number((await rowOf(id))['look_ups']) >= 2;
    });
    t.match(await rowOf(id), { status: 'PROCESSING', is_unknown: true }, 'its outcome is unknown');
    t.equal(bank.asked.get(id), undefined, 'and no process pays');
    t.equal((await balanceOf(live)).in_transit, '10', 'the money is kept');
    await sql`update payouts set sent_at = now() - interval '25 hours' where id = ${id}`;
    await waitUntil('an operator task is open', async () => {
      const tasks = await sql`select from operator_tasks
                             where payout_id = ${id} and kind = 'payout_unresolved'`;
      return tasks.length === 1;
    });
    t.match(await rowOf(id), { status: 'PROCESSING' });
    for (const one of others) await one.kill();
  },
);

t.test(
  'a payout paused between the claim and the call for longer than its lease is not paid',
  async (t) => {
    const { url, hear } = await openDeafly(['payout_sent']);
    const paused = await startRails({ DATABASE_URL: url });
    const id = await make();
    await waitUntil('it is claimed', async () => {
      return (await rowOf(id))['status'] === 'PROCESSING';
    });
    paused.pause();
    const other = await startRails();
    await waitUntil('another process inquires', async () => {
      return (await rowOf(id))['is_unknown'] === true;
    });
    await other.kill();
    hear();
    paused.resume();
    // The resumed process finishes its payouts before it claims new ones.
    const next = await make('2');
    await hasStatus(live, next, 'COMPLETED');
    t.equal(bank.asked.get(id), undefined, 'it is not paid after another process has inquired');
    t.match(await rowOf(id), { status: 'PROCESSING', is_unknown: true });
    await paused.kill();
  },
);

t.test(
  'a create whose reservation is not answered is 504 with the id, and its repeat is the same payout',
  async (t) => {
    const gateway = await startProcess(t, 'gateway', {
      REDIS_URL: redis.url,
      DATABASE_URL: (await openDeafly(['payout_requested', 'from payouts where id'])).url,
    });
    const deaf = await openKey(gateway.baseUrl, sql, merchantId, 'LIVE', ['payouts', 'read']);
    const [key, { available }] = [uniqueWord(), await balanceOf(live)];
    const unheard = await payOut(deaf, { amount: '3' }, key);
    t.strictSame([unheard.status, unheard.code], [504, 'outcome_unknown'], unheard.text);
    const { payout_id: id, message } = unheard.body['error'] as Record<string, string>;
    t.match(id, /^po_[0-9a-z]{26}$/);
    t.match(message, id);
    await gateway.kill();
    const repeat = await payOut(live, { amount: '3' }, key);
    t.strictSame([repeat.status, repeat.body['id']], [200, id], 'the repeat is the same payout');
    t.equal(Number(available) - Number((await balanceOf(live)).available), 3, 'reserved once');
    const rails = await startRails();
    await hasStatus(live, id, 'COMPLETED');
    t.equal(bank.asked.get(String(id)), 1);
    await rails.kill();
  },
);

t.test('a payout killed after the commit of its end sends its webhook once', async (t) => {
  bank.begins = 'SUCCEEDED';
  const receiver = await startReceiver(t);
  const endpoint = await addEndpoint(sql, merchantId, receiver.url, ['payout.completed']);
  await sql`update webhook_endpoints set environment = 'LIVE' where id = ${endpoint.id}`;
  const rails = await startRails({ DATABASE_URL: (await openDeafly(['payout_completed'])).url });
  const id = await make('4');
  await waitUntil('its end is committed', async () => {
    return (await rowOf(id))['status'] === 'COMPLETED';
  });
  await rails.kill();
  const next = await startRails();
  const webhooks = await startProcess(t, 'webhooks', {
    ...VARIABLES,
    ...(await receiverVariables(t)),
  });
  await waitUntil('it is delivered', async () => {
    const rows = await sql`select status from webhook_deliveries where payout_id = ${id}`;
    return rows.length === 1 && rows[0]?.['status'] === 'delivered';
  });
  t.equal(receiver.received.filter(({ body }) => body.toString().includes(id)).length, 1);
  const seen = await live.call(`/v1/events/${String(receiver.received[0]?.id)}`);
  t.equal(seen.text, receiver.received[0]?.body.toString());
  for (const one of [next, webhooks]) await one.kill();
});

t.test(
  'payouts of a process that is killed repeatedly beside another are each paid at most once',
  async (t) => {
    bank.begins = 'SUCCEEDED';
    const steady = await startRails();
    const ids: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const mortal = await startRails();
      const made = Array.from({ length: 15 }, () => make('1'));
      await waitUntil('some are sent', async () => {
        const [row] =
          await sql`select count(*)::int as sent from payouts where amount = 1 and sent_at is not null`;
        return Number(row?.['sent']) > ids.length;
      });
      await mortal.kill();
      ids.push(...(await Promise.all(made)));
    }
    const settled = async (id: string): Promise<boolean> => {
      const { status, is_unknown: isUnknown } = await rowOf(id);
      return status === 'COMPLETED' || (isUnknown === true && bank.asked.get(id) === undefined);
    };
    await waitUntil('all are completed or were never sent', async () => {
      return (await Promise.all(ids.map(settled))).every(Boolean);
    });
    for (const id of ids) {
      const { status } = await rowOf(id);
      t.equal(
        bank.asked.get(id) ?? 0,
        status === 'COMPLETED' ? 1 : 0,
        `${id} is ${String(status)}`,
      );
    }
    const report = await verifyLedger(sql);
    t.strictSame(
      report.faults.filter(({ kind }) => kind !== 'balance' && kind !== 'checkpoint'),
      [],
      'every payout has exactly its postings',
    );
    await steady.stop();
  },
);

/**
 * Returns the address of a proxy before Postgres: a connection gets no more answers once its statement contains one of
 * these words, until `hear` is called. Postgres still executes the statement.
 */
async function openDeafly(words: readonly string[]): Promise<{ url: string; hear: () => void }> {
  const through = new URL(databaseUrl);
  const target = Number(through.port);
  const unheard: [Socket, Buffer][] = [];
  let mayHear = false;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isDeaf = false;
    client.on('data', (chunk) => {
      isDeaf ||= !mayHear && words.some((word) => chunk.includes(word));
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (isDeaf && !mayHear) unheard.push([client, chunk]);
      else client.write(chunk);
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  through.port = String((server.address() as AddressInfo).port);
  const hear = (): void => {
    mayHear = true;
    for (const [client, chunk] of unheard) client.write(chunk);
  };
  return { url: through.href, hear };
}
