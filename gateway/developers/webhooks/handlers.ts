// Webhook endpoints of a merchant. URLs are checked by the module that also checks every attempt (ops/net/target.ts), and
// only for endpoints that may be stored. A secret is only in the answer that creates it.
import { randomBytes } from 'node:crypto';
import type { WebhookType } from '#actors/core/schemas/event.js';
import { makeTestEvent } from '#actors/core/webhooks/envelope.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { encodeBase32 } from '#actors/core/ids.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { sendTestEvent } from '#store/postgres/webhooks/send-test-event.js';
import {
  changeEndpoint as storeChange,
  createEndpoint as storeEndpoint,
  type CreateRejection,
  deleteEndpoint as storeDeletion,
  findCreateRejection,
  MAX_ENDPOINTS,
} from '#store/postgres/webhooks/change-endpoints.js';
import {
  type EventFilter,
  findEndpoint,
  listEndpoints,
  readHealth,
  type WebhookEndpoint,
} from '#store/postgres/webhooks/list-endpoints.js';
import { rotateEndpointSecret } from '#store/postgres/webhooks/endpoint-secrets.js';
import { buildActor } from '#gateway/auth/actor.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildStepUp } from '#gateway/auth/step-up.js';
import type { CheckTargetUrl } from './check-target-url.js';
import { showDelivery } from './deliveries.js';
import {
  type ChangeEndpointRequest,
  type CreateEndpointRequest,
  DEFAULT_OVERLAP_S,
  type DeleteEndpointRequest,
  type EndpointsQuery,
  type RotateRequest,
  type TestRequest,
} from './schema.js';
import { admitEndpointChange, type EndpointChangeNotice } from './live-changes.js';
import { viewEndpoint, viewEndpointState } from './view.js';

export interface WebhookDeps extends AccountDeps {
  readonly checkTargetUrl: CheckTargetUrl;
}

export type EndpointParams = { readonly webhook_id: string };

const SECRET_BYTES = 32;
const MISSING = buildApiError('webhook_not_found');
const ACTIVE_EXISTS = buildApiError('state_conflict', {
  message:
    'Another endpoint of this environment is active. Send replace_others to switch it off, or allow_many to have both active.',
});
const TOO_MANY = buildApiError('state_conflict', {
  message: `The merchant already has ${MAX_ENDPOINTS} endpoints, the most that are allowed. Delete one first.`,
});
const CREATE_REJECTIONS = {
  active_exists: ACTIVE_EXISTS,
  too_many: TOO_MANY,
} satisfies Record<CreateRejection, Answer>;
const OVERLAPS = buildApiError('state_conflict', {
  message:
    'The previous rotation still overlaps. Wait until it ends, or end it now with overlap_seconds 0.',
});
const INACTIVE = buildApiError('state_conflict', {
  message: 'The endpoint is inactive. Activate it first.',
});

/** Returns 200 with all endpoints, newest first. */
export async function showEndpoints(
  deps: WebhookDeps,
  { session, query }: MerchantRequest<NoParams, undefined, EndpointsQuery>,
): Promise<Answer> {
  const filter = { merchantId: session.merchantId, environment: query.environment ?? null };
  const rows = await listEndpoints(deps.accounts, filter);
  return reply(200, JSON.stringify({ data: await describeEndpoints(deps, rows) }));
}

/** Returns 200. Another merchant's id returns 404. */
export async function showEndpoint(
  deps: WebhookDeps,
  request: MerchantRequest<EndpointParams>,
): Promise<Answer> {
  const found = await findEndpoint(deps.accounts, buildKey(request));
  return found === undefined ? MISSING : showState(deps, found);
}

/** Returns 201 with the secret. */
export async function makeEndpoint(
  deps: WebhookDeps,
  request: MerchantRequest<NoParams, CreateEndpointRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  if (body.environment === 'LIVE' && !session.isVerified) return UNVERIFIED;
  const { merchantId } = session;
  const { environment, url, allow_many: allowsMany = false } = body;
  const replacesOthers = body.replace_others ?? false;
  const wanted = { merchantId, environment, allowsMany: allowsMany || replacesOthers };
  const rejection = await findCreateRejection(deps.accounts, wanted);
  if (rejection !== null) return CREATE_REJECTIONS[rejection];
  const target = await deps.checkTargetUrl(merchantId, url);
  if (typeof target === 'object') return target;
  const id = `we_${encodeBase32(generateIdBytes())}`;
  const replaced = replacesOthers ? await listReplaced(deps, { id, merchantId, environment }) : [];
  const urls = [...replaced, target];
  const notice = { environment, change: 'endpoint_added', id, urls } as const;
  const mails = await admitEndpointChange(deps, maker, notice);
  if ('code' in mails) return mails;
  const { secret, sealedSecret } = makeSecret(deps, id);
  const events = buildFilter(body.events) ?? ['*'];
  const input = { ...wanted, replacesOthers, id, url: target, events, sealedSecret, mails };
  const created = await storeEndpoint(deps.accounts, actor, input);
  if (typeof created === 'string') return CREATE_REJECTIONS[created];
  deps.nudgeMailer();
  return reply(201, JSON.stringify({ ...viewEndpoint(created), secret }));
}

