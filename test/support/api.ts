// The API as a merchant calls it.
import { type IncomingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The received bytes. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed JSON; the empty object: it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The code of an error body. */
  readonly code: string | undefined;
  readonly elapsedMs: number;
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Sent as JSON, or unchanged when it is a string. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Api {
  readonly call: (path: string, options?: ApiCall) => Promise<ApiAnswer>;
  readonly create: (body: object, idempotencyKey?: string) => Promise<ApiAnswer>;
  readonly get: (id: unknown) => Promise<ApiAnswer>;
  readonly cancel: (id: unknown) => Promise<ApiAnswer>;
  readonly simulate: (id: unknown, outcome: string) => Promise<ApiAnswer>;
}

/** Called with each request line and its answer. */
export type Hear = (request: string, answer: ApiAnswer) => void;

/** `apiKey` undefined: only the headers of the call are sent. */
export function openApi(baseUrl: string, apiKey?: string, hear?: Hear): Api {
  const call = async (path: string, options: ApiCall = {}): Promise<ApiAnswer> => {
    const answer = await send(baseUrl + path, apiKey, options);
    hear?.(`${options.method ?? 'GET'} ${path}`, answer);
    return answer;
  };
  const post = (path: string, body?: unknown, headers = {}): Promise<ApiAnswer> =>
    call(path, { method: 'POST', body, headers });
  return {
    call,
    create: (body, key) =>
      post('/v1/payments', body, key === undefined ? {} : { 'idempotency-key': key }),
    get: (id) => call(`/v1/payments/${String(id)}`),
    cancel: (id) => post(`/v1/payments/${String(id)}/cancel`),
    simulate: (id, outcome) => post(`/v1/sandbox/payments/${String(id)}/simulate`, { outcome }),
  };
}

/**
 * A test may have kept the event loop busy until the server closed the idle connection. The close is noticed when the loop
 * polls, which it does between two turns; a request that is sent before fails.
 */
export async function noticeCloses(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

async function send(
  url: string,
  apiKey: string | undefined,
  { method = 'GET', body, headers = {} }: ApiCall,
): Promise<ApiAnswer> {
  await noticeCloses();
  const began = performance.now();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await request(url, {
    method,
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: text }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const received = bytes.toString();
  const parsed = parse(received);
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes,
    text: received,
    body: parsed,
    code: (parsed['error'] as { code?: string } | undefined)?.code,
    elapsedMs: performance.now() - began,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
