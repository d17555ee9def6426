// From a native request to its exchange, or to a connection for pushing.
import { formatAddress } from '../routing/client-address.js';
import type { PushRoute } from '../routing/push.js';
import type { Limit } from '../limits/limits.js';
import type { Refusal } from '../routing/response.js';
import { Exchange } from './exchange.js';
import { type Opening, openRequest } from './handle.js';
import { createHeadReader } from './headers.js';
import { type Head } from '../routing/request-head.js';
import type { Host } from './host.js';
import type { NativeHead, NativeResponse } from './native.js';
import { createRequestIds } from '../routing/request.js';

/** Why a request does not become a connection for pushing; undefined: it does. */
export type Judge = (native: NativeResponse, head: Head) => Refusal | undefined;

export interface Receiver {
  readonly take: (native: NativeResponse, request: NativeHead) => void;
  /** Refuses the request, or goes on with it. */
  readonly judge: (
    native: NativeResponse,
    request: NativeHead,
    judge: Judge,
    goOn: () => void,
  ) => void;
}

/** Takes native requests; nothing is thrown. */
export function createReceiver(host: Host, versionHeader: string): Receiver {
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
  const start = (native: NativeResponse, head: Head, opened: Opening | Refusal): void => {
    new Exchange(host, native, head, nextRequestId()).start(opened);
  };
  return {
    take: (native, request) => {
      attempt(native, () => {
        const head = readHead(request);
        start(native, head, openRequest(host.handling, head));
      });
    },
    judge: (native, request, judge, goOn) => {
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
export function createPushJudge(push: PushRoute, host: Host, limit: Limit | undefined): Judge {
  return (native, head) => {
    if (limit === undefined || push.limit === undefined) return undefined;
    const address = (): string =>
      host.readAddress(formatAddress(native.getRemoteAddress()), head.forwardedFor);
    const counted = limit(push.limit, { credential: undefined, path: head.path, address });
    return counted.code === null ? undefined : counted;
  };
}
