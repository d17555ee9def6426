// A collector of OTLP over HTTP: it decodes what processes send, and keeps the spans.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { TestScope } from '#test/support/servers.js';

type Values = Readonly<Record<string, string | number | boolean>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the span begins its trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Values;
  /** Of the process. */
  readonly resource: Values;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bodies as they came. */
  readonly bodies: readonly string[];
  /** The headers of the last request. */
  readonly headers: () => IncomingMessage['headers'];
  /** Waits for the first span that fits. */
  readonly find: (what: string, fits: (span: ReceivedSpan) => boolean) => Promise<ReceivedSpan>;
}

export async function startCollector(t: TestScope): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  let headers: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      headers = request.headers;
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...decode(JSON.parse(body) as Sent));
      response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers: () => headers,
    find: (what, fits) => waitUntil(`the span ${what} is exported`, () => spans.find(fits)),
  };
}

interface SentAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly SentAttribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly SentAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const ERROR = 2;
const NANO_PER_MS = 1_000_000n;

function decode({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        attributes: decodeAttributes(span.attributes),
        resource: decodeAttributes(resource.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        isError: span.status?.code === ERROR,
        beganMs: Number(BigInt(span.startTimeUnixNano) / NANO_PER_MS),
        endedMs: Number(BigInt(span.endTimeUnixNano) / NANO_PER_MS),
      })),
  );
}

function decodeAttributes(attributes: readonly SentAttribute[] = []): Values {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[type, given = ''] = []] = Object.entries(value);
      return [key, type === 'intValue' ? Number(given) : given];
    }),
  );
}
