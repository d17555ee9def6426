// A scripted rail: an adapter that sends JSON to an HTTP server, whose answers the test scripts. It records every request.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHARGEABLE_METHODS, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { CallbackReading, Capabilities, Rail } from '#actors/rails/adapters/rail.js';
import type { TestScope } from '../servers.js';

export type Operation = 'charge' | 'close' | 'refund' | 'lookUp' | 'lookUpRefund';

/** One request: the order of an inquiry, else the call. */
export interface Asked {
  readonly operation: Operation;
  readonly orderId: string;
  readonly amountMinor: string;
  readonly subject: Readonly<Record<string, unknown>>;
}

/** Returns an answer with digits for amounts; undefined: no answer. */
export type Script = (asked: Asked) => Promise<object | undefined> | object | undefined;

export interface ScriptedRail {
  readonly rail: Rail;
  readonly asked: readonly Asked[];
  /** Counts the requests of an operation, of one order if given. */
  count(operation: Operation, orderId?: string): number;
  answer(operation: Operation, script: Script): void;
}

export const QR = { kind: 'qr', payload: 'scripted' } as const;
export const ACCEPTED = { result: 'accepted', railReference: null, instructions: QR } as const;
export const UNKNOWN = { result: 'unknown' } as const;
export const REFUSED = { result: 'refused' } as const;

export async function startScriptedRail(t: TestScope, name: RailName): Promise<ScriptedRail> {
  const asked: Asked[] = [];
  const scripts = new Map<Operation, Script>();
  const server = createServer((request, response) => {
    void readJson(request).then(async (subject) => {
      const operation = (request.url ?? '').slice(1) as Operation;
      const { orderId, amountMinor } = subject;
      const one = {
        operation,
        orderId: String(orderId),
        amountMinor: String(amountMinor),
        subject,
      };
      asked.push(one);
      const answer = await (scripts.get(operation) ?? (() => UNKNOWN))(one);
      if (answer !== undefined) response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    rail: adapt(name, `http://127.0.0.1:${port}`),
    asked,
    count: (operation, orderId) =>
      asked.filter(
        (one) => one.operation === operation && (orderId === undefined || one.orderId === orderId),
      ).length,
    answer: (operation, script) => void scripts.set(operation, script),
  };
}

function adapt(name: RailName, url: string): Rail {
  const ask = async <Answer>(operation: Operation, subject: object, signal: AbortSignal) => {
    try {
      const body = JSON.stringify(subject, (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      );
      const answer = await fetch(`${url}/${operation}`, { method: 'POST', body, signal });
      return revive(await answer.json()) as Answer;
    } catch {
      return UNKNOWN as Answer;
    }
  };
  return {
    name,
    capabilities: CAPABILITIES,
    charge: (call, payer, signal) => ask('charge', { ...call, payer }, signal),
    close: (call, signal) => ask('close', call, signal),
    refund: (call, signal) => ask('refund', call, signal),
    inquirePayment: (order, signal) => ask('lookUp', order, signal),
    inquireRefund: (call, signal) => ask('lookUpRefund', call, signal),
    payOut: () => Promise.resolve(UNKNOWN),
    inquirePayout: () => Promise.resolve(UNKNOWN),
    readCallback: ({ headers, body }) => readCallback(headers, body),
    listTransactions: null,
  };
}

const CAPABILITIES: Capabilities = {
  refundKeyMs: null,
  canPayOut: false,
  methods: Object.fromEntries(
    CHARGEABLE_METHODS.map((method) => {
      const { minAmountMinor, maxAmountMinor, isRefundable } = PAYMENT_METHODS[method];
      const rest = { isRefundable, maxExpiresInS: 604_800, takesExpiry: true };
      return [method, { minAmountMinor, maxAmountMinor, ...rest }];
    }),
  ),
};

/** Amounts in answers become bigints. */
function revive(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    key === 'amountMinor' ? BigInt(String(value)) : value,
  );
}

/** A callback is `{"orderId", "amount", "id"}`; the header x-callback-token signs it. */
function readCallback(headers: Readonly<Record<string, string>>, body: Buffer): CallbackReading {
  if (headers['x-callback-token'] !== 'genuine') return { result: 'forged' };
  try {
    const { orderId, amount, id } = JSON.parse(body.toString()) as Record<string, string>;
    if (orderId === undefined || id === undefined) return { result: 'malformed' };
    return {
      result: 'genuine',
      dedupeKey: id,
      subject: { kind: 'order', orderId, railReference: null },
      reports: 'settled',
      money:
        amount === undefined ? null : (revive({ amountMinor: amount, currency: 'IDR' }) as never),
    };
  } catch {
    return { result: 'malformed' };
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
}
