// Merchants and customers of LIVE payments at simulated rails. Each payment is created (repeated with its key until its
// outcome is known), then paid, paid wrongly, cancelled or left, then perhaps refunded, reversed or paid out. Wrong payments are
// noted, to be compared with operator tasks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Wish } from '#test/support/load/client.js';
import type { Result } from '#test/support/load/history.js';
import { ACCOUNT } from '#test/support/rails/payouts.js';
import type { SimulatedRails } from '#test/support/rails/simulator.js';

const METHODS = ['QRIS', 'QRIS', 'VA_BCA', 'VA_BNI', 'VA_MANDIRI'] as const;
const TRIES = 60;
const PAUSE_MS = 250;
/** An order that its rail never took stays unknown: its merchant gives up after that many tries. */
const UNKNOWN_TRIES = 3;
const AMOUNT = 50_000;
const PAYOUT = '10000';
/** Methods whose money can be paid out at once. */
const WITHOUT_HOLD: readonly string[] = ['VA_BNI', 'VA_MANDIRI'];

export interface Crowd {
  readonly client: Client;
  readonly gateways: readonly string[];
  readonly control: SimulatedRails['control'];
  readonly random: () => number;
  /** Of every payment; undefined: the default of its method. */
  readonly expiresInS: number | undefined;
  /** Orders that were paid with a wrong amount. */
  readonly mismatches: Set<string>;
  /** Answers by request and status. */
  readonly answers: Map<string, number>;
}

/** Runs one payment from creation to its end. */
export async function livePayment(crowd: Crowd, key: string): Promise<void> {
  const { random } = crowd;
  const amount = String(AMOUNT + Math.floor(random() * AMOUNT));
  const method = METHODS[Math.floor(random() * METHODS.length)] ?? 'QRIS';
  const { expiresInS: expires_in } = crowd;
  const body = { amount, payment_method: method, reference_id: key, expires_in };
  const created = await insist(crowd, post('/v1/payments', body, key));
  if (created?.['status'] !== 'pending') return;
  const id = String(created['id']);
  const orderId = String(created['order_id']);
  const choice = random();
  if (choice < 0.05) return;
  if (choice < 0.1) return payWrongly(crowd, orderId, amount);
  if (choice < 0.15) return void (await insist(crowd, post(`/v1/payments/${id}/cancel`)));
  if (choice < 0.2) {
    const cancelled = insist(crowd, post(`/v1/payments/${id}/cancel`));
    await pay(crowd, orderId);
    return void (await cancelled);
  }
  if (!(await pay(crowd, orderId))) return;
  if (choice < 0.25) return reverse(crowd, id, orderId);
  if (choice < 0.4 && method === 'QRIS' && (await isPaid(crowd, id))) {
    const refund = { payment_id: id, amount: String(Math.floor(Number(amount) / 2)) };
    await insist(crowd, post('/v1/refunds', refund, `${key}-refund`));
  }
  if (choice < 0.4 && WITHOUT_HOLD.includes(method) && (await isPaid(crowd, id))) {
    await insist(crowd, post('/v1/payouts', { ...ACCOUNT, amount: PAYOUT }, `${key}-payout`));
  }
}

/** At Midtrans only: Xendit's accounts accept no other amount. */
async function payWrongly(crowd: Crowd, orderId: string, amount: string): Promise<void> {
  if (!(await isAtMidtrans(crowd, orderId))) return;
  const wrong = String(Number(amount) + 1);
  if (await pay(crowd, orderId, { amount: wrong })) crowd.mismatches.add(orderId);
}

/** Reverses a booked payment. At Midtrans only: Xendit reverses nothing. */
async function reverse(crowd: Crowd, id: string, orderId: string): Promise<void> {
  if (!(await isAtMidtrans(crowd, orderId)) || !(await isPaid(crowd, id))) return;
  await crowd.control('POST', `orders/${orderId}/reverse`);
}

async function isAtMidtrans({ control }: Crowd, orderId: string): Promise<boolean> {
  const order = await control('GET', `orders/${orderId}`).catch(() => undefined);
  return (order as { rail?: string } | undefined)?.rail === 'midtrans';
}

/** Returns whether the rail took the money. */
async function pay({ control }: Crowd, orderId: string, more: object = {}): Promise<boolean> {
  return control('POST', 'pay', { order_id: orderId, ...more }).then(
    () => true,
    () => false,
  );
}

async function isPaid(crowd: Crowd, id: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const payment = await insist(crowd, { method: 'GET', path: `/v1/payments/${id}` });
    if (payment?.['status'] === 'paid') return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

function post(path: string, body?: object, key?: string): Wish {
  return {
    method: 'POST',
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  };
}

/** Repeats a request with its key until it is decided. undefined: refused, unknown, or given up. */
async function insist(
  crowd: Crowd,
  wish: Wish,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { client, gateways, random, answers } = crowd;
  let unknown = 0;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const gateway = gateways[Math.floor(random() * gateways.length)] ?? '';
    const result = await client.send(gateway, wish);
    const word = result.kind === 'answer' ? String(result.status) : result.kind;
    const name = `${wish.method} ${wish.path.replace(/pay_\w+/, '{id}')} ${word}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
    if (result.kind === 'answer' && result.status < 300) return result.body;
    if (result.kind === 'answer' && result.status === 504) unknown += 1;
    if (unknown >= UNKNOWN_TRIES) return undefined;
    const isDecided = result.kind === 'answer' && (result.status < 500 || result.status === 502);
    if (isDecided && !hasPausedMethod(result)) return undefined;
    await sleep(PAUSE_MS);
  }
  return undefined;
}

/** All rails of the method pause: nothing was stored, and the same create may succeed later. */
function hasPausedMethod(result: Result): boolean {
  const error = result.kind === 'answer' ? (result.body['error'] as { code?: string }) : undefined;
  return error?.code === 'payment_method_unavailable';
}
