// The payment methods that the environment of a secret key offers.
import type { Environment } from '#actors/core/ids.js';
import { PAYMENT_METHOD_IDS, type PaymentMethodId } from '#actors/core/payment-methods.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import { PaymentMethodSchema, viewPaymentMethod } from '#actors/core/schemas/payment-method.js';
import type { KeyRequest } from '#gateway/routing/request.js';
import { reply, type Reply } from '#gateway/routing/response.js';
import { defineKeyRoute, type Route } from '#gateway/routing/route.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';

type MethodDeps = Pick<ApiDeps, 'railAvailability'>;

const TEST_LISTING = buildListing(PAYMENT_METHOD_IDS, 'TEST');

export const buildPaymentMethodRoutes = (deps: MethodDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payment-methods',
    operationId: 'listPaymentMethods',
    summary: 'List the payment methods',
    description: 'TEST offers all of them, LIVE those that a rail takes now.',
    answers: { 200: buildListSchema(PaymentMethodSchema) },
    handle: (request) => listPaymentMethods(deps, request),
  }),
];

/** TEST offers every method, LIVE those that a rail takes now. */
async function listPaymentMethods(
  { railAvailability }: MethodDeps,
  { credential }: KeyRequest,
): Promise<Reply> {
  if (credential.environment === 'TEST') return TEST_LISTING;
  const isOffered = await railAvailability.findMethodFilter(credential.merchantId);
  return buildListing(PAYMENT_METHOD_IDS.filter(isOffered), 'LIVE');
}

function buildListing(ids: readonly PaymentMethodId[], environment: Environment): Reply {
  return reply(200, JSON.stringify({ data: ids.map((id) => viewPaymentMethod(id, environment)) }));
}
