// The simulated rails behind a mouthpiece: whatever they say passes through it and comes out with a canary in every
// string (ids, names, messages, addresses, pictures, headers), but for the words that the documentation of the
// rails fixes and the numbers and codes that a customer pays by. Callbacks pass through it, too.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import type { TestScope } from '#test/support/servers.js';
import { CANARY } from './canaries.js';
import { withPngChunk } from './png.js';

export interface CanaryRails {
  readonly midtransUrl: string;
  readonly xenditUrl: string;
  /** Where the simulator's callbacks go to, to reach these addresses of the service. */
  readonly callbacksTo: (service: Targets) => Targets;
  /** How many replies and callbacks carried canaries. */
  readonly sung: () => number;
}

type Targets = Readonly<Record<'midtrans' | 'xendit', string>>;

/** Words and numbers that have to stand as they are for a reply to be understood. */
const FIXED = new Set([
  ...['status_code', 'order_id', 'gross_amount', 'currency', 'payment_type', 'transaction_status'],
  ...['transaction_time', 'expiry_time', 'settlement_time', 'fraud_status', 'signature_key'],
  ...['refund_amount', 'refund_key', 'va_number', 'bill_key', 'biller_code', 'permata_va_number'],
  ...['qr_string', 'name', 'method', 'reference_id', 'type', 'country', 'status', 'descriptor'],
  ...['value', 'event', 'error_code', 'created', 'updated', 'expires_at', 'capture_timestamp'],
]);
const MARK = `${CANARY}-`;

export async function startCanaryRails(t: TestScope, simulatorUrl: string): Promise<CanaryRails> {
  let targets: Targets = { midtrans: '', xendit: '' };
  let sung = 0;
  const server = createServer((asked, response) => {
    void speak(asked, response).catch(() => response.socket?.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const base = `${here}/${CANARY}`;

  /** A connection that breaks behind the mouthpiece breaks in front of it. */
  async function speak(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { url = '', method = 'GET', headers } = asked;
    const [, place = '', rail = ''] = url.split('/');
    const isCallback = place === 'callbacks';
    const text = await readText(asked);
    const answer = await request(
      isCallback ? targets[rail as keyof Targets] : unmark(url.replace(`/${CANARY}`, simulatorUrl)),
      {
        method: method as 'GET' | 'POST',
        headers: isCallback ? { ...passedOn(headers), [`x-${CANARY}`]: CANARY } : passedOn(headers),
        body: text === '' ? null : isCallback ? sing(text) : unmark(text),
        signal: gone.signal,
      },
    );
    const said = Buffer.from(await answer.body.arrayBuffer());
    sung += 1;
    const type = String(answer.headers['content-type'] ?? 'text/plain');
    response.writeHead(answer.statusCode, CANARY, { ...songOfHeaders(), 'content-type': type });
    response.end(isCallback ? said : singReply(said, type));
  }

  function singReply(said: Buffer, type: string): Buffer | string {
    if (type === 'image/png') {
      return withPngChunk(said, 'tEXt', Buffer.from(`Software\0${CANARY}`));
    }
    const text = said.toString().replaceAll(simulatorUrl, base);
    return type.startsWith('application/json') ? sing(text) : `${text}<p>${CANARY}</p>`;
  }

  return {
    midtransUrl: `${base}/midtrans`,
    xenditUrl: `${base}/xendit`,
    callbacksTo: (service) => {
      targets = service;
      return { midtrans: `${here}/callbacks/midtrans`, xendit: `${here}/callbacks/xendit` };
    },
    sung: () => sung,
  };
}

const unmark = (text: string): string => text.replaceAll(MARK, '').replaceAll(`?${CANARY}`, '');

function songOfHeaders(): Record<string, string> {
  return {
    server: CANARY,
    via: `1.1 ${CANARY}`,
    'set-cookie': `${CANARY}=${CANARY}`,
    location: `https://${CANARY}.example/${CANARY}`,
    'x-request-id': CANARY,
    [`x-${CANARY}`]: CANARY,
  };
}

/** JSON with a canary in every string that may have one, and in fields that nobody asked for. */
function sing(text: string): string {
  const sungBody = singValue(JSON.parse(text), '') as object;
  return JSON.stringify({ ...sungBody, ...MORE });
}

const MORE = {
  [CANARY]: CANARY,
  issuer: CANARY,
  acquirer: CANARY,
  merchant_name: CANARY,
  validation_messages: [CANARY],
  payment_details: { payer_name: CANARY, issuer_name: CANARY, remark: CANARY },
  redirect_url: `https://${CANARY}.example/pay?to=${CANARY}`,
};

function singValue(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    if (FIXED.has(name)) return value;
    return name === 'url' ? `${value}?${CANARY}` : MARK + value;
  }
  if (Array.isArray(value)) return value.map((one) => singValue(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, singValue(one, key)]));
}

function passedOn(headers: IncomingMessage['headers']): Record<string, string> {
  const hop = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

async function readText(asked: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
