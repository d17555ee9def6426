// The sandbox: no credential, TEST payments only. A LIVE id returns 404.
import { parsePaymentId, type PaymentId } from '#actors/core/ids.js';
import { hasReached } from '#actors/core/payment/state.js';
import { viewSandbox } from '#actors/core/payment/view.js';
import {
  SandboxPayment,
  type SimulateBody,
  SimulateRequest,
} from '#actors/core/schemas/payment.js';
import type { OpenRequest } from '#gateway/routing/request.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import { buildBodySpec, defineOpenRoute, type Route } from '#gateway/routing/route.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { sendCommand } from './handlers.js';
import { readState } from '#gateway/commands/read-state.js';

type PaymentParams = { payment_id: PaymentId };

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildSandboxRoutes = (deps: ApiDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/v1/sandbox/payments/{payment_id}',
    cpuUs: 400,
    operationId: 'getSandboxPayment',
    summary: 'Show a TEST payment',
    description: 'Without a key, and without customer data.',
    params,
    limit: 'sandbox',
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found'],
    handle: (request) => getSandboxPayment(deps, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/sandbox/payments/{payment_id}/simulate',
    cpuUs: 1200,
    operationId: 'simulatePayment',
    summary: 'Simulate the outcome of a TEST payment',
    description:
      'Needs no key. A repeat with the outcome that was reached is answered 200, the other outcome 409.',
    params,
    limit: 'sandbox',
    body: buildBodySpec(SimulateRequest),
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: ({ params: { payment_id: id }, body }) => simulatePayment(deps, id, body.outcome),
  }),
];

async function getSandboxPayment(
  deps: ApiDeps,
  request: OpenRequest<PaymentParams>,
): Promise<Answer> {
  const state = await readState(deps, request.params.payment_id);
  return state?.environment === 'TEST'
    ? reply(200, JSON.stringify(viewSandbox(state)))
    : buildApiError('payment_not_found');
}

/** 200 when the payment reached this outcome, now or before; 409 when it reached the other one. LIVE payments are 404. */
export function simulatePayment(
  deps: Pick<ApiDeps, 'dispatcher'>,
  paymentId: PaymentId,
  outcome: SimulateBody['outcome'],
): Promise<Answer> {
  return sendCommand(deps, { type: 'simulate', paymentId, outcome }, (state) =>
    state.environment === 'TEST' && hasReached(state, outcome)
      ? JSON.stringify(viewSandbox(state))
      : undefined,
  );
}
