// Operator tasks over HTTP: money in suspense leaves it once, whole, by the way that was chosen; what a rail takes
// back is filled up again. After each story the books are right.
import t, { type Test } from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { describeUnknownOrder } from '#actors/core/tasks/unknown-order.js';
import { bookUnknownOrder } from '#store/postgres/tasks/book-unknown-order.js';
import { type Resolution, resolveTask } from '#store/postgres/tasks/resolve-task.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  AMOUNT,
  type Moves,
  type OpenTask,
  startOperators,
  uniqueTransaction,
} from '#test/support/operators.js';
import { createTestMerchant } from '#test/support/processes.js';
import { breaksOf } from './task-breaks.js';

const stage = await startOperators(t);
const { sql, office, offices, settle, reverse, makePaid, balanceOf } = stage;
const { merchantId } = stage.service.merchant;
const other = await createTestMerchant(stage.service.databaseUrl);
const suspense = `suspense:${merchantId}:TEST:IDR`;
const available = `merchant_available:${merchantId}:TEST:IDR`;
const otherAvailable = `merchant_available:${other.merchantId}:TEST:IDR`;
const clearing = 'rail_clearing:sandbox:TEST:IDR';
const bank = 'rail_clearing:manual:TEST:IDR';
const fees = 'fees:sandbox:TEST:IDR';
const ACCOUNTS = { suspense, available, otherAvailable, clearing, bank, fees };

const { openTasks, findTask } = stage;

/** A payment that was paid twice, and its task. */
async function suspend() {
  const paymentId = await makePaid();
  const transaction = uniqueTransaction();
  await settle(paymentId, transaction);
  return { paymentId, transaction, task: await findTask(paymentId, 'settlement_suspended') };
}

const resolve = (task: Pick<OpenTask, 'id'>, body: object, at = office): Promise<ApiAnswer> =>
  at.call(`/v1/admin/tasks/${task.id}/resolve`, { method: 'POST', body: { note: 'uji', ...body } });

const movesOf = (work: () => Promise<unknown>): Promise<Moves> => stage.movesOf(ACCOUNTS, work);

