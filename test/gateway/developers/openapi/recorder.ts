// Records requests and real answers by operation id, and replaces what differs from run to run (ids, times, secrets) by
// fixed values of the same form, so that the record can be compared with the stored examples.
import type { Route } from '#gateway/routing/route.js';
import type { Api, ApiAnswer } from '#test/support/api.js';
import { ROUTES, type Tree } from './documents.js';

export interface RecordedCall {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly key?: string;
}

interface Recorded {
  params?: unknown;
  body?: unknown;
  readonly answers: Record<string, unknown>;
}

export interface Recorder {
  /** Calls an operation and records it; the latest answer of each status is kept. @throws on an error answer */
  readonly call: (api: Api, operationId: string, call?: RecordedCall) => Promise<Tree>;
  readonly recordWebhook: (event: Tree) => void;
  /** Everything recorded, with fixed values. */
  readonly finish: () => Tree;
}

export function createRecorder(): Recorder {
  const operations: Record<string, Recorded> = {};
  const webhooks: Record<string, unknown> = {};
  return {
    call: async (api, operationId, call = {}) => {
      const route = ROUTES.find((each) => each.operationId === operationId);
      if (route === undefined) throw new Error(`no route has the operation id ${operationId}`);
      const answer = await send(api, route, call);
      const { status, text } = answer;
      if (status >= 300) throw new Error(`${operationId}: ${status} ${text}`);
      const recorded = (operations[operationId] ??= { answers: {} });
      if (call.params !== undefined) recorded.params = call.params;
      if (call.body !== undefined) recorded.body = call.body;
      if (text.startsWith('{')) recorded.answers[status] = answer.body;
      return answer.body;
    },
    recordWebhook: (event) => {
      webhooks[String(event['type'])] = event;
    },
    finish: () => fixValues({ operations, webhooks }),
  };
}

function send(api: Api, { method, path }: Route, call: RecordedCall): Promise<ApiAnswer> {
  const { params = {}, query = '', body, key } = call;
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  return api.call(target + query, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

const ID_BODY = 'jz8q4m1n7v2c9k3x6w0t4h8';
const ID =
  /\b(pay|ref|po|evt|usr|ses|we|rpl|key|mer|doc|kyc|plink|task|appr|inv|era|logo|req|pkey)_([0-9a-z]{26})/g;
const HEX_ID = /\b(del|evt)_([0-9a-f]{32})\b/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/** Other texts that differ: credentials, codes, addresses, and names that are random. */
const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\bcs_[\w-]{20,}/g, `cs_${'x'.repeat(43)}`],
  [/\bsk_(test|live)_[0-9A-Za-z]{38}\b/g, `sk_$1_${'x'.repeat(38)}`],
  [/\bsk_(test|live)_\w{4}…\w{4}/g, 'sk_$1_4fR9…x7Qa'],
  [/\bwhsec_[\w+/=]{40,}/g, `whsec_${'x'.repeat(43)}=`],
  [/^[\w-]{43}$/, 'x'.repeat(43)],
  // a user's id in base64url
  [/^dXNyX[\w-]{35}$/, `dXNyX${'x'.repeat(35)}`],
  [/\b[A-Z2-7]{32}\b/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/, '0a1b-2c3d-4e5f-6g7h'],
  [/\/pay\/[0-9a-z]{16}$/, '/pay/5jz8q4m1n7v2c9k3'],
  [/https:\/\/(?:localhost|127\.0\.0\.1):[0-9]+[\w/.-]*/g, 'https://toko.example/webhooks'],
  [/\badmin2?-[^@]+@example\.com/g, 'admin@kasir.example'],
  [/^(?:::ffff:)?127\.0\.0\.1$/, '203.0.113.7'],
];
/** By the name of the field. */
const FIXED_FIELDS: Readonly<Record<string, unknown>> = {
  prefix: 'sk_test_4fR9',
  last_four: 'x7Qa',
  duration_ms: 12,
  // of an authenticator
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4…',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10…',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLH…',
  signature: 'MEUCIQ…',
  // of an attempt
  'X-Service-Signature': 'a4cf3b4a5dbcf5bf8a2b8c64e8b0c1d2e3f405162738495a6b7c8d9eafb0c1d2',
  'X-Service-Signature-Next': '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
  'X-Service-Timestamp': '1785665730',
  'webhook-timestamp': '1785665730',
  'webhook-signature':
    'v1,ZFsVk+4qDitg1qTw6Aj65sEN3HUrNycVLJJoEYbLMAI= v1,g61T2zjD9aCYRoliMykidb3yQ39X0omfDdJR4keUqGw=',
};
/** The place in a list depends on ids and times. */
const CURSOR = 'bXd4NjlnNjQuMF8xXzBfMV9wb182M3hhbnA4a2NxbnZqOTJrNTAxczJ6dHIydC5MUEdkRlhEYQ';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const AN_HOUR_LATER = '2026-08-02T11:15:30.123Z';
const PAID = '2026-08-02T10:16:02.481Z';
const CANCELLED = '2026-08-02T10:17:11.502Z';
const EXPIRED = '2026-08-02T10:30:30.123Z';
const REFUNDED = '2026-08-02T10:45:07.250Z';
const PAYOUT_ENDED = '2026-08-02T11:00:00.842Z';
const RETURNED = '2026-08-04T03:00:00.000Z';
/** By the prefix of the id of the object and the name of the field, else by the name. */
const TIMES: Readonly<Record<string, string>> = {
  paid_at: PAID,
  failed_at: EXPIRED,
  cancelled_at: CANCELLED,
  expires_at: EXPIRED,
  refunded_at: REFUNDED,
  'ses.expires_at': AN_HOUR_LATER,
  'key.revoked_at': AN_HOUR_LATER,
  overlap_ends_at: AN_HOUR_LATER,
  'ref.created_at': REFUNDED,
  'ref.completed_at': REFUNDED,
  'po.created_at': '2026-08-02T11:00:00.000Z',
  'po.completed_at': PAYOUT_ENDED,
  'po.failed_at': PAYOUT_ENDED,
  'po.reversed_at': RETURNED,
  'payment.paid': PAID,
  'payment.failed': EXPIRED,
  'payment.cancelled': CANCELLED,
  'payment.refunded': REFUNDED,
  'refund.failed': '2026-08-03T09:12:40.006Z',
  'payout.completed': PAYOUT_ENDED,
  'payout.failed': PAYOUT_ENDED,
  'payout.reversed': RETURNED,
};
const CREATED = '2026-08-02T10:15:30.123Z';

