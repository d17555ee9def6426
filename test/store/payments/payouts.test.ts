// Payouts in a real Postgres: the SQL functions decide as the state machine does, in any order; many at once neither
// overdraw nor lose money, beside commits on the same balances; overlapping commands take effect once.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { type MerchantId, makeId, type PayoutId } from '#actors/core/ids.js';
import { formatMerchantAccount } from '#actors/core/ledger/accounts.js';
import { makeMinor } from '#actors/core/money.js';
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { decidePayout } from '#actors/core/payout/decide.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { loadBalances } from '#store/postgres/ledger/load-balances.js';
import { openPostgres } from '#store/postgres/client.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { applyCommand, applyEvents } from '#store/postgres/payouts/apply-command.js';
import {
  beginInquiry,
  deferInquiry,
  expediteInquiry,
  createPayoutTurns,
  loadToInquire,
} from '#store/postgres/payouts/due-payouts.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import { reservePayout } from '#store/postgres/payouts/reserve-payout.js';
import { at, buildBatch, buildMove, generatePaymentId } from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';
import * as s from '#test/core/payout/samples.js';

const sql = openPostgres(await createDatabase(t), 'test', 12);
t.teardown(() => sql.end({ timeout: 1 }));
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

/** One that takes LIVE payments, so that its payouts may be claimed. */
async function makeMerchant(): Promise<MerchantId> {
  const id = makeId('mer', randomBytes(16));
  await sql`insert into merchants (id, business_name, verification_status, live_enabled)
            values (${id}, 'Toko', 'APPROVED', true)`;
  return id;
}

const accountOf = (merchantId: MerchantId, name: 'merchant_available' | 'payout_clearing') =>
  formatMerchantAccount(name, merchantId, 'LIVE', 'IDR');

async function balance(account: string): Promise<bigint> {
  return (await loadBalances(sql, [account])).get(account) ?? 0n;
}

/** As a commit of payments does. */
async function bookPayment(merchantId: MerchantId, amountMinor: bigint, turn: number) {
  const batch = buildBatch(await buildMove(sql, turn % 4, at(1_000 + turn)));
  const available = accountOf(merchantId, 'merchant_available');
  const [debit, credit] =
    amountMinor > 0n
      ? ['rail_clearing:xendit:LIVE:IDR', available]
      : [available, 'rail_clearing:xendit:LIVE:IDR'];
  const units = amountMinor > 0n ? amountMinor : -amountMinor;
  const money = { amountMinor: units, currency: 'IDR', reason: 'payment_paid' };
  const of = { partition: 0, paymentId: generatePaymentId(), version: 1, index: 0 };
  batch.postings.push({ ...of, debit, credit, ...money });
  await commitBatch(sql, batch);
}

const reserve = (merchantId: MerchantId, payoutId: PayoutId, amount: bigint) =>
  reservePayout(sql, {
    payout: {
      payoutId,
      merchantId,
      environment: 'LIVE',
      request: { ...s.REQUEST, amountMinor: makeMinor(amount) },
      fingerprint: `1:${amount}`,
    },
    key: null,
    nowMs: s.START_MS,
  });

const timing = { nowMs: s.START_MS, dueInMs: () => 1_000 };

let turn = 0;

t.test('a payout command in the store has the outcome of the state machine', async (t) => {
  const later = fc.constantFrom<LaterCommand>(
    ...[s.SEND, s.BY_HAND, s.COMPLETED, s.PENDING, s.REVERSED, s.FAILED, s.UNKNOWN],
    ...[s.UNRESOLVED, s.COMPLETE, s.FAIL],
  );
  const step = fc.oneof(
    fc.record({ amount: fc.bigInt({ min: -40n, max: 60n }).filter((units) => units !== 0n) }),
    fc.record({ which: fc.nat({ max: 1 }), request: fc.bigInt({ min: 1n, max: 50n }) }),
    { weight: 3, arbitrary: fc.record({ which: fc.nat({ max: 1 }), command: later }) },
  );
  const holds = fc.asyncProperty(fc.array(step, { maxLength: 14, size: 'max' }), async (steps) => {
    const merchantId = await makeMerchant();
    const available = accountOf(merchantId, 'merchant_available');
    const ids = [makeId('po', randomBytes(16)), makeId('po', randomBytes(16))];
    const states = new Map<PayoutId, PayoutState>();
    for (const one of steps) {
      if ('amount' in one) {
        await bookPayment(merchantId, one.amount, (turn += 1));
        continue;
      }
      const id = ids[one.which] ?? s.PAYOUT_ID;
      const before = states.get(id);
      const availableMinor = await balance(available);
      const request = { ...s.REQUEST, amountMinor: makeMinor('request' in one ? one.request : 0n) };
      const of = { payoutId: id, merchantId, request, fingerprint: `1:${request.amountMinor}` };
      const command = 'request' in one ? s.request({ ...of, availableMinor }) : one.command;
      const { outcome, events } = decidePayout(before, command, s.START_MS);
      if (events.length > 0) states.set(id, applyEvents(before, events).state);
      const said =
        command.type === 'request'
          ? await reserve(merchantId, id, request.amountMinor)
          : (await applyCommand(sql, id, command, timing)).outcome;
      // Without a key the store has no claim to compare with: a repeat is the same payout, whatever its body.
      const isRepeat = command.type === 'request' && before !== undefined;
      if (said !== outcome && !isRepeat)
        throw new Error(`${command.type}: ${said}, not ${outcome}`);
      const [stored] = await findPayout(sql, id);
      t.strictSame(stored, states.get(id));
    }
    const open = [...states.values()].filter(({ status }) =>
      ['PENDING', 'PROCESSING', 'MANUAL_REQUIRED'].includes(status),
    );
    const clearing = open.reduce((sum, { request }) => sum + request.amountMinor, 0n);
    t.equal(await balance(accountOf(merchantId, 'payout_clearing')), clearing);
  });
  await t.resolves(fc.assert(holds, { numRuns: 25 }));
});

