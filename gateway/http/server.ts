// The one file that imports uWebSockets.js: listening, connections, and the way of a native request into an
// exchange. exchange.ts says how long native values live and what they must not be asked.
//
// The native parser bounds what comes before that, and its bounds cannot be set: 4 KiB and 98 lines of head (431),
// 10 to 14 s for a head, for a body of less than 160 KB, and for an idle connection (closed without a word).
import { type ListenOptions, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import * as uWS from 'uWebSockets.js';
import type { Log } from '#ops/runtime/log.js';
import { Slots } from '#ops/runtime/slots.js';
import { createAdmission, DEFAULT_VERSION, limitAdmission } from '../auth/admission.js';
import {
  createAddressList,
  createAddressReader,
  formatAddress,
  isListed,
} from '../routing/client-address.js';
import type { CredentialCache } from '../auth/credential-cache.js';
import type { CheckSession } from '../auth/check-session.js';
import type { PushRoute } from '../routing/push.js';
import type { Limit } from '../limits/limits.js';
import type { Route } from '../routing/route.js';
import { createRouter } from '../routing/router.js';
import { ConnectionLimit, countConnections } from './connection-limit.js';
import type { ServerContext } from './server-context.js';
import type { Observe } from './request-metrics.js';
import type { NativeResponse } from './native.js';
import { createPushCheck, createReceiver, type PushCheck, type Receiver } from './receiver.js';
import { createRender } from './render.js';

/** A handler that has not answered by then has a bug: LIVE creates wait at most 55 s. */
const ANSWER_DEADLINE_MS = 70_000;
const SWEEP_EVERY_MS = 1_000;
/** When stopping: a connection that was quiet for so long is not waited for. */
const QUIET_BEFORE_CLOSE_MS = 1_000;
const STOP_POLL_MS = 10;
const MAX_PUSH_MESSAGE_BYTES = 256;
/** A client that takes nothing for so long is let go; it polls, or comes again. */
const MAX_PUSH_BACKLOG_BYTES = 16 * 1024;
const PUSH_IDLE_S = 60;
const PUSH_LIFETIME_MIN = 120;
const SHARED_PORT: ListenOptions = 0;
const EXCLUSIVE_PORT: ListenOptions = 1;

export interface ServerOptions {
  /** 0: a free one. */
  readonly port: number;
  /** Several gateways of one host listen on the port, and the kernel spreads connections over them. */
  readonly isPortShared: boolean;
  readonly routes: readonly Route[];
  readonly pushes?: readonly PushRoute[];
  readonly credentials: CredentialCache;
  /** Absent: no row is for sessions. */
  readonly checkSession?: CheckSession;
  readonly brandHeader: string;
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  /** 0: no bound. */
  readonly connectionsPerAddress: number;
  /** undefined: nothing is limited. */
  readonly limit?: Limit | undefined;
  readonly log: Pick<Log, 'error'>;
  readonly observe?: Observe;
  /** Hears of requests with keys. */
  readonly note?: ServerContext['note'];
}

export interface HttpServer {
  readonly port: number;
  /** Requests that are not answered yet. */
  readonly inFlight: number;
  readonly connections: number;
  /** Stops accepting, answers what is in flight and what still comes on open connections, then closes. */
  stop(deadlineMs: number): Promise<void>;
}

export class PortInUseError extends Error {
  constructor(port: number) {
    super(`port ${port} is in use`);
  }
}

export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  const app = createApp();
  const host = createHost(options);
  const limit = createConnectionLimit(options, () => port);
  const receiver = createReceiver(host, `${options.brandHeader}-Version`);
  for (const push of options.pushes ?? []) {
    const judge = createPushCheck(push, host, options.limit);
    addPush(app, push, { limit, log: options.log, receiver, judge });
  }
  app.any('/*', receiver.receive);
  app.filter((native, change) => countConnection(limit, native, change, options.log));
  const socket = await listen(app, options);
  const port = uWS.us_socket_local_port(socket);
  const sweeper = setInterval(() => sweep(host), SWEEP_EVERY_MS);
  const isDone = (): boolean =>
    host.running.size === 0 &&
    (limit.open === 0 || performance.now() - host.lastRequestAtMs > QUIET_BEFORE_CLOSE_MS);

  return {
    port,
    get inFlight() {
      return host.running.size;
    },
    get connections() {
      return limit.open;
    },
    async stop(deadlineMs) {
      host.isStopping = true;
      uWS.us_listen_socket_close(socket);
      await waitUntil(isDone, deadlineMs);
      clearInterval(sweeper);
      app.close();
    },
  };
}