function isRefused(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

const booksAreRight = async (t: Test): Promise<boolean> =>
  t.strictSame(await stage.findFaults(), [], 'the books are right');

t.test('the three ways out of suspense', async (t) => {
  const second = await makePaid();
  const ways: readonly [object, Moves][] = [
    [{ action: 'credit' }, { suspense: -1, available: 1 }],
    [
      { action: 'credit', amount: AMOUNT },
      { suspense: -1, available: 1 },
    ],
    [
      { action: 'return', external_reference: 'TRF-1' },
      { suspense: -1, bank: 1 },
    ],
    [
      { action: 'assign', merchant_id: other.merchantId },
      { suspense: -1, otherAvailable: 1 },
    ],
    [
      { action: 'assign', payment_id: second },
      { suspense: -1, available: 1 },
    ],
  ];
  for (const [body, moves] of ways) {
    const { task } = await suspend();
    t.same(task.actions, ['credit', 'return', 'assign']);
    t.same(await movesOf(() => resolve(task, body)), moves, JSON.stringify(body));
    const again = await resolve(task, body);
    t.match(
      again.body,
      { ...body, ...done(body), amount: undefined },
      'the same again is answered',
    );
    t.same(await movesOf(() => resolve(task, body)), {}, 'and moves nothing');
    isRefused(t, await resolve(task, { ...body, note: 'lain' }), 409, 'state_conflict');
    const [row] = await sql`
      select actor, address from audit_log where target = ${task.id} and action = 'operator_tasks.update'`;
    t.same(row, { actor: stage.admin.userId, address: '127.0.0.1' });
  }
  await booksAreRight(t);
});

const done = (body: object): object => ({
  ...{ status: 'resolved', actions: [], resolved_by: stage.admin.userId, note: 'uji' },
  ...('payment_id' in body ? { target_payment_id: body.payment_id, payment_id: /^pay_/ } : {}),
  ...('merchant_id' in body
    ? { target_merchant_id: body.merchant_id, merchant_id: merchantId }
    : {}),
});

t.test('an invalid request moves no money', async (t) => {
  const { task } = await suspend();
  const wrong: readonly [object, number, string][] = [
    [{ action: 'credit', amount: '14999' }, 400, 'field_invalid'],
    [{ action: 'credit', amount: '15001' }, 400, 'field_invalid'],
    [{ action: 'credit', amount: '-1' }, 400, 'amount_invalid'],
    [{ action: 'credit', merchant_id: other.merchantId }, 400, 'field_invalid'],
    [{ action: 'credit', note: '' }, 400, 'field_invalid'],
    [{ action: 'credit', note: '4111 1111 1111 1111' }, 400, 'card_data_refused'],
    [{ action: 'return' }, 400, 'field_invalid'],
    [{ action: 'assign' }, 400, 'field_invalid'],
    [{ action: 'assign', merchant_id: merchantId, payment_id: task.id }, 400, 'field_invalid'],
    [{ action: 'assign', merchant_id: `mer_${'0'.repeat(26)}` }, 404, 'merchant_not_found'],
    [{ action: 'assign', payment_id: `pay_${'0'.repeat(26)}` }, 404, 'payment_not_found'],
    [{ action: 'write_off' }, 400, 'field_invalid'],
    [{ action: 'acknowledge' }, 409, 'state_conflict'],
    [{ action: 'take' }, 400, 'field_invalid'],
  ];
  const moves = await movesOf(async () => {
    for (const [body, status, code] of wrong) {
      const answer = await resolve(task, body);
      t.same(
        [answer.status, answer.code],
        [status, code],
        `${JSON.stringify(body)}: ${answer.text}`,
      );
    }
  });
  t.same(moves, {});
  isRefused(
    t,
    await resolve({ id: `task_${'0'.repeat(32)}` }, { action: 'credit' }),
    404,
    'task_not_found',
  );
  const taken = await Promise.all([
    resolve(task, { action: 'credit' }),
    resolve(task, { action: 'credit' }),
  ]);
  t.same(
    taken.map(({ status }) => status),
    [200, 200],
  );
  await booksAreRight(t);
});

t.test('of many at once, at every gateway, one moves the money', async (t) => {
  const { task } = await suspend();
  const bodies = [
    { action: 'credit' },
    { action: 'return', external_reference: 'TRF-2' },
    { action: 'assign', merchant_id: other.merchantId },
  ];
  let answers: ApiAnswer[] = [];
  const moves = await movesOf(async () => {
    const asked = offices.flatMap((at) =>
      [...bodies, ...bodies].map((body) => resolve(task, body, at)),
    );
    answers = await Promise.all(asked);
  });
  const statuses = answers.map(({ status }) => status).sort();
  t.same(statuses, [...Array<number>(4).fill(200), ...Array<number>(8).fill(409)]);
  t.equal(moves.suspense, -1);
  t.equal((await sql`select from postings where cause_id = ${task.id}`).length, 1);
  await sql`update operator_tasks set status = 'open', action = null where id = ${task.id}`;
  t.equal(
    (await resolve(task, { action: 'credit' })).status,
    500,
    'a task that somebody opened again',
  );
  const winner = answers.find(({ status }) => status === 200)?.body['action'];
  await sql`update operator_tasks set status = 'resolved', action = ${String(winner)}
             where id = ${task.id}`;
  await booksAreRight(t);
});

t.test('money that a rail takes back is debited, written off or matched', async (t) => {
  const standing = await suspend();
  t.same(await movesOf(() => reverse(standing.paymentId, standing.transaction)), {
    suspense: -1,
    clearing: 1,
  });
  isRefused(t, await resolve(standing.task, { action: 'credit' }), 409, 'state_conflict');
  t.same(
    (await openTasks(standing.paymentId)).map(({ actions }) => actions),
    [['acknowledge'], ['acknowledge']],
  );
  for (const task of await openTasks(standing.paymentId)) {
    t.equal((await resolve(task, { action: 'acknowledge' })).status, 200);
  }

  const ways: readonly [object, object, Moves][] = [
    [{ action: 'credit' }, { action: 'debit' }, { available: -1, suspense: 1 }],
    [{ action: 'credit' }, { action: 'write_off' }, { fees: -1, suspense: 1 }],
    [
      { action: 'assign', merchant_id: other.merchantId },
      { action: 'debit' },
      { otherAvailable: -1, suspense: 1 },
    ],
    [
      { action: 'return', external_reference: 'TRF-3' },
      { action: 'match' },
      { bank: -1, suspense: 1 },
    ],
  ];
  for (const [first, second, moves] of ways) {
    const { paymentId, transaction, task } = await suspend();
    await resolve(task, first);
    await reverse(paymentId, transaction);
    const reversal = await findTask(paymentId, 'suspense_reversed');
    isRefused(t, await resolve(reversal, { action: 'acknowledge' }), 409, 'state_conflict');
    t.same(await movesOf(() => resolve(reversal, second)), moves, JSON.stringify([first, second]));
  }
  t.equal(await balanceOf(suspense), '0', 'nothing is left, and nothing is missing');
  await booksAreRight(t);
});

t.test('resolved and taken back in the same moment', async (t) => {
  for (let round = 0; round < 8; round += 1) {
    const { paymentId, transaction, task } = await suspend();
    const [resolved] = await Promise.all([
      resolve(task, { action: 'credit' }),
      reverse(paymentId, transaction),
    ]);
    const [reversal] = (await openTasks(paymentId)).filter(
      ({ kind }) => kind === 'suspense_reversed',
    );
    const isCredited = resolved.status === 200;
    t.same(reversal?.actions, isCredited ? ['debit', 'write_off'] : ['acknowledge']);
    if (reversal !== undefined)
      await resolve(reversal, { action: isCredited ? 'debit' : 'acknowledge' });
    if (!isCredited) await resolve(task, { action: 'acknowledge' });
  }
  t.equal(await balanceOf(suspense), '0');
  await booksAreRight(t);
});

t.test('an action chosen for a state that has changed is not executed', async (t) => {
  const { paymentId, transaction, task } = await suspend();
  const actor = { userId: stage.admin.userId, address: '127.0.0.1' };
  const money = { amountMinor: makeMinor(BigInt(AMOUNT)), currency: 'IDR' };
  const credit: Resolution = {
    taskId: task.id,
    state: 'standing',
    action: 'credit',
    note: 'uji',
    externalReference: null,
    targetPayment: null,
    merchantId,
    posting: { debit: suspense, credit: available, reason: 'suspense_credited', ...money },
  };
  await reverse(paymentId, transaction);
  t.equal(await resolveTask(sql, actor, credit), 'moved');
  t.same((await findTask(paymentId, 'settlement_suspended')).actions, ['acknowledge']);
  for (const open of await openTasks(paymentId)) await resolve(open, { action: 'acknowledge' });
  t.equal(await resolveTask(sql, actor, credit), 'closed');
  await booksAreRight(t);
});

t.test('money of an order that nobody knows', async (t) => {
  const platform = 'platform_suspense:LIVE:IDR';
  const book = async (): Promise<Pick<OpenTask, 'id'>> => {
    const order = describeUnknownOrder({
      rail: 'midtrans',
      railTransactionId: uniqueTransaction(),
      orderId: 'theirs',
      amountMinor: makeMinor(700n),
      currency: 'IDR',
      settledAtMs: null,
    });
    const booked = await Promise.all([1, 2, 3].map(() => bookUnknownOrder(sql, order)));
    t.same(booked.filter((isBooked) => isBooked).length, 1, 'booked once');
    return { id: order.taskId };
  };
  const [first, second] = [await book(), await book()];
  t.equal(await balanceOf(platform), '1400');
  isRefused(t, await resolve(first, { action: 'credit' }), 400, 'field_invalid');
  const payment_id = await makePaid();
  isRefused(t, await resolve(first, { action: 'assign', payment_id }), 400, 'field_invalid');
  const assigned = await resolve(first, { action: 'assign', merchant_id: other.merchantId });
  t.match(assigned.body, { kind: 'unknown_order', target_merchant_id: other.merchantId });
  t.equal(await balanceOf(`merchant_available:${other.merchantId}:LIVE:IDR`), '700');
  await resolve(second, { action: 'return', external_reference: 'TRF-4' });
  t.equal(await balanceOf(platform), '0');
  t.equal(await balanceOf('rail_clearing:manual:LIVE:IDR'), '700', 'returned by hand');
  await booksAreRight(t);
});

t.test('each way to break the books of a task is found', async (t) => {
  const { task } = await suspend();
  await resolve(task, { action: 'credit' });
  const who = { merchantId, other: other.merchantId };
  for (const [name, statement, undo] of breaksOf(task.id, who)) {
    await sql.unsafe(statement);
    t.not((await stage.findFaults()).length, 0, name);
    await sql.unsafe(undo);
  }
  await booksAreRight(t);
});
