// A gateway of the simulated world that takes LIVE payments: the real dispatcher and handlers, with rails to offer.
import type { RailName } from '#actors/core/rails/rail-names.js';
import { isValidationError, parseCreateRequest } from '#actors/core/requests/create-payment.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import {
  cancelPayment,
  getPayment,
  sendCommand,
  submitPayment,
} from '#gateway/money/payments/handlers.js';
import type { Answer } from '#gateway/routing/response.js';
import type { Result } from '#test/support/load/history.js';
import { answerAlways, buildRequest, openDeps, refund } from '../processes/gateway.js';
import type { Stage } from '../processes/payments.js';
import type { SimProcess } from '../world/sim-process.js';
import { LIVE_TENANT, type RailChoice, type RailOperation, RAILS } from './scenario.js';

export interface LiveGateway {
  readonly process: SimProcess;
  /** Never resolves when the gateway dies. */
  readonly call: (operation: RailOperation) => Promise<Result>;
}

export function startLiveGateway(stage: Stage, process: SimProcess): LiveGateway {
  const deps = openDeps(stage, process);
  const call = answerAlways(process, (operation: RailOperation) => handle(deps, operation));
  return { process, call };
}

function handle(deps: ApiDeps, operation: RailOperation): Promise<Answer> {
  switch (operation.kind) {
    case 'create': {
      const { key, amount, method, firstRail, expiresInS } = operation;
      const request = parseCreateRequest({ amount, currency: 'IDR', payment_method: method });
      if (isValidationError(request)) throw new Error(request.code);
      // Shorter than the API allows, so that runs are short.
      const brief = { ...request, expiresInS };
      const submission = { tenant: LIVE_TENANT, request: brief, idempotencyKey: key };
      return submitPayment(offerRails(deps, firstRail), submission);
    }
    case 'choose_method': {
      const { paymentId, method, firstRail } = operation;
      const rails = rankRails(firstRail);
      const command = { type: 'choose_method', paymentId, method, rails } as const;
      const wait = { waitMs: deps.liveReplyWaitMs, waitsAt: 'live' };
      return sendCommand(deps, command, () => undefined, wait);
    }
    case 'cancel':
      return cancelPayment(deps, buildRequest(LIVE_TENANT, operation.paymentId));
    case 'get':
      return getPayment(deps, buildRequest(LIVE_TENANT, operation.paymentId));
    case 'refund':
      return refund(deps, LIVE_TENANT, operation);
  }
}

const offerRails = (deps: ApiDeps, first: RailChoice): ApiDeps => ({
  ...deps,
  railAvailability: {
    ...deps.railAvailability,
    admit: () => Promise.resolve({ refusal: null, rails: rankRails(first) }),
  },
});

const rankRails = (first: RailChoice): RailName[] => [
  first,
  ...RAILS.filter((rail) => rail !== first),
];
