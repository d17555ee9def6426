// Webhook endpoints of a merchant. Their addresses are judged here by the module that judges every attempt, and a
// secret is in the answer that makes it, and nowhere else.
import { randomBytes } from 'node:crypto';
import type { WebhookType } from '#actors/core/schemas/event.js';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { encodeBase32 } from '#actors/core/ids.js';
import type { Cidr } from '#ops/net/address.js';
import { checkTarget, TargetRefusedError } from '#ops/net/target.js';
import { sealSecret } from '#ops/runtime/sealed.js';
import { sendTestEvent } from '#store/postgres/webhooks/deliveries/send-test-event.js';
import {
  changeEndpoint as storeChange,
  createEndpoint as storeEndpoint,
  deleteEndpoint as storeDeletion,
  MAX_ENDPOINTS,
} from '#store/postgres/webhooks/endpoints/change-endpoints.js';
import type { EventFilter } from '#store/postgres/webhooks/endpoints/endpoint.js';
import { findEndpoint, listEndpoints } from '#store/postgres/webhooks/endpoints/list-endpoints.js';
import { rotateEndpointSecret } from '#store/postgres/webhooks/endpoints/rotate-secret.js';
import { randomIdBytes } from '#gateway/api/random-id-bytes.js';
import { type Answer, type Refusal, refuse, reply } from '#gateway/http/answer.js';
import type { NoParams } from '#gateway/http/request.js';
import type { MerchantRequest } from '#gateway/routes/sessions/session-route.js';
import { type AccountParts, ask } from '../parts.js';
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

export interface WebhookParts extends AccountParts {
  /** Ranges that webhooks may reach beside public addresses. */
  readonly allowedTargets: readonly Cidr[];
}

export type EndpointParams = { readonly webhook_id: string };

const SECRET_BYTES = 32;
const MISSING = refuse('webhook_not_found');
const ACTIVE_EXISTS = refuse('state_conflict', {
  message: 'Another endpoint of this environment is active. Send allow_many to have both.',
});
const TOO_MANY = refuse('state_conflict', { message: `There are ${MAX_ENDPOINTS} endpoints.` });
const OVERLAPS = refuse('state_conflict', {
  message: 'A rotation overlaps still. Wait for its end, or revoke with overlap_seconds 0.',
});
const INACTIVE = refuse('state_conflict', { message: 'The endpoint is switched off.' });

/** 200 with all of them, newest first. */
export async function showEndpoints(
  parts: WebhookParts,
  { session, query }: MerchantRequest<NoParams, undefined, EndpointsQuery>,
): Promise<Answer> {
  const filter = { merchantId: session.merchantId, environment: query.environment ?? null };
  const rows = await ask(parts, (sql) => listEndpoints(sql, filter));
  return reply(200, JSON.stringify({ data: rows.map(viewEndpoint) }));
}

/** 200; 404 for one of another merchant. */
export async function showEndpoint(
  parts: WebhookParts,
  request: MerchantRequest<EndpointParams>,
): Promise<Answer> {
  const found = await ask(parts, (sql) => findEndpoint(sql, keyOf(request)));
  return found === undefined ? MISSING : reply(200, JSON.stringify(viewEndpoint(found)));
}

/** 201 with the secret. */
export async function makeEndpoint(
  parts: WebhookParts,
  { session, body }: MerchantRequest<NoParams, CreateEndpointRequest>,
): Promise<Answer> {
  const fault = await refuseTarget(parts, body.url);
  if (fault !== undefined) return fault;
  const id = `we_${encodeBase32(randomIdBytes())}`;
  const { secret, sealedSecret } = makeSecret(parts, id);
  const made = await ask(parts, (sql) =>
    storeEndpoint(sql, {
      id,
      merchantId: session.merchantId,
      environment: body.environment,
      url: body.url,
      events: filterOf(body.events) ?? ['*'],
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
  parts: WebhookParts,
  request: MerchantRequest<EndpointParams, ChangeEndpointRequest>,
): Promise<Answer> {
  const { url = null, events, active = null, allow_many: allowsMany = false } = request.body;
  const fault = url === null ? undefined : await refuseTarget(parts, url);
  if (fault !== undefined) return fault;
  const change = { url, events: filterOf(events) ?? null, active, allowsMany };
  const changed = await ask(parts, (sql) => storeChange(sql, keyOf(request), change));
  if (changed === 'missing') return MISSING;
  if (changed === 'active_exists') return ACTIVE_EXISTS;
  return reply(200, JSON.stringify(viewEndpoint(changed)));
}

/** 204; nothing is sent to it any more. */
export async function deleteEndpoint(
  parts: WebhookParts,
  request: MerchantRequest<EndpointParams>,
): Promise<Answer> {
  const isDeleted = await ask(parts, (sql) => storeDeletion(sql, keyOf(request)));
  return isDeleted ? reply(204, '') : MISSING;
}

/** 200 with the new secret; both sign until the overlap ends. */
export async function rotateSecret(
  parts: WebhookParts,
  request: MerchantRequest<EndpointParams, RotateRequest>,
): Promise<Answer> {
  const key = keyOf(request);
  const overlapMs = (request.body.overlap_seconds ?? DEFAULT_OVERLAP_S) * 1_000;
  const { secret, sealedSecret } = makeSecret(parts, key.id);
  const wish = { sealedSecret, overlapMs };
  const rotated = await ask(parts, (sql) => rotateEndpointSecret(sql, key, wish));
  if (rotated === 'missing') return MISSING;
  if (rotated === 'rotation_overlaps') return OVERLAPS;
  return reply(200, JSON.stringify({ ...viewEndpoint(rotated), secret }));
}

/** 201 with the delivery of a made-up event; it is sent within seconds. */
export async function sendTest(
  parts: WebhookParts,
  request: MerchantRequest<EndpointParams, TestRequest>,
): Promise<Answer> {
  const type: WebhookType = request.body.type ?? 'payment.paid';
  const event = makeTestEvent(type, randomIdBytes(), parts.nowMs());
  const sent = await ask(parts, (sql) => sendTestEvent(sql, keyOf(request), event));
  if (sent === 'missing') return MISSING;
  if (sent === 'inactive') return INACTIVE;
  return showDelivery(parts, { id: sent.id, merchantId: request.session.merchantId }, 201);
}

function keyOf({ session, params }: Pick<MerchantRequest<EndpointParams>, 'session' | 'params'>) {
  return { id: params.webhook_id, merchantId: session.merchantId };
}

function makeSecret({ secretsKeys }: WebhookParts, id: string) {
  const secret = makeWebhookSecret(randomBytes(SECRET_BYTES));
  return { secret, sealedSecret: sealSecret(secretsKeys, id, secret) };
}

const filterOf = (events: readonly string[] | undefined): EventFilter | undefined =>
  events as EventFilter | undefined;

/** undefined: events may be sent there. */
async function refuseTarget(
  { allowedTargets }: WebhookParts,
  url: string,
): Promise<Refusal | undefined> {
  try {
    await checkTarget(url, allowedTargets);
    return undefined;
  } catch (error) {
    if (!(error instanceof TargetRefusedError)) throw error;
    const message = `url is refused: ${error.message}.`;
    return refuse('target_refused', { message, param: 'url' });
  }
}
