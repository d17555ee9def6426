// A scripted Xendit that pays out over HTTP: it counts payout requests by our reference and can withhold its replies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from '../support/servers.js';

export interface Bank {
  readonly url: string;
  /** Payout requests by reference. */
  readonly asked: ReadonlyMap<string, number>;
  /** Sets the status of a payout. */
  readonly set: (reference: string, status: string) => void;
  /** true: payouts are accepted without a reply. */
  holds: boolean;
  /** The first status of new payouts. */
  begins: string;
}

export async function startBank(t: TestScope): Promise<Bank> {
  const asked = new Map<string, number>();
  const payouts = new Map<string, { reference_id: string; status: string; amount: number }>();
  const bank: Bank = {
    url: '',
    asked,
    set: (reference, status) => {
      const payout = payouts.get(reference);
      if (payout !== undefined) payout.status = status;
    },
    holds: false,
    begins: 'ACCEPTED',
  };
  const show = (reference: string): object => ({
    id: `disb-${reference}`,
    currency: 'IDR',
    ...payouts.get(reference),
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const reference = String(body['reference_id']);
    asked.set(reference, (asked.get(reference) ?? 0) + 1);
    const status = bank.begins;
    payouts.set(reference, { reference_id: reference, status, amount: Number(body['amount']) });
    if (!bank.holds) answer(response, 200, show(reference));
  };
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      void take(request, response);
      return;
    }
    const url = new URL(request.url ?? '', 'http://bank');
    const named = url.pathname.replace(/^\/v2\/payouts\/(disb-)?/, '');
    const reference = url.searchParams.get('reference_id');
    if (reference !== null) {
      answer(response, 200, { data: payouts.has(reference) ? [show(reference)] : [] });
    } else if (payouts.has(named)) {
      answer(response, 200, show(named));
    } else {
      answer(response, 404, { error_code: 'DATA_NOT_FOUND', message: 'none' });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(bank, { url: `http://127.0.0.1:${port}` });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
