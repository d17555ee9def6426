// The sandbox: no credential, TEST payments only. A LIVE id returns 404.
import { parsePaymentId, type PaymentId } from '#actors/core/ids.js';
import { hasReached } from '#actors/core/payment/state.js';
import { viewSandbox } from '#actors/core/payment/view.js';
import {
  SandboxPayment,
  type SimulateBody,
  SimulateRequest,
} from '#actors/core/schemas/payment.js';
import type { OpenRequest } from '../routing/request.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import { buildBodySpec, defineOpenRoute, type Route } from '../routing/route.js';
import type { ApiDeps } from './api-deps.js';
import { sendCommand } from './handlers.js';
import { readState } from './read-state.js';

type PaymentParams = { payment_id: PaymentId };

const params = { payment_id: { parse: parsePaymentId, code: 'payment_not_found' } } as const;

export const buildSandboxRoutes = (deps: ApiDeps): readonly Route[] => [
  defineOpenRoute({
    method: 'GET',
    path: '/v1/sandbox/payments/{payment_id}',
    summary: 'Show a TEST payment',
    params,
    limit: 'sandbox',
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found'],
    handle: (request) => getSandboxPayment(deps, request),
  }),
  defineOpenRoute({
    method: 'POST',
    path: '/v1/sandbox/payments/{payment_id}/simulate',
    summary: 'Simulate that a TEST payment is paid or fails',
    params,
    limit: 'sandbox',
    body: buildBodySpec(SimulateRequest),
    answers: { 200: SandboxPayment },
    errors: ['payment_not_found', 'state_conflict', 'outcome_unknown'],
    handle: (request) => simulatePayment(deps, request),
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

/** 200 when the payment reached this outcome, now or before; 409 when it reached the other one. */
function simulatePayment(
  deps: ApiDeps,
  request: OpenRequest<PaymentParams, SimulateBody>,
): Promise<Answer> {
  const { outcome } = request.body;
  const paymentId = request.params.payment_id;
  return sendCommand(deps, { type: 'simulate', paymentId, outcome }, (state) =>
    state.environment === 'TEST' && hasReached(state, outcome)
      ? JSON.stringify(viewSandbox(state))
      : undefined,
  );
}