/** An app without the header that names it: the switch is not in the typings, and missing it does no harm. */
function createApp(): TemplatedApp {
  const configure: unknown = Reflect.get(uWS, '_cfg');
  if (typeof configure === 'function') Reflect.apply(configure, undefined, ['silent']);
  return uWS.App();
}

interface PushDeps {
  readonly limit: ConnectionLimit;
  readonly log: Pick<Log, 'error'>;
  readonly receiver: Receiver;
  readonly judge: PushCheck;
}

interface PushState {
  readonly segment: string;
  close: () => void;
}

/**
 * A WebSocket path. What it does not accept goes on as a plain request, and is answered as one. The native
 * socket is valid until its close was told; from then on the client's hold on it is gone.
 */
function addPush(
  app: TemplatedApp,
  push: PushRoute,
  { limit, log, receiver, judge }: PushDeps,
): void {
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      log.error({ err: error }, 'a push failed');
    }
  };
  app.ws<PushState>(push.path, {
    maxPayloadLength: MAX_PUSH_MESSAGE_BYTES,
    maxBackpressure: MAX_PUSH_BACKLOG_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: PUSH_IDLE_S,
    maxLifetime: PUSH_LIFETIME_MIN,
    sendPingsAutomatically: true,
    upgrade: (native, request, context) => {
      const segment = request.getParameter(0) ?? '';
      if (!push.accepts(segment)) {
        request.setYield(true);
        return;
      }
      receiver.receivePush(native, request, judge, () => {
        const state: PushState = { segment, close: () => undefined };
        const read = (name: string): string => request.getHeader(`sec-websocket-${name}`);
        native.upgrade(state, read('key'), read('protocol'), read('extensions'), context);
      });
    },
    open: (socket) => {
      attempt(() => openPush(push, socket.getUserData(), (text) => socket.send(text)));
    },
    close: (socket) => {
      // The filter hears of an upgraded connection no more (tried).
      limit.release();
      attempt(() => socket.getUserData().close());
    },
  });
}

function openPush(push: PushRoute, state: PushState, send: (text: string) => unknown): void {
  let isOpen = true;
  const leave = push.open(state.segment, {
    send: (text) => {
      if (isOpen) send(text);
    },
  });
  state.close = () => {
    isOpen = false;
    leave();
  };
}

function createHost(options: ServerOptions): ServerContext {
  const { brandHeader, baseUrl, log, observe = () => undefined } = options;
  const { credentials, checkSession, limit } = options;
  return {
    handling: {
      router: createRouter(options.routes),
      admit: limitAdmission(
        createAdmission(credentials, `${brandHeader}-Version`, checkSession),
        limit,
      ),
    },
    render: createRender({ brandHeader, baseUrl, version: DEFAULT_VERSION }),
    readAddress: createAddressReader(options.trustedProxies),
    observe,
    log,
    note: options.note,
    running: new Slots(),
    isStopping: false,
    lastRequestAtMs: 0,
  };
}

function createConnectionLimit(options: ServerOptions, port: () => number): ConnectionLimit {
  const trusted = createAddressList(options.trustedProxies);
  return new ConnectionLimit({
    limit: options.connectionsPerAddress,
    isExempt: (address) => isListed(trusted, address),
    count: () => countConnections(port()),
    monotonicMs: () => performance.now(),
  });
}

function countConnection(
  limit: ConnectionLimit,
  native: NativeResponse,
  change: number,
  log: Pick<Log, 'error'>,
): void {
  try {
    if (change < 0) limit.release();
    else if (!limit.take(formatAddress(native.getRemoteAddress()))) native.close();
  } catch (error) {
    log.error({ err: error }, 'a connection could not be counted');
  }
}

function listen(app: TemplatedApp, options: ServerOptions): Promise<us_listen_socket> {
  const { port, isPortShared } = options;
  return new Promise((resolve, reject) => {
    app.listen(port, isPortShared ? SHARED_PORT : EXCLUSIVE_PORT, (socket) => {
      if (socket === false) reject(new PortInUseError(port));
      else resolve(socket);
    });
  });
}

function sweep(host: ServerContext): void {
  const oldestMs = performance.now() - ANSWER_DEADLINE_MS;
  for (const exchange of host.running.list()) {
    if (exchange.startedAtMs > oldestMs || exchange.isStreaming) continue;
    exchange.fail(new Error('no answer before the deadline'));
  }
}

async function waitUntil(isDone: () => boolean, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!isDone() && performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
  }
}
