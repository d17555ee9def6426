// Receivers and rails that send `100 Continue` although nobody asked for it. undici ends such a connection by intention,
// whether or not the other side takes the request. So after one, requests to its origin go by node:http, which skips interim
// responses. Each has a connection of its own: bytes that come late are never taken for the response to the next request.
import { type IncomingMessage, request as openRequest, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type buildConnector, errors } from 'undici';
import { stripBrackets } from './target.js';

/** Limit of 1xx responses before the final one. */
export const MAX_INTERIM_RESPONSES = 16;

/** undici's error of such a response; no other error of a request has this message. */
export const isUnaskedContinue = (error: unknown): boolean =>
  error instanceof errors.SocketError && error.message === 'bad response';

type Settings = Pick<RequestOptions, 'method' | 'path' | 'maxHeaderSize' | 'signal'>;

export interface NodeRequest extends Settings {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** Sends by node:http. `onConnect` is called before a byte is sent; nothing is sent if it destroys the socket. */
export function sendByNode(
  connect: buildConnector.connector,
  origin: string,
  sent: NodeRequest,
  onConnect?: (socket: Socket) => void,
): Promise<IncomingMessage> {
  const { host, hostname, port, protocol } = new URL(origin);
  return new Promise((resolve, reject) => {
    connect({ host, hostname: stripBrackets(hostname), port, protocol }, (error, socket) => {
      if (error !== null) {
        reject(error);
        return;
      }
      const fail = (fault: Error): void => {
        socket.destroy();
        reject(fault);
      };
      onConnect?.(socket);
      if (socket.destroyed) return fail(new errors.RequestAbortedError());
      let interim = 0;
      const { body, ...settings } = sent;
      const headers = { ...sent.headers, host };
      openRequest({ ...settings, headers, createConnection: () => socket })
        .on('response', resolve)
        .on('error', fail)
        .on('upgrade', () => fail(new errors.HTTPParserError('101 Switching Protocols')))
        .on('information', () => {
          interim += 1;
          if (interim > MAX_INTERIM_RESPONSES) fail(new errors.HTTPParserError('too many 1xx'));
        })
        .end(body);
    });
  });
}

/** Runs at most `atOnce` works at once, in their order. A work does not reject. */
export function createTurns(atOnce: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    await work();
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
}