/** Returns 200 with the changed endpoint. */
export async function changeEndpoint(
  deps: WebhookDeps,
  request: MerchantRequest<EndpointParams, ChangeEndpointRequest>,
): Promise<Answer> {
  const { url = null, events, active = null, allow_many = false } = request.body;
  const { replace_others: replacesOthers = false, hold_waiting: holdsWaiting = false } =
    request.body;
  const allowsMany = allow_many || replacesOthers;
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const { merchantId } = request.session;
  const endpoint = await findEndpoint(deps.accounts, buildKey(request));
  if (endpoint === undefined) return MISSING;
  const target = url === null ? null : await deps.checkTargetUrl(merchantId, url);
  if (target !== null && typeof target === 'object') return target;
  const { environment } = endpoint;
  if (active === true && !endpoint.active) {
    const wanted = { merchantId, environment, allowsMany };
    const rejection = await findCreateRejection(deps.accounts, wanted);
    if (rejection === 'active_exists') return ACTIVE_EXISTS;
  }
  const isReplacing = replacesOthers && active === true;
  const replaced = isReplacing ? await listReplaced(deps, endpoint) : [];
  const notice = describeChange(endpoint, request.body);
  const mails = await admitEndpointChange(deps, maker, {
    ...notice,
    urls: [...replaced, ...notice.urls],
  });
  if ('code' in mails) return mails;
  const options = { holdsWaiting, allowsMany, replacesOthers, mails };
  const change = { url: target, events: buildFilter(events) ?? null, active, ...options };
  const changed = await storeChange(deps.accounts, actor, buildKey(request), change);
  if (changed === 'missing') return MISSING;
  if (changed === 'active_exists') return ACTIVE_EXISTS;
  deps.nudgeMailer();
  return showState(deps, changed);
}

/** The addresses of the active endpoints that `by` replaces. */
async function listReplaced(
  deps: WebhookDeps,
  by: Pick<WebhookEndpoint, 'id' | 'merchantId' | 'environment'>,
): Promise<readonly string[]> {
  const others = await listEndpoints(deps.accounts, by);
  return others.filter(({ id, active }) => active && id !== by.id).map(({ url }) => url);
}

async function describeEndpoints(
  { accounts }: WebhookDeps,
  endpoints: readonly WebhookEndpoint[],
): Promise<readonly object[]> {
  const found = await readHealth(
    accounts,
    endpoints.map(({ id }) => id),
  );
  const health = new Map(found.map((one) => [one.endpointId, one]));
  return endpoints.map((endpoint) => {
    const own = health.get(endpoint.id);
    if (own === undefined) throw new Error(`endpoint ${endpoint.id} has no row of its health`);
    return viewEndpointState(endpoint, own);
  });
}

async function showState(deps: WebhookDeps, endpoint: WebhookEndpoint): Promise<Answer> {
  const [shown] = await describeEndpoints(deps, [endpoint]);
  return reply(200, JSON.stringify(shown));
}

function describeChange(
  { id, environment, url: before, active: isActive }: WebhookEndpoint,
  { url = before, active = isActive }: ChangeEndpointRequest,
): EndpointChangeNotice {
  const switched = active ? 'endpoint_switched_on' : 'endpoint_switched_off';
  const change = active === isActive ? 'endpoint_changed' : switched;
  return { environment, change, id, urls: [before, url] };
}

/** Returns 204; nothing more is sent to the endpoint. */
export async function deleteEndpoint(
  deps: WebhookDeps,
  request: MerchantRequest<EndpointParams, DeleteEndpointRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const key = buildKey(request);
  const endpoint = await findEndpoint(deps.accounts, key);
  if (endpoint === undefined) return MISSING;
  const { id, environment, url } = endpoint;
  const notice = { environment, change: 'endpoint_deleted', id, urls: [url] } as const;
  const mails = await admitEndpointChange(deps, maker, notice);
  if ('code' in mails) return mails;
  if (!(await storeDeletion(deps.accounts, actor, key, mails))) return MISSING;
  deps.nudgeMailer();
  return reply(204, '');
}

/** Returns 200 with the new secret; both secrets sign until the overlap ends. */
export async function rotateSecret(
  deps: WebhookDeps,
  request: MerchantRequest<EndpointParams, RotateRequest>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const overlapMs = (request.body.overlap_seconds ?? DEFAULT_OVERLAP_S) * 1_000;
  const endpoint = await findEndpoint(deps.accounts, key);
  if (endpoint === undefined) return MISSING;
  if (endpoint.switchAt !== null && overlapMs > 0) return OVERLAPS;
  const { id, environment, url } = endpoint;
  const notice = { environment, change: 'endpoint_secret_rotated', id, urls: [url] } as const;
  const mails = await admitEndpointChange(deps, maker, notice);
  if ('code' in mails) return mails;
  const { secret, sealedSecret } = makeSecret(deps, id);
  const rotation = { sealedSecret, overlapMs, mails };
  const rotated = await rotateEndpointSecret(deps.accounts, actor, key, rotation);
  if (rotated === 'missing') return MISSING;
  if (rotated === 'rotation_overlaps') return OVERLAPS;
  deps.nudgeMailer();
  return reply(200, JSON.stringify({ ...viewEndpoint(rotated), secret }));
}

/** Returns 201 with the delivery of a test event, which is sent within seconds. */
export async function sendTest(
  deps: WebhookDeps,
  request: MerchantRequest<EndpointParams, TestRequest>,
): Promise<Answer> {
  const type: WebhookType = request.body.type ?? 'payment.paid';
  const event = makeTestEvent(type, generateIdBytes(), deps.nowMs());
  const sent = await sendTestEvent(deps.accounts, buildKey(request), event);
  if (sent === 'missing') return MISSING;
  if (sent === 'inactive') return INACTIVE;
  return showDelivery(deps, { id: sent.id, merchantId: request.session.merchantId }, 201);
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
