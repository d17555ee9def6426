// Customers pay, and their merchant refunds and pays out, all in TEST and with keys. Clients repeat each request until they have
// an answer. At the end everything that was answered must be there, once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { type Api, type ApiAnswer, openApi } from '../api.js';
import { type FaultRow, recordRow } from '../invariants/fault-table.js';
import { expectBalance, listAll } from '../merchant-money.js';
import { createTestMerchant, uniqueWord } from '../processes.js';
import { balanceOf, makeKey, payOut } from '../rails/payouts.js';
import type { Service } from '../stage.js';

const WORKERS = 4;
const RETRY_MS = 100;
/** Rounds of a payment, a refund and a payout, before and after the fault. */
const ROUNDS = 12;
const SCOPES = ['read', 'write', 'payouts'];
const [PAID, REFUNDED, PAID_OUT] = ['20000', '1000', '500'];

interface Moved {
  readonly kind: 'payments' | 'refunds' | 'payouts';
  readonly id: string;
  readonly paymentId: string;
}

interface Answers {
  readonly moved: Moved[];
  readonly endsMs: number[];
  rounds: number;
  isOver: boolean;
}

/** Runs `fault` while money moves, records its row, and checks that nothing is lost, nothing is there twice, and the books agree. */
export async function watchMoney(
  t: Test,
  { databaseUrl, gateways, sql }: Service,
  { engine, fault }: Pick<FaultRow, 'engine' | 'fault'>,
  work: () => Promise<unknown>,
): Promise<void> {
  const { merchantId } = await createTestMerchant(databaseUrl);
  const key = await makeKey(sql, merchantId, 'TEST', SCOPES);
  const apis = gateways.map(({ baseUrl }) => openApi(baseUrl, key));
  const answers: Answers = { moved: [], endsMs: [], rounds: 0, isOver: false };
  const workers = Array.from({ length: WORKERS }, () => move(apis, answers));
  await makeRounds(answers);
  const [fromMs, before] = [performance.now(), answers.moved.length];
  await work();
  await makeRounds(answers);
  const toMs = performance.now();
  const answered = answers.moved.length - before;
  answers.isOver = true;
  await Promise.all(workers);

  const [api] = apis;
  if (api === undefined) throw new Error('a service has a gateway');
  const lost = await findLost(api, answers.moved);
  const twice = await findTwice(api, answers.moved);
  const pauseS = findLongestGap([...answers.endsMs, fromMs, toMs], fromMs, toMs) / 1_000;
  const row = { engine, fault: `${fault}; refunds, payouts`, answered, pauseS };
  t.comment(recordRow({ ...row, lost: lost.length, twice: twice.length }));
  t.strictSame(lost, [], 'everything that was answered is there');
  t.strictSame(twice, [], 'nothing is there twice');
  t.strictSame(await balanceOf(api), await expectBalance(api), 'the balance is their sum');
  t.strictSame((await verifyLedger(sql)).faults, [], 'the ledger is sound');
}

const makeRounds = (answers: Answers): Promise<unknown> => {
  const goal = answers.rounds + ROUNDS;
  return waitUntil('money moves', () => answers.rounds >= goal);
};

async function move(apis: readonly Api[], answers: Answers): Promise<void> {
  let turn = 0;
  const ask = async (send: (api: Api) => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    for (;;) {
      turn += 1;
      const api = apis[turn % apis.length];
      const answer = api === undefined ? null : await send(api).catch(() => null);
      if (answer !== null && answer.status < 500) {
        answers.endsMs.push(performance.now());
        return answer;
      }
      await sleep(RETRY_MS);
    }
  };
  const note = (kind: Moved['kind'], { body, text }: ApiAnswer, paymentId?: string): string => {
    if (typeof body['id'] !== 'string') throw new Error(`${kind}: ${text}`);
    const id = body['id'];
    answers.moved.push({ kind, id, paymentId: paymentId ?? id });
    return id;
  };
  while (!answers.isOver) {
    const [payKey, refundKey, payoutKey] = [uniqueWord(), uniqueWord(), uniqueWord()];
    const id = note('payments', await ask((api) => api.create({ amount: PAID }, payKey)));
    await ask((api) => api.simulate(id, 'paid'));
    note('refunds', await ask((api) => refund(api, id, refundKey)), id);
    note('payouts', await ask((api) => payOut(api, { amount: PAID_OUT }, payoutKey)), id);
    answers.rounds += 1;
  }
}

const refund = (api: Api, paymentId: string, key: string): Promise<ApiAnswer> =>
  api.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: paymentId, amount: REFUNDED },
    headers: { 'idempotency-key': key },
  });

async function findLost(api: Api, moved: readonly Moved[]): Promise<string[]> {
  const lost: string[] = [];
  for (const { kind, id } of moved) {
    const { status, body } = await api.call(`/v1/${kind}/${id}`);
    if (status !== 200 || body['id'] !== id) lost.push(`${kind} ${id}: ${status}`);
  }
  return lost;
}

/** Each payment was refunded once, and each payout was asked for once. */
async function findTwice(api: Api, moved: readonly Moved[]): Promise<string[]> {
  const refunds = (await listAll(api, '/v1/refunds')) as { payment_id: string; id: string }[];
  const asked = new Set(moved.map(({ id }) => id));
  const payouts = (await listAll(api, '/v1/payouts')) as { id: string }[];
  return [...refunds, ...payouts].filter(({ id }) => !asked.has(id)).map(({ id }) => id);
}

function findLongestGap(endsMs: readonly number[], fromMs: number, toMs: number): number {
  const within = endsMs.filter((ms) => ms >= fromMs && ms <= toMs).sort((one, two) => one - two);
  return Math.max(...within.map((ms, index) => ms - (within[index - 1] ?? fromMs)));
}
