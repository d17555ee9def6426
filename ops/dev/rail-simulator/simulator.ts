// The rail simulator: one HTTP server with Midtrans' API below /midtrans, Xendit's below /xendit, the control API below
// /control and a page for customers at /. It serves development, tests and benches: it moves no money, its codes are not
// routable, and it listens on loopback only, because the control API has no credential.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OrderStore, type SimulatedOrder } from './orders-store.js';
import { CallbackSender } from './callback-sender.js';
import { answerControl } from './control.js';
import { Faults, type FaultRule, falsifyAmount } from './faults.js';
import {
  type SimulatorRequest,
  type SimulatedOperation,
  readRequest,
  type Reply,
  sendReply,
} from './http.js';
import { buildMidtransCallback, routeMidtrans } from './midtrans.js';
import { advanceOrder } from './orders.js';
import { RequestCounts } from './request-counts.js';
import { answerPage } from './page.js';
import type { SimulatorSettings, SimulatorContext } from './simulator-context.js';
import { resumePayouts } from './xendit-money.js';
import { routeXendit, buildXenditCallback } from './xendit-requests.js';

const SWEEP_MS = 1_000;
const HOST = '127.0.0.1';
const KEEP_ALIVE_MS = 120_000;

export interface RailSimulator {
  readonly baseUrl: string;
  readonly midtransUrl: string;
  readonly xenditUrl: string;
  stop(): Promise<void>;
}

export async function startRailSimulator(settings: SimulatorSettings): Promise<RailSimulator> {
  const faults = new Faults();
  const requests = new RequestCounts();
  const books = new OrderStore(settings.file);
  const callbacks = new CallbackSender(faults, { ...settings.callbacks });
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    readRequest(request)
      .then((ask) => answer(ask, response))
      .catch(() => {
        response.destroy();
      });
  });
  // Longer than the callers' keep-alive: a connection that closes while it is reused looks like a failing rail.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const baseUrl = `http://${HOST}:${await listen(server, settings.port)}`;
  const later = (go: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      go();
    }, settings.bankMs);
    timers.add(timer);
  };
  const stage = createContext({ settings, store: books, baseUrl, later }, callbacks);
  const serveRail = (
    operation: SimulatedOperation | Reply,
    response: ServerResponse,
  ): Promise<void> => {
    if ('run' in operation) requests.note(operation);
    return serve(operation, faults, response);
  };
  const answer = async (ask: SimulatorRequest, response: ServerResponse): Promise<void> => {
    const [first, ...path] = ask.path;
    const below = { ...ask, path };
    if (first === 'control')
      sendReply(response, answerControl(below, { context: stage, faults, callbacks, requests }));
    else if (first === 'midtrans') await serveRail(routeMidtrans(below, stage), response);
    else if (first === 'xendit') await serveRail(routeXendit(below, stage), response);
    else sendReply(response, answerPage(ask, stage));
  };
  resumePayouts(stage);
  const sweep = setInterval(() => {
    expireOrders(stage);
  }, SWEEP_MS);
  return {
    ...{ baseUrl, midtransUrl: `${baseUrl}/midtrans`, xenditUrl: `${baseUrl}/xendit` },
    stop: async () => {
      clearInterval(sweep);
      for (const timer of timers) clearTimeout(timer);
      callbacks.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      books.close();
    },
  };
}

function createContext(
  parts: Pick<SimulatorContext, 'settings' | 'store' | 'baseUrl' | 'later'>,
  callbacks: CallbackSender,
): SimulatorContext {
  const { midtransServerKey, xenditCallbackToken } = parts.settings;
  const callbackOf = (order: SimulatedOrder) =>
    order.rail === 'midtrans'
      ? buildMidtransCallback(order, midtransServerKey)
      : buildXenditCallback(order, xenditCallbackToken);
  return {
    ...parts,
    nowMs: Date.now,
    change: (order) => {
      parts.store.put(order);
      const callback = callbackOf(order);
      if (callback !== null) callbacks.send(callback);
    },
    send: (callback) => {
      callbacks.send(callback);
    },
  };
}

function expireOrders(stage: SimulatorContext): void {
  const nowMs = stage.nowMs();
  for (const order of stage.store.listPending()) {
    if (nowMs >= order.expiresAtMs) stage.change(advanceOrder(order, nowMs));
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const BREAKING: readonly FaultRule['kind'][] = ['no_answer', 'server_error', 'html', 'reset'];
const HTML = '<!doctype html><title>502</title><h1>Bad gateway</h1>';

/** Runs an operation of a rail with its faults: the operation takes effect first, then the answer is changed. */
async function serve(
  operation: SimulatedOperation | Reply,
  faults: Faults,
  response: ServerResponse,
): Promise<void> {
  if (!('run' in operation)) {
    sendReply(response, operation);
    return;
  }
  const struck = faults.strike(operation);
  const has = (kind: FaultRule['kind']): boolean => struck.some((fault) => fault.kind === kind);
  const throttle = struck.find(({ kind }) => kind === 'throttle');
  if (throttle !== undefined) {
    sendReply(response, buildThrottledReply(throttle));
    return;
  }
  const breaking = struck.find(({ kind }) => BREAKING.includes(kind));
  const reply = has('refuse')
    ? operation.reject()
    : breaking?.took === false
      ? null
      : await operation.run({
          isLagging: has('lag'),
          hasQrString: !has('no_qr_string'),
          isQrSpoiled: has('spoiled_qr'),
          isStuck: has('stuck'),
        });
  const latency = struck.find(({ kind }) => kind === 'latency');
  if (latency !== undefined) await pause(latency.ms ?? 0);
  if (breaking !== undefined) fail(breaking.kind, response);
  else if (reply !== null) sendReply(response, has('wrong_amount') ? falsifyReply(reply) : reply);
}

/** The fields of both rails, like the reply of `server_error`. */
function buildThrottledReply({ ms = 1_000 }: FaultRule): Reply {
  return {
    status: 429,
    body: { error_code: 'RATE_LIMIT_EXCEEDED', status_code: '429' },
    headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
  };
}

function fail(kind: FaultRule['kind'], response: ServerResponse): void {
  switch (kind) {
    case 'server_error':
      sendReply(response, {
        status: 500,
        body: { error_code: 'SERVER_ERROR', status_code: '500' },
      });
      return;
    case 'html':
      sendReply(response, { status: 200, type: 'text/html', body: HTML });
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    default:
      // no_answer: the connection stays open until the caller gives up.
      return;
  }
}

function falsifyReply(reply: Reply): Reply {
  const { body } = reply;
  const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
  return isObject ? { ...reply, body: falsifyAmount(body) } : reply;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