t.test(
  'many payouts beside commits cause no overdraft, no deadlock and no lost money',
  async (t) => {
    // At the commit of a reservation no available balance may be below zero.
    await sql.unsafe(`
    create function refuse_overdraft() returns trigger language plpgsql as $$
    begin
      if new.reason = 'payout_requested'
         and (select amount from balances where account = new.debit) < 0 then
        raise exception 'a payout overdrew %', new.debit;
      end if;
      return null;
    end $$;
    create constraint trigger no_overdraft after insert on postings deferrable initially deferred
      for each row execute function refuse_overdraft()`);
    const merchantId = await makeMerchant();
    const available = accountOf(merchantId, 'merchant_available');
    const made: PayoutId[] = [];
    const payments = async (): Promise<void> => {
      for (let index = 0; index < 30; index += 1) {
        await bookPayment(merchantId, index % 5 === 4 ? -60n : 50n, (turn += 4));
      }
    };
    const payouts = async (amount: bigint): Promise<void> => {
      for (let index = 0; index < 25; index += 1) {
        const id = makeId('po', randomBytes(16));
        const outcome = await reserve(merchantId, id, amount);
        if (outcome === 'created') made.push(id);
        else t.equal(outcome, 'balance_insufficient');
      }
    };
    const ends = async (answer: LaterCommand): Promise<void> => {
      for (let index = 0; index < 60; index += 1) {
        const id = made[index];
        if (id === undefined) {
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        await applyCommand(sql, id, s.SEND, timing);
        await applyCommand(sql, id, answer, timing);
      }
    };
    await Promise.all([
      payments(),
      ...[7n, 13n, 29n, 31n].map(payouts),
      ...[s.COMPLETED, s.FAILED, s.REVERSED].map(ends),
    ]);
    t.ok(made.length > 5, `${made.length} payouts`);
    const rows = await sql<{ status: string; amount: string }[]>`
    select status, amount from payouts where merchant_id = ${merchantId}`;
    const sum = (...statuses: readonly string[]): bigint =>
      rows
        .filter(({ status }) => statuses.includes(status))
        .reduce((total, { amount }) => total + BigInt(amount), 0n);
    const open = sum('PENDING', 'PROCESSING');
    const came = 24n * 50n - 6n * 60n;
    t.equal(await balance(accountOf(merchantId, 'payout_clearing')), open);
    t.equal(await balance(available), came - open - sum('COMPLETED'), 'money is conserved');
    const [total] = await sql`select sum(amount)::text as sum from balances`;
    t.equal(total?.['sum'], '0');
  },
);

t.test('overlapping claims, inquiries and answers take effect once', async (t) => {
  const merchantId = await makeMerchant();
  await bookPayment(merchantId, 1_000n, (turn += 4));
  const id = makeId('po', randomBytes(16));
  await reserve(merchantId, id, 10n);
  // Payouts of the tests before may be due as well.
  const listDue = async () =>
    (await loadToInquire(sql, createPayoutTurns('inquire'), ['xendit'], 10_000)).filter(
      ({ state }) => state.id === id,
    );
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => applyCommand(sql, id, s.SEND, { ...timing, inquiry: 0 })),
  );
  t.equal(claims.filter(({ outcome }) => outcome === 'done').length, 1, 'one may call the rail');
  await sql`update payouts set due_at = now() where id = ${id}`;
  const [due] = await listDue();
  if (due === undefined) throw new Error('the payout is not due');
  const numbers = await Promise.all(
    Array.from({ length: 6 }, () => beginInquiry(sql, due, 60_000)),
  );
  t.strictSame(
    numbers.filter((number) => number !== undefined),
    [1],
    'one process inquires',
  );
  t.strictSame(await listDue(), [], 'no other process meanwhile');

  t.equal(await expediteInquiry(sql, 'xendit', id), 'expedited');
  const old = await applyCommand(sql, id, s.FAILED, { ...timing, inquiry: 1 });
  t.equal(old.outcome, 'overtaken', 'the result of an older inquiry is dropped');
  await deferInquiry(sql, due.state, { inquiry: 1, dueInMs: 60_000, isUnknown: true });
  t.equal((await listDue()).length, 1, 'the inquiry is still due');
  const accepted = await applyCommand(sql, id, s.PENDING, timing);
  t.equal(accepted.outcome, 'done', "the call's own answer counts");
  t.equal((await listDue()).length, 1, 'and leaves the inquiry due');
  const ended = await applyCommand(sql, id, s.COMPLETED, { ...timing, inquiry: 2 });
  t.equal(ended.state?.status, 'COMPLETED');
  t.strictSame(await listDue(), []);
});
