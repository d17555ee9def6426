// WebSockets on which the server pushes texts to browsers. A request that the route does not accept goes on as a plain
// request. The native socket is valid until its close event.
import type { TemplatedApp } from 'uWebSockets.js';
import type { WithinLimit } from '../limits/limits.js';
import type { PushRoute } from '../routing/route.js';
import type { ConnectionLimit } from './connection-limit.js';
import type { PushCheck, Receiver } from './receiver.js';
import { MAX_PUSH_BACKLOG_BYTES, MAX_PUSH_MESSAGE_BYTES } from './request-limits.js';
import type { ServerLog } from './server-context.js';

const IDLE_S = 60;
const LIFETIME_MIN = 120;
/** A close code of our own: the page polls then, and gets 404. */
const NOTHING_THERE = 4404;

export interface WebSocketDeps {
  readonly limit: ConnectionLimit;
  readonly log: ServerLog;
  readonly receiver: Receiver;
  readonly check: PushCheck;
}

interface SocketState {
  readonly segment: string;
  readonly within: WithinLimit;
  close: () => void;
}

interface OpenSocket {
  send(text: string): unknown;
  end(code: number): unknown;
}

export function addWebSocket(
  app: TemplatedApp,
  push: PushRoute,
  { limit, log, receiver, check }: WebSocketDeps,
): void {
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      log.error({ err: error, path: push.path }, 'a WebSocket handler failed');
    }
  };
  app.ws<SocketState>(push.path, {
    maxPayloadLength: MAX_PUSH_MESSAGE_BYTES,
    maxBackpressure: MAX_PUSH_BACKLOG_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: IDLE_S,
    maxLifetime: LIFETIME_MIN,
    sendPingsAutomatically: true,
    upgrade: (native, request, context) => {
      const segment = request.getParameter(0) ?? '';
      if (!push.accepts(segment)) {
        request.setYield(true);
        return;
      }
      receiver.receivePush(native, request, check, (within) => {
        const state: SocketState = { segment, within, close: () => undefined };
        const read = (name: string): string => request.getHeader(`sec-websocket-${name}`);
        native.upgrade(state, read('key'), read('protocol'), read('extensions'), context);
      });
    },
    open: (socket) => {
      attempt(() => openSocket(push, socket.getUserData(), socket));
    },
    close: (socket) => {
      // The connection filter does not report the close of an upgraded connection (tried).
      limit.release();
      attempt(() => socket.getUserData().close());
    },
  });
}

function openSocket(push: PushRoute, state: SocketState, socket: OpenSocket): void {
  let isOpen = true;
  const unsubscribe = push.open(state.segment, {
    send: (text) => {
      if (isOpen) socket.send(text);
    },
    reject: () => {
      state.within.settle?.(404);
      if (isOpen) socket.end(NOTHING_THERE);
    },
  });
  state.close = () => {
    isOpen = false;
    unsubscribe();
  };
}
