// The orders and payouts of the simulator, in memory, and in an append-only file if one is given. A record is written as
// a whole line before a request is answered, so that a killed simulator knows everything it answered. The last line of a
// record counts.
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type AmountMinor, makeMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';

export type SimulatedRail = 'midtrans' | 'xendit';

export interface SimulatedPayment {
  /** Xendit's payment id. Midtrans has one payment per transaction, identified by the transaction id. */
  readonly id: string;
  readonly amountMinor: AmountMinor;
  readonly atMs: number;
}

export interface SimulatedRefund {
  readonly id: string;
  /** A chargeback was decided by the customer's bank. */
  readonly kind: 'refund' | 'chargeback';
  /** The caller's id: `refund_key` or `reference_id`. For what its dashboard or a bank gave back, the rail chooses it or has none. */
  readonly reference: string | null;
  readonly amountMinor: AmountMinor;
  readonly status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  readonly atMs: number;
  /** The bank never ends it by itself. */
  readonly isStuck: boolean;
}

/** `reversed`: settled and then taken back. */
export type SimulatedOrderStatus =
  'pending' | 'settled' | 'denied' | 'expired' | 'cancelled' | 'reversed';

export interface SimulatedOrder {
  readonly kind: 'order';
  readonly rail: SimulatedRail;
  /** The caller's id. */
  readonly orderId: string;
  /** The rail's id: `transaction_id` or `payment_request_id`. */
  readonly id: string;
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
  /** The QR payload or the account number that a customer pays to. */
  readonly payBy: string;
  readonly status: SimulatedOrderStatus;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly payments: readonly SimulatedPayment[];
  readonly refunds: readonly SimulatedRefund[];
}

export interface SimulatedPayout {
  readonly kind: 'payout';
  readonly rail: 'xendit';
  readonly id: string;
  readonly reference: string;
  readonly idempotencyKey: string;
  readonly channelCode: string;
  readonly accountNumber: string;
  readonly amountMinor: AmountMinor;
  readonly status: 'ACCEPTED' | 'SUCCEEDED' | 'FAILED' | 'REVERSED';
  readonly failureCode: string | null;
  readonly createdAtMs: number;
  /** The bank never ends it by itself. */
  readonly isStuck: boolean;
}

const MAX_RECORDS = 500_000;

export class OrderStore {
  readonly #orders = new Map<string, SimulatedOrder>();
  /** Maps rail ids, QR payloads and account numbers to the caller's order ids. */
  readonly #orderIds = new Map<string, string>();
  /** Orders that can still be paid or expire. */
  readonly #pending = new Set<string>();
  readonly #payouts = new Map<string, SimulatedPayout>();
  readonly #file: number | null;

  constructor(file: string | null) {
    if (file !== null && existsSync(file)) this.#load(file);
    this.#file = file === null ? null : openSync(file, 'a', 0o600);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }

  put(record: SimulatedOrder | SimulatedPayout): void {
    this.#keep(record);
    if (this.#file !== null) writeSync(this.#file, `${encode(record)}\n`);
  }

  /** In memory; a restart reads it from the file. */
  forget({ rail, orderId }: SimulatedOrder): void {
    this.#orders.delete(`${rail} ${orderId}`);
    this.#pending.delete(`${rail} ${orderId}`);
  }

  /** In memory, like `forget`. */
  forgetPayout(reference: string): void {
    this.#payouts.delete(reference);
  }

  /** Finds by the caller's id, the rail's id, the QR payload or the account number. */
  findOrder(rail: SimulatedRail, key: string): SimulatedOrder | undefined {
    const order = this.#orders.get(`${rail} ${this.#orderIds.get(`${rail} ${key}`) ?? key}`);
    return order?.rail === rail ? order : undefined;
  }

  findPayout(key: string): SimulatedPayout | undefined {
    return this.#payouts.get(key) ?? this.listPayouts().find(({ id }) => id === key);
  }

  /** Oldest first. */
  listOrders(): SimulatedOrder[] {
    return [...this.#orders.values()];
  }

  listPending(): SimulatedOrder[] {
    return [...this.#pending].flatMap((key) => this.#orders.get(key) ?? []);
  }

  listPayouts(): SimulatedPayout[] {
    return [...this.#payouts.values()];
  }

  #keep(record: SimulatedOrder | SimulatedPayout): void {
    if (record.kind === 'payout') {
      this.#payouts.set(record.reference, record);
      return;
    }
    const { rail, orderId } = record;
    const key = `${rail} ${orderId}`;
    this.#orders.set(key, record);
    if (record.status === 'pending') this.#pending.add(key);
    else this.#pending.delete(key);
    const names = [record.id, record.payBy, ...record.payments.map(({ id }) => id)];
    for (const name of names) this.#orderIds.set(`${rail} ${name}`, orderId);
    if (this.#orders.size > MAX_RECORDS) throw new Error('the books are full: reset the simulator');
  }

  /** Ignores a last line that a kill cut short (its request was never answered) and rewrites the rest. */
  #load(file: string): void {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line.endsWith('}')) this.#keep(decode(line));
    }
    const records = [...this.listOrders(), ...this.listPayouts()];
    const draft = `${file}.draft`;
    writeFileSync(draft, records.map((record) => `${encode(record)}\n`).join(''), { mode: 0o600 });
    renameSync(draft, file);
  }
}

export function encode(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}

function decode(line: string): SimulatedOrder | SimulatedPayout {
  return JSON.parse(line, (key, part: unknown) =>
    key === 'amountMinor' ? makeMinor(BigInt(String(part))) : part,
  ) as SimulatedOrder | SimulatedPayout;
}
