// A merchant's HTTP client: keep-alive connections, one request at a time on each, and no retries of its
// own, since every attempt is to be seen.
import { Agent, request } from 'undici';
import type { Operation, Result } from './history.js';

const CONNECTIONS = 64;
/** Beyond the contract's 10 s for a command, so that a hang is seen as one. */
const ANSWER_MS = 20_000;

export interface Wish {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Client {
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  readonly #apiKey: string;

  constructor(apiKey: string) {
    this.#apiKey = apiKey;
  }

  /** Never rejects. */
  async send(gateway: string, wish: Wish): Promise<Result> {
    try {
      const answer = await request(gateway + wish.path, {
        dispatcher: this.#agent,
        method: wish.method,
        headersTimeout: ANSWER_MS,
        bodyTimeout: ANSWER_MS,
        headers: {
          authorization: `Bearer ${this.#apiKey}`,
          ...(wish.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...wish.headers,
        },
        ...(wish.body === undefined ? {} : { body: wish.body }),
      });
      const text = await answer.body.text();
      const isReplayed = answer.headers['idempotent-replayed'] === 'true';
      return { kind: 'answer', status: answer.statusCode, text, body: parse(text), isReplayed };
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      return { kind: syscall === 'connect' ? 'refused' : 'lost', reason: code ?? String(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The request of an operation. */
export function toWish(operation: Operation): Wish {
  switch (operation.kind) {
    case 'create': {
      const { amount, reference, key } = operation;
      return {
        method: 'POST',
        path: '/v1/payments',
        body: createBody(amount, reference),
        headers: key === null ? {} : { 'idempotency-key': key },
      };
    }
    case 'get':
      return { method: 'GET', path: `/v1/payments/${operation.paymentId}` };
    case 'cancel':
      return { method: 'POST', path: `/v1/payments/${operation.paymentId}/cancel` };
    case 'simulate':
      return {
        method: 'POST',
        path: `/v1/sandbox/payments/${operation.paymentId}/simulate`,
        body: JSON.stringify({ outcome: operation.outcome }),
      };
  }
}

export function createBody(amount: string, reference: string): string {
  return JSON.stringify({
    amount,
    currency: 'IDR',
    payment_method: 'QRIS',
    reference_id: reference,
    description: `order ${reference}`,
    metadata: { reference },
  });
}