function fixValues(tree: object): Tree {
  const [bodies, uuids] = [new Map<string, string>(), new Map<string, string>()];
  const fixText = (text: string): string =>
    text
      .replace(ID, (_, prefix: string, body: string) => `${prefix}_${number(bodies, body, rotate)}`)
      .replace(
        HEX_ID,
        (_, prefix: string, body: string) => `${prefix}_${number(bodies, body, makeHex)}`,
      )
      .replace(UUID, (uuid) => number(uuids, uuid, makeUuid));
  const fixString = (text: string): string =>
    FIXED.reduce((fixed, [pattern, by]) => fixed.replace(pattern, by), fixText(text));
  const fix = (value: unknown, name: string, owner: Tree): unknown => {
    if (name in FIXED_FIELDS) return FIXED_FIELDS[name];
    if (Array.isArray(value)) return value.map((each) => fix(each, name, owner));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([key, child]) => [
        key,
        fix(child, key, value as Tree),
      ]);
      return Object.fromEntries(entries);
    }
    if (typeof value !== 'string') return value;
    // A whole page, with the date of the day in words.
    if (name === 'html') return '<!doctype html> …';
    if (/^(id|next_cursor)$/.test(name) && /^[0-9]+$/.test(value)) return '121';
    if (/^(totp_)?code$/.test(name) && /^[0-9]{6}$/.test(value)) return '123456';
    if (name === 'next_cursor') return CURSOR;
    if (TIME.test(value)) return findTime(name, owner);
    const isJson = name === 'body' && value.startsWith('{');
    return isJson ? JSON.stringify(fix(JSON.parse(value), '', {})) : fixString(value);
  };
  return fix(tree, '', {}) as Tree;
}

function findTime(name: string, owner: Tree): string {
  const type = owner['data'] === undefined ? '' : String(owner['type']);
  if (owner['token'] !== undefined) return AN_HOUR_LATER;
  const [prefix = ''] = String(owner['id']).split('_');
  return TIMES[type] ?? TIMES[`${prefix}.${name}`] ?? TIMES[name] ?? CREATED;
}

/** The fixed value of the first, second … text. */
function number(known: Map<string, string>, text: string, make: (index: number) => string): string {
  const made = known.get(text) ?? make(known.size);
  known.set(text, made);
  return made;
}

const rotate = (index: number): string => {
  const at = (index * 7) % ID_BODY.length;
  const mark = index.toString().padStart(2, '0');
  return `5${ID_BODY.slice(at)}${ID_BODY.slice(0, at)}${mark}`;
};
const makeHex = (index: number): string =>
  `0f1e2d3c4b5a69788796a5b4c3d2e1${index.toString(16).padStart(2, '0')}`;
const makeUuid = (index: number): string =>
  `1b4e28ba-2fa1-41d2-883f-0016d3cca4${index.toString(16).padStart(2, '0')}`;
