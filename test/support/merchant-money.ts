// Moves a merchant's money over HTTP with concurrent random requests: payments, partial refunds, payouts, repeats with
// their keys, refunds ended by hand. A seed replays the choices, not the order in which requests meet.
import { type Api, type ApiAnswer } from './api.js';
import { uniqueWord } from './processes.js';
import { payOut } from './rails/payouts.js';

export interface Merchants {
  /** The same merchant's key, at several gateways. */
  readonly apis: readonly Api[];
  readonly admin: Api;
  readonly random: () => number;
}

/** Paid at once; paid with refunds by hand; paid and reversed. */
const MAGIC_AMOUNTS = ['10092', '10094', '10096'];

export interface MovedMoney {
  /** Answers by request and status. */
  readonly answers: ReadonlyMap<string, number>;
}

export async function moveMoney(
  { apis, admin, random }: Merchants,
  { workers, steps }: { readonly workers: number; readonly steps: number },
): Promise<MovedMoney> {
  const answers = new Map<string, number>();
  const payments: unknown[] = [];
  const asked: (() => Promise<ApiAnswer>)[] = [];
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[Math.floor(random() * values.length)];
  const amountUpTo = (most: number): string => String(1 + Math.floor(random() * most));
  const note = async (name: string, ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    asked.push(ask);
    const answer = await ask();
    const key = `${name} ${answer.status}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    return answer;
  };
  const api = (): Api => pick(apis) ?? admin;

  const pay = async (): Promise<void> => {
    const [key, amount] = [uniqueWord(), random() < 0.5 ? amountUpTo(9_000) : pick(MAGIC_AMOUNTS)];
    const { body } = await note('create', () => api().create({ amount }, key));
    await api().simulate(body['id'], 'paid');
    payments.push(body['id']);
  };
  const refund = async (): Promise<void> => {
    const [id, key] = [pick(payments), uniqueWord()];
    const body = { payment_id: id, amount: amountUpTo(6_000) };
    const headers = { 'idempotency-key': key };
    if (id === undefined) return;
    await note('refund', () => api().call('/v1/refunds', { method: 'POST', body, headers }));
  };
  const sendOut = async (): Promise<void> => {
    const [key, account_number] = [uniqueWord(), random() < 0.7 ? '1234567890' : '1234560000'];
    const body = { amount: amountUpTo(9_000), account_number };
    await note('payout', () => payOut(api(), body, key));
  };
  const endRefund = async (): Promise<void> => {
    const { body } = await admin.call('/v1/admin/refunds?status=MANUAL_REQUIRED');
    const [verb, one] = [random() < 0.5 ? 'complete' : 'fail', pick(body['data'] as Row[])];
    if (one === undefined) return;
    const ended = { external_reference: `TRF-${verb}` };
    const path = `/v1/admin/refunds/${one.id}/${verb}`;
    await note('by hand', () => admin.call(path, { method: 'POST', body: ended }));
  };
  const repeat = async (): Promise<void> => {
    await pick(asked)?.();
  };

  const work = async (): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      await (pick([pay, refund, refund, sendOut, sendOut, endRefund, repeat]) ?? pay)();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { answers };
}

interface Row {
  readonly id: string;
}

interface Moved {
  readonly status: string;
  readonly amount: string;
}

/** Computes the balance that follows from the merchant's payments, refunds and payouts. */
export async function expectBalance(api: Api): Promise<{ available: string; in_transit: string }> {
  const payments = (await listAll(api, '/v1/payments')) as (Moved & Row)[];
  const refunds = (await listAll(api, '/v1/refunds')) as (Moved & { payment_id: string })[];
  const payouts = (await listAll(api, '/v1/payouts')) as Moved[];
  const paid = payments.filter(({ status }) => status === 'paid' || status === 'refunded');
  const ids = new Set(paid.map(({ id }) => id));
  const reserved = refunds.filter(
    ({ status, payment_id: id }) => status !== 'FAILED' && ids.has(id),
  );
  const sent = payouts.filter(({ status }) => status !== 'FAILED' && status !== 'REVERSED');
  const open = sent.filter(({ status }) => status !== 'COMPLETED');
  return {
    available: String(sumAmounts(paid) - sumAmounts(reserved) - sumAmounts(sent)),
    in_transit: String(sumAmounts(open)),
  };
}

const sumAmounts = (moved: readonly Moved[]): bigint =>
  moved.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

export async function listAll(api: Api, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await api.call(`${path}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    rows.push(...(body['data'] as unknown[]));
    cursor = body['next_cursor'] as string | null;
  }
  return rows;
}
