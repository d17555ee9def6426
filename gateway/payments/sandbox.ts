// The sandbox: no credential, TEST payments only. A LIVE id is answered as one that does not exist.
import type { PaymentId } from '#actors/core/ids.js';
import { hasReached } from '#actors/core/payment/state.js';
import { viewSandbox } from '#actors/core/payment/view.js';
import type { SimulateBody } from '#actors/core/schemas/payment.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { OpenRequest } from '../routing/request.js';
import type { ApiDeps } from './api-deps.js';
import { sendCommand } from './handlers.js';
import { readState } from './read-state.js';

type PaymentParams = { payment_id: PaymentId };

/** 200 with the public view. */
export async function getSandboxPayment(
  parts: ApiDeps,
  request: OpenRequest<PaymentParams>,
): Promise<Answer> {
  const state = await readState(parts, request.params.payment_id);
  if (state === 'unavailable') return buildApiError('dependency_unavailable');
  return state?.environment === 'TEST'
    ? reply(200, JSON.stringify(viewSandbox(state)))
    : buildApiError('payment_not_found');
}

/** 200 with the public view, also when the outcome was reached before; 409 when the other one was. */
export async function simulatePayment(
  parts: ApiDeps,
  request: OpenRequest<PaymentParams, SimulateBody>,
): Promise<Answer> {
  const { outcome } = request.body;
  const paymentId = request.params.payment_id;
  return sendCommand(parts, { type: 'simulate', paymentId, outcome }, (state) =>
    state.environment === 'TEST' && hasReached(state, outcome)
      ? JSON.stringify(viewSandbox(state))
      : undefined,
  );
}
