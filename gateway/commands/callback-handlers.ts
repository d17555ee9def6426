// Answers callbacks of rails: 2xx only after the callback is stored, because a rail repeats a callback until it gets 2xx.
import type { RailName } from '#actors/core/rails/rail-names.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { OpenRequest, RawBody } from '../routing/request.js';
import type { CallbackRelay } from './callback-relay.js';

export interface CallbackRouteDeps {
  readonly callbacks: CallbackRelay;
  /** The rail of each opaque id in the path. */
  readonly railNames: ReadonlyMap<string, RailName>;
}

type CallbackRequest = OpenRequest<{ callback_id: string }, RawBody>;

const RECEIVED = reply(200, JSON.stringify({ received: true }));

/** 200: stored, now or before. 401: not from the rail. 404: unknown path or order. 503: not stored. */
export async function receiveCallback(
  { callbacks, railNames }: CallbackRouteDeps,
  request: CallbackRequest,
): Promise<Answer> {
  const rail = railNames.get(request.params.callback_id);
  if (rail === undefined) return buildApiError('path_not_found');
  const outcome = await callbacks.deliver({ rail, ...request.body });
  switch (outcome) {
    case 'taken':
    case 'repeated':
    case 'ignored':
      return RECEIVED;
    case 'forged':
      return buildApiError('credential_invalid');
    case 'unknown_order':
      return buildApiError('payment_not_found');
    default:
      return buildApiError('dependency_unavailable');
  }
}
