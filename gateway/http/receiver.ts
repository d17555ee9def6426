// From a native request to its exchange, or to a connection for pushing.
import { formatAddress } from '../routing/client-address.js';
import type { PushRoute } from '../routing/push.js';
import type { Limit } from '../limits/limits.js';
import type { ApiError } from '../routing/response.js';
import { Exchange } from './exchange.js';
import { type OpenedRequest, openRequest } from './handle-request.js';
import { createHeadReader } from './headers.js';
import { type Head } from '../routing/request-head.js';
import type { ServerContext } from './server-context.js';
import type { NativeHead, NativeResponse } from './native.js';
import { createRequestIds } from '../routing/request.js';

/** Why a request does not become a connection for pushing; undefined: it does. */
export type PushCheck = (native: NativeResponse, head: Head) => ApiError | undefined;

export interface Receiver {
  readonly receive: (native: NativeResponse, request: NativeHead) => void;
  /** Refuses the request, or goes on with it. */
  readonly receivePush: (
    native: NativeResponse,
    request: NativeHead,
    judge: PushCheck,
    goOn: () => void,
  ) => void;
}

/** Takes native requests; nothing is thrown. */
export function createReceiver(host: ServerContext, versionHeader: string): Receiver {
  const readHead = createHeadReader(versionHeader);
  const nextRequestId = createRequestIds();
  const attempt = (native: NativeResponse, step: () => void): void => {
    try {
      step();
    } catch (error) {
      host.log.error({ err: error }, 'a request could not be taken');
      native.close();
    }
  };
  const start = (native: NativeResponse, head: Head, opened: OpenedRequest | ApiError): void => {
    new Exchange(host, native, head, nextRequestId()).start(opened);
  };
  return {
    receive: (native, request) => {
      attempt(native, () => {
        const head = readHead(request);
        start(native, head, openRequest(host.handling, head));
      });
    },
    receivePush: (native, request, judge, goOn) => {
      attempt(native, () => {
        const head = readHead(request);
        const refusal = judge(native, head);
        if (refusal === undefined) goOn();
        else start(native, head, refusal);
      });
    },
  };
}

/** An open connection counts once. */
export function createPushCheck(
  push: PushRoute,
  host: ServerContext,
  limit: Limit | undefined,
): PushCheck {
  return (native, head) => {
    if (limit === undefined || push.limit === undefined) return undefined;
    const address = (): string =>
      host.readAddress(formatAddress(native.getRemoteAddress()), head.forwardedFor);
    const counted = limit(push.limit, { credential: undefined, path: head.path, address });
    return counted.code === null ? undefined : counted;
  };
}
