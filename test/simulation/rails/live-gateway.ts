// A gateway of the simulated world that takes LIVE payments: the real dispatcher and handlers, with rails to offer.
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import type { ApiDeps } from '#gateway/payments/api-deps.js';
import {
  cancelPayment,
  getPayment,
  sendCommand,
  submitPayment,
} from '#gateway/payments/handlers.js';
import type { Answer } from '#gateway/routing/response.js';
import type { Result } from '#test/support/load/history.js';
import { answerAlways, buildRequest, openDeps, refund } from '../processes/gateway.js';
import type { Stage } from '../processes/payments.js';
import type { SimProcess } from '../world/sim-process.js';
import { LIVE_OWNER, type RailOperation } from './scenario.js';

const RAILS = ['midtrans', 'xendit'] as const satisfies readonly RailName[];

export interface LiveGateway {
  readonly process: SimProcess;
  /** Never resolves when the gateway dies. */
  readonly call: (operation: RailOperation) => Promise<Result>;
}

export function startLiveGateway(stage: Stage, process: SimProcess): LiveGateway {
  const deps = openDeps(stage, process, RAILS);
  const call = answerAlways(process, (operation: RailOperation) => handle(deps, operation));
  return { process, call };
}

function handle(deps: ApiDeps, operation: RailOperation): Promise<Answer> {
  switch (operation.kind) {
    case 'create': {
      const { key, amount, method, expiresInS } = operation;
      const request = parseCreateRequest({ amount, currency: 'IDR', payment_method: method });
      if (isValidationError(request)) throw new Error(request.code);
      // Shorter than the API allows, so that runs are short.
      const brief = { ...request, expiresInS };
      return submitPayment(deps, { owner: LIVE_OWNER, request: brief, idempotencyKey: key });
    }
    case 'choose_method': {
      const { paymentId, method } = operation;
      const command = {
        type: 'choose_method',
        paymentId,
        method,
        rails: rankRails(method),
      } as const;
      const wait = { waitMs: deps.liveReplyWaitMs, waitsAt: 'live' };
      return sendCommand(deps, command, () => undefined, wait);
    }
    case 'cancel':
      return cancelPayment(deps, buildRequest(LIVE_OWNER, operation.paymentId));
    case 'get':
      return getPayment(deps, buildRequest(LIVE_OWNER, operation.paymentId));
    case 'refund':
      return refund(deps, LIVE_OWNER, operation);
  }
}

const rankRails = (method: ChargeableMethod): RailName[] =>
  method === 'VA_BNI' ? [...RAILS].reverse() : [...RAILS];
