// Webhook endpoints of a merchant. Their addresses are judged here by the module that judges every attempt, and a
// secret is in the answer that makes it, and nowhere else.
import { randomBytes } from 'node:crypto';
import type { WebhookType } from '#actors/core/schemas/event.js';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { encodeBase32 } from '#actors/core/ids.js';
import type { Cidr } from '#ops/net/address.js';
import { checkTarget, TargetRefusedError } from '#ops/net/target.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { sendTestEvent } from '#store/postgres/webhooks/send-test-event.js';
import {
  changeEndpoint as storeChange,
  createEndpoint as storeEndpoint,
  deleteEndpoint as storeDeletion,
  MAX_ENDPOINTS,
} from '#store/postgres/webhooks/change-endpoints.js';
import {
  type EventFilter,
  findEndpoint,
  listEndpoints,
} from '#store/postgres/webhooks/list-endpoints.js';
import { rotateEndpointSecret } from '#store/postgres/webhooks/endpoint-secrets.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import { showDelivery } from './deliveries.js';
import {
  type ChangeEndpointRequest,
  type CreateEndpointRequest,
  DEFAULT_OVERLAP_S,
  type EndpointsQuery,
  type RotateRequest,
  type TestRequest,
} from './schema.js';
import { viewEndpoint } from './view.js';

export interface WebhookDeps extends AccountDeps {
  /** Ranges that webhooks may reach beside public addresses. */
  readonly allowedTargets: readonly Cidr[];
}

export type EndpointParams = { readonly webhook_id: string };

const SECRET_BYTES = 32;
const MISSING = buildApiError('webhook_not_found');
const ACTIVE_EXISTS = buildApiError('state_conflict', {
  message: 'Another endpoint of this environment is active. Send allow_many to have both.',
});
const TOO_MANY = buildApiError('state_conflict', {
  message: `There are ${MAX_ENDPOINTS} endpoints.`,
});
const OVERLAPS = buildApiError('state_conflict', {
  message: 'A rotation overlaps still. Wait for its end, or revoke with overlap_seconds 0.',
});
const INACTIVE = buildApiError('state_conflict', { message: 'The endpoint is switched off.' });

/** 200 with all of them, newest first. */
export async function showEndpoints(
  parts: WebhookDeps,
  { session, query }: MerchantRequest<NoParams, undefined, EndpointsQuery>,
): Promise<Answer> {
  const filter = { merchantId: session.merchantId, environment: query.environment ?? null };
  const rows = await queryAccounts(parts, (sql) => listEndpoints(sql, filter));
  return reply(200, JSON.stringify({ data: rows.map(viewEndpoint) }));
}

/** 200; 404 for one of another merchant. */
export async function showEndpoint(
  parts: WebhookDeps,
  request: MerchantRequest<EndpointParams>,
): Promise<Answer> {
  const found = await queryAccounts(parts, (sql) => findEndpoint(sql, buildKey(request)));
  return found === undefined ? MISSING : reply(200, JSON.stringify(viewEndpoint(found)));
}

/** 201 with the secret. */
export async function makeEndpoint(
  parts: WebhookDeps,
  { session, body }: MerchantRequest<NoParams, CreateEndpointRequest>,
): Promise<Answer> {
  const fault = await checkTargetUrl(parts, body.url);
  if (fault !== undefined) return fault;
  const id = `we_${encodeBase32(generateIdBytes())}`;
  const { secret, sealedSecret } = makeSecret(parts, id);
  const made = await queryAccounts(parts, (sql) =>
    storeEndpoint(sql, {
      id,
      merchantId: session.merchantId,
      environment: body.environment,
      url: body.url,
      events: buildFilter(body.events) ?? ['*'],
      sealedSecret,
      allowsMany: body.allow_many ?? false,
    }),
  );
  if (made === 'active_exists') return ACTIVE_EXISTS;
  if (made === 'too_many') return TOO_MANY;
  return reply(201, JSON.stringify({ ...viewEndpoint(made), secret }));
}

/** 200 with the endpoint as it is then. */
export async function changeEndpoint(
  parts: WebhookDeps,
  request: MerchantRequest<EndpointParams, ChangeEndpointRequest>,
): Promise<Answer> {
  const { url = null, events, active = null, allow_many: allowsMany = false } = request.body;
  const fault = url === null ? undefined : await checkTargetUrl(parts, url);
  if (fault !== undefined) return fault;
  const change = { url, events: buildFilter(events) ?? null, active, allowsMany };
  const changed = await queryAccounts(parts, (sql) => storeChange(sql, buildKey(request), change));
  if (changed === 'missing') return MISSING;
  if (changed === 'active_exists') return ACTIVE_EXISTS;
  return reply(200, JSON.stringify(viewEndpoint(changed)));
}

/** 204; nothing is sent to it any more. */
export async function deleteEndpoint(
  parts: WebhookDeps,
  request: MerchantRequest<EndpointParams>,
): Promise<Answer> {
  const isDeleted = await queryAccounts(parts, (sql) => storeDeletion(sql, buildKey(request)));
  return isDeleted ? reply(204, '') : MISSING;
}

/** 200 with the new secret; both sign until the overlap ends. */
export async function rotateSecret(
  parts: WebhookDeps,
  request: MerchantRequest<EndpointParams, RotateRequest>,
): Promise<Answer> {
  const key = buildKey(request);
  const overlapMs = (request.body.overlap_seconds ?? DEFAULT_OVERLAP_S) * 1_000;
  const { secret, sealedSecret } = makeSecret(parts, key.id);
  const wish = { sealedSecret, overlapMs };
  const rotated = await queryAccounts(parts, (sql) => rotateEndpointSecret(sql, key, wish));
  if (rotated === 'missing') return MISSING;
  if (rotated === 'rotation_overlaps') return OVERLAPS;
  return reply(200, JSON.stringify({ ...viewEndpoint(rotated), secret }));
}

/** 201 with the delivery of a made-up event; it is sent within seconds. */
export async function sendTest(
  parts: WebhookDeps,
  request: MerchantRequest<EndpointParams, TestRequest>,
): Promise<Answer> {
  const type: WebhookType = request.body.type ?? 'payment.paid';
  const event = makeTestEvent(type, generateIdBytes(), parts.nowMs());
  const sent = await queryAccounts(parts, (sql) => sendTestEvent(sql, buildKey(request), event));
  if (sent === 'missing') return MISSING;
  if (sent === 'inactive') return INACTIVE;
  return showDelivery(parts, { id: sent.id, merchantId: request.session.merchantId }, 201);
}

function buildKey({
  session,
  params,
}: Pick<MerchantRequest<EndpointParams>, 'session' | 'params'>) {
  return { id: params.webhook_id, merchantId: session.merchantId };
}

function makeSecret({ secretsKeys }: WebhookDeps, id: string) {
  const secret = makeWebhookSecret(randomBytes(SECRET_BYTES));
  return { secret, sealedSecret: sealSecret(secretsKeys, id, secret) };
}

const buildFilter = (events: readonly string[] | undefined): EventFilter | undefined =>
  events as EventFilter | undefined;

/** undefined: events may be sent there. */
async function checkTargetUrl(
  { allowedTargets }: WebhookDeps,
  url: string,
): Promise<ApiError | undefined> {
  try {
    await checkTarget(url, allowedTargets);
    return undefined;
  } catch (error) {
    if (!(error instanceof TargetRefusedError)) throw error;
    const message = `url is refused: ${error.message}.`;
    return buildApiError('target_refused', { message, param: 'url' });
  }
}
