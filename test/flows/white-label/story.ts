// The good and bad events in the life of a LIVE merchant, at rails whose every string is a canary. Returns the created
// objects by the name of the path parameter that names them.
import type { ApiAnswer } from '#test/support/api.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { FaultRule } from '#ops/dev/rail-simulator/faults.js';
import { uniqueWord } from '#test/support/processes.js';
import { payOut } from '#test/support/rails/payouts.js';
import type { WhiteLabelStage } from './stage.js';

const AMOUNT = '25000';

export interface Story {
  readonly payments: readonly string[];
  readonly refunds: readonly string[];
  readonly payouts: readonly string[];
  /** The payment whose code came as a picture only. */
  readonly pictured: string;
  /** The answers to calls that had to fail. */
  readonly failures: readonly ApiAnswer[];
}

export async function liveThrough(stage: WhiteLabelStage): Promise<Story> {
  const { live, simulated } = stage;
  const payments: string[] = [];
  const failures: ApiAnswer[] = [];
  const note = (answer: ApiAnswer): ApiAnswer => {
    const { error, id } = answer.body as { error?: { payment_id?: string }; id?: string };
    if (answer.status >= 400) failures.push(answer);
    const paymentId = id ?? error?.payment_id;
    if (paymentId !== undefined) payments.push(paymentId);
    return answer;
  };
  const create = async (method: string | undefined, ...rules: FaultRule[]) => {
    if (rules.length > 0) await simulated.plan(...rules.map((rule) => ({ times: 1, ...rule })));
    const body = { amount: AMOUNT, ...(method === undefined ? {} : { payment_method: method }) };
    const answer = note(await live.create(body, uniqueWord()));
    if (rules.length > 0) await simulated.plan();
    return answer.body;
  };
  const at = async (act: string, { order_id: orderId }: ApiAnswer['body'], body = {}) =>
    simulated.control('POST', act === 'pay' ? 'pay' : `orders/${String(orderId)}/${act}`, {
      ...(act === 'pay' ? { order_id: orderId } : {}),
      ...body,
    });
  const becomes = ({ id }: ApiAnswer['body'], status: string) =>
    waitUntil(`${String(id)} is ${status}`, async () => {
      return (await live.get(id)).body['status'] === status;
    });
  const pay = async (made: ApiAnswer['body']) => {
    await at('pay', made);
    await becomes(made, 'paid');
    return made;
  };

  // Taken by either rail, by the second after the first, with a picture, and by a repeat of what was lost.
  const paid = await pay(await create('QRIS'));
  const byAccount = await pay(await create('VA_BCA'));
  const second = await create('QRIS', { kind: 'refuse', operation: 'charge', rail: 'midtrans' });
  await pay(second);
  const pictured = await create('QRIS', { kind: 'no_qr_string', operation: 'charge' });
  await create('QRIS', { kind: 'html', operation: 'charge' });
  await create('VA_MANDIRI');
  await create('VA_BRI');
  // Refused by all, not known, closed, not to be closed, denied, taken back, paid with another amount.
  await create('VA_BNI', { kind: 'refuse', operation: 'charge' });
  await create('VA_BNI', { kind: 'server_error', operation: 'charge', took: false });
  await live.cancel((await create('VA_BRI'))['id']);
  const kept = await create('VA_BRI');
  await simulated.plan({ kind: 'refuse', operation: 'close' });
  failures.push(await live.cancel(kept['id']));
  await simulated.plan();
  const denied = await create('VA_BNI');
  await at('deny', denied);
  const reversed = await pay(await create('VA_PERMATA'));
  await at('reverse', reversed);
  await at('pay', await create('VA_BNI'), { amount: '25001' });
  await Promise.all([becomes(denied, 'failed'), becomes(reversed, 'failed')]);

  const refunds = await refund(stage, { paid, byAccount, second }, failures);
  const payouts = await sendOut(stage, failures);
  return { payments, refunds, payouts, pictured: String(pictured['id']), failures };
}

type Payments = Readonly<Record<'paid' | 'byAccount' | 'second', ApiAnswer['body']>>;

/** Done, refused, pending, to be done by hand, too much. */
async function refund(
  { live, simulated }: WhiteLabelStage,
  { paid, byAccount, second }: Payments,
  failures: ApiAnswer[],
): Promise<string[]> {
  const ids: string[] = [];
  const ask = async ({ id }: ApiAnswer['body'], amount: string): Promise<void> => {
    const answer = await live.call('/v1/refunds', {
      method: 'POST',
      body: { payment_id: id, amount },
      headers: { 'idempotency-key': uniqueWord() },
    });
    if (answer.status >= 400) failures.push(answer);
    else ids.push(String(answer.body['id']));
  };
  await ask(paid, '1000');
  await simulated.plan({ kind: 'refuse', operation: 'refund' });
  await ask(paid, '2000');
  await simulated.plan();
  await ask(second, AMOUNT);
  await ask(byAccount, '3000');
  await ask(byAccount, '99999');
  await waitUntil('refunds are told', async () => {
    const { body } = await live.call('/v1/refunds');
    const [, ...rest] = (body['data'] as { status: string }[]).map(({ status }) => status);
    return rest.filter((status) => status === 'SUCCEEDED').length >= 2;
  });
  return ids;
}

/** Accounts with which the rail fails in its ways, and one that takes the money. */
const ACCOUNTS = ['1234567890', '123456', '999999', '121212', '654321', '131313'];

async function sendOut(
  { live, sql, merchantId }: WhiteLabelStage,
  failures: ApiAnswer[],
): Promise<string[]> {
  await sql`
    insert into balance_rows (account, currency, amount)
    values (${`merchant_available:${merchantId}:LIVE:IDR`}, 'IDR', 100000)
    on conflict (account, shard) do update set amount = 100000`;
  const ids: string[] = [];
  for (const account_number of ACCOUNTS) {
    const made = await payOut(live, { amount: '1000', account_number }, uniqueWord());
    ids.push(String(made.body['id']));
  }
  failures.push(await payOut(live, { amount: '999999999' }, uniqueWord()));
  await waitUntil('payouts have ended', async () => {
    const { body } = await live.call('/v1/payouts');
    const statuses = (body['data'] as { status: string }[]).map(({ status }) => status);
    return (
      statuses.filter((status) => status === 'FAILED').length === 3 &&
      ['COMPLETED', 'REVERSED', 'PROCESSING'].every((status) => statuses.includes(status))
    );
  });
  return ids;
}
