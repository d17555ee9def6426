// From a native request to its exchange, or to a WebSocket.
import type { Limit } from '../limits/limits.js';
import { formatAddress } from '../routing/client-address.js';
import { createRequestIds, type Head } from '../routing/request.js';
import type { ApiError } from '../routing/response.js';
import type { PushRoute } from '../routing/route.js';
import { Exchange } from './exchange.js';
import { type OpenedRequest, openRequest } from './handle-request.js';
import { createHeadReader, readRawHeaders } from './headers.js';
import type { NativeHead, NativeResponse } from './native.js';
import type { ServerContext } from './server-context.js';

/** Returns why a request must not become a WebSocket; undefined: it may. */
export type PushCheck = (native: NativeResponse, head: Head) => ApiError | undefined;

export interface Receiver {
  readonly receive: (native: NativeResponse, request: NativeHead) => void;
  /** Answers the error of `check`, or calls `upgrade`. */
  readonly receivePush: (
    native: NativeResponse,
    request: NativeHead,
    check: PushCheck,
    upgrade: () => void,
  ) => void;
}

/** Its functions do not throw: an exception in a native callback would end the process. */
export function createReceiver(context: ServerContext, versionHeader: string): Receiver {
  const readHead = createHeadReader(versionHeader);
  const nextRequestId = createRequestIds();
  const attempt = (native: NativeResponse, step: () => void): void => {
    try {
      step();
    } catch (error) {
      context.log.error({ err: error }, 'a request could not be read; its connection is closed');
      native.close();
    }
  };
  const start = (native: NativeResponse, head: Head, opened: OpenedRequest | ApiError): void => {
    new Exchange(context, native, head, nextRequestId()).start(opened);
  };
  return {
    receive: (native, request) => {
      attempt(native, () => {
        const head = readHead(request);
        const opened = openRequest(context.handling, head);
        const rawNames = opened.code === null ? opened.route.rawHeaders : undefined;
        if (rawNames !== undefined) head.rawHeaders = readRawHeaders(request, rawNames);
        start(native, head, opened);
      });
    },
    receivePush: (native, request, check, upgrade) => {
      attempt(native, () => {
        const head = readHead(request);
        const error = check(native, head);
        if (error === undefined) upgrade();
        else start(native, head, error);
      });
    },
  };
}

/** Counts each WebSocket once against the limit of its route. */
export function createPushCheck(
  push: PushRoute,
  context: ServerContext,
  limit: Limit | undefined,
): PushCheck {
  return (native, head) => {
    if (limit === undefined || push.limit === undefined) return undefined;
    const address = (): string =>
      context.readAddress(formatAddress(native.getRemoteAddress()), head.forwardedFor);
    const counted = limit(push.limit, { credential: undefined, path: head.path, address });
    return counted.code === null ? undefined : counted;
  };
}
