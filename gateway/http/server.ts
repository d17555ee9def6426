// The HTTP server: listening, connections, and handing native requests to the receiver. Only this folder knows
// uWebSockets.js; exchange.ts explains the lifetimes of its values.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListenOptions, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { StartError } from '#ops/runtime/config.js';
import { describePortFault, findPortFault } from '#ops/runtime/ports.js';
import { Slots } from '#ops/runtime/slots.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import { createAdmission, DEFAULT_VERSION, limitAdmission } from '../auth/admission.js';
import type { CheckSession } from '../auth/check-session.js';
import type { CredentialCache } from '../auth/credentials.js';
import { createSessionCookie } from '../auth/session-cookie.js';
import type { Limit } from '../limits/limits.js';
import {
  createAddressList,
  createAddressReader,
  formatAddress,
  isListed,
} from '../routing/client-address.js';
import type { PushRoute, Route } from '../routing/route.js';
import { createRouter } from '../routing/router.js';
import { createChunkWatch } from './admitted-chunks.js';
import { ConnectionLimit, countConnections } from './connection-limit.js';
import type { NativeResponse } from './native.js';
import { loadNativeLibrary, type NativeLibrary } from './native-library.js';
import { createPushCheck, createReceiver } from './receiver.js';
import { createRender } from './render.js';
import { ANSWER_DEADLINE_MS } from './request-limits.js';
import type { Observe } from './request-metrics.js';
import {
  createForwardLog,
  createStoreFailureLog,
  type ServerContext,
  type ServerLog,
} from './server-context.js';
import { addWebSocket } from './websocket.js';

const SWEEP_EVERY_MS = 1_000;
/** A stop does not wait for connections that were quiet for so long. */
const QUIET_BEFORE_CLOSE_MS = 1_000;
const STOP_POLL_MS = 10;
const SHORT_TURN_MS = 0.5;
const MAX_TURNS = 1_000;
const SHARED_PORT: ListenOptions = 0;
const EXCLUSIVE_PORT: ListenOptions = 1;

export interface ServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Several gateways of one host listen on the port, and the kernel distributes the connections. */
  readonly isPortShared: boolean;
  readonly routes: readonly Route[];
  readonly pushes?: readonly PushRoute[];
  readonly credentials: CredentialCache;
  /** Absent: there are no session routes. */
  readonly checkSession?: CheckSession;
  readonly brandHeader: string;
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  /** 0: no limit. */
  readonly connectionsPerAddress: number;
  /** undefined: all rate limits are off. */
  readonly limit?: Limit | undefined;
  readonly log: ServerLog;
  readonly observe?: Observe;
  readonly countIgnoredForward?: () => void;
  readonly note?: ServerContext['note'];
  /** Absent or undefined: traces are off. */
  readonly tracer?: Tracer | undefined;
}

export interface HttpServer {
  readonly port: number;
  /** Requests that are not answered yet. */
  readonly inFlight: number;
  readonly connections: number;
  /** Stops accepting connections, answers the requests of open ones until they are quiet, then closes. */
  stop(deadlineMs: number): Promise<void>;
}

export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { log } = options;
  const library = await loadNativeLibrary();
  const app = createApp(library);
  const context = createContext(options);
  const limit = createConnectionLimit(options, () => port);
  const receiver = createReceiver(context, `${options.brandHeader}-Version`);
  for (const push of options.pushes ?? []) {
    const check = createPushCheck(push, context, options.limit);
    addWebSocket(app, push, { limit, log, receiver, check });
  }
  app.any('/*', receiver.receive);
  app.filter((native, change) => countConnection(limit, native, change, log));
  const socket = await listen(app, options);
  const port = library.us_socket_local_port(socket);
  const sweeper = setInterval(() => failOverdue(context), SWEEP_EVERY_MS);
  const isDone = (): boolean =>
    context.running.size === 0 &&
    (limit.open === 0 || performance.now() - context.lastRequestAtMs > QUIET_BEFORE_CLOSE_MS);

  return {
    port,
    get inFlight() {
      return context.running.size;
    },
    get connections() {
      return limit.open;
    },
    async stop(deadlineMs) {
      context.isStopping = true;
      await waitForShortTurn();
      library.us_listen_socket_close(socket);
      await waitUntil(isDone, deadlineMs);
      clearInterval(sweeper);
      app.close();
    },
  };
}

/** Turns off the `uWebSockets` response header; the switch is not in the typings, and a build without it works too. */
function createApp(library: NativeLibrary): TemplatedApp {
  const configure: unknown = Reflect.get(library, '_cfg');
  if (typeof configure === 'function') Reflect.apply(configure, undefined, ['silent']);
  return library.App();
}

function createContext(options: ServerOptions): ServerContext {
  const { brandHeader, baseUrl, log, observe = () => undefined } = options;
  const { countIgnoredForward = () => undefined } = options;
  const { credentials, checkSession, limit } = options;
  const admit = createAdmission(credentials, `${brandHeader}-Version`, checkSession);
  return {
    router: createRouter(options.routes),
    admit: limitAdmission(admit, limit),
    watch: createChunkWatch(admit),
    render: createRender({ brandHeader, baseUrl, version: DEFAULT_VERSION }),
    readAddress: createAddressReader(
      options.trustedProxies,
      createForwardLog(log, countIgnoredForward),
    ),
    sessionCookieName: createSessionCookie(baseUrl).name,
    observe,
    log,
    logStoreFailure: createStoreFailureLog(log),
    note: options.note,
    tracer: options.tracer,
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
  log: ServerLog,
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
      if (socket !== false) resolve(socket);
      else
        findPortFault(port).then((fault = 'EADDRINUSE') => {
          reject(new StartError(describePortFault('PORT', port, fault)));
        }, reject);
    });
  });
}

function failOverdue(context: ServerContext): void {
  const oldestMs = performance.now() - ANSWER_DEADLINE_MS;
  for (const exchange of context.running.list()) {
    if (exchange.startedAtMs > oldestMs || exchange.isStreaming) continue;
    exchange.fail(new Error(`the handler did not answer within ${ANSWER_DEADLINE_MS} ms`));
  }
}

/**
 * Waits for the end of a short turn of the event loop, which has just taken every connection from the kernel. The kernel
 * resets those that are left when the listening socket closes: 21 of 9,273 new connections in 16 stops of a busy gateway
 * without this wait.
 */
async function waitForShortTurn(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const beganAtMs = performance.now();
    await nextTurn();
    if (performance.now() - beganAtMs < SHORT_TURN_MS) return;
  }
}

async function waitUntil(isDone: () => boolean, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!isDone() && performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
  }
}
