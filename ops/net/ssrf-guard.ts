// The guarded connector: the only way to connect to an address that a merchant gave. It checks
//
//   the host            a literal address, before a socket is opened
//   resolved addresses  each address of the name must be allowed (mixed answers are refused); the connection uses
//                       exactly these addresses, also when the resolver knew them already
//   the socket          its remote address after TCP connects, before a byte is sent
//
// DNS, TCP and TLS share one deadline; the error names the phase in which it expired.
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as startTls, createSecureContext, rootCertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { startDeadline } from '../runtime/deadline.js';
import { type Cidr, isAllowedAddress } from './address.js';
import {
  stripBrackets,
  checkAddresses,
  checkHost,
  type Resolve,
  TargetRefusedError,
} from './target.js';

const CONNECT_TIMEOUT_MS = 3_000;
const KEEP_ALIVE_PROBE_MS = 60_000;
const TLS_SESSIONS = 256;
const HTTPS_PORT = 443;

export type ConnectPhase = 'dns' | 'connect' | 'tls';

export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError';
  readonly phase: ConnectPhase;

  constructor(phase: ConnectPhase) {
    super(`no connection within the deadline (phase: ${phase})`);
    this.phase = phase;
  }
}

export interface ConnectorOptions {
  readonly allowed: readonly Cidr[];
  /** PEM; trusted in addition to the public roots. */
  readonly extraCa?: string;
  readonly connectTimeoutMs?: number;
  readonly resolve: Resolve;
  /** Opens the TCP connection. Default: net.connect. */
  readonly dial?: (options: TcpNetConnectOpts) => Socket;
}

type Connector = buildConnector.connector;
type Done = Parameters<Connector>[1];

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly servername: string;
}

export function createGuardedConnector(options: ConnectorOptions): Connector {
  const { allowed, extraCa } = options;
  const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
  // Created once: parsing 150 root certificates costs more than a handshake.
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const sessions = new LRUCache<string, Buffer>({ max: TLS_SESSIONS });
  const secure = (socket: Socket, { host, port, servername }: Endpoint) => {
    const key = `${host} ${port}`;
    const session = sessions.get(key);
    const tls = startTls({
      ...{ socket, host, servername, secureContext },
      ...(session === undefined ? {} : { session }),
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    return tls.on('session', (fresh: Buffer) => void sessions.set(key, fresh));
  };
  return ({ protocol, hostname, port }, done) => {
    const host = stripBrackets(hostname);
    try {
      if (protocol !== 'https:') throw new TargetRefusedError('the target must use https');
      checkHost(host, allowed);
    } catch (error) {
      done(error as Error, null);
      return;
    }
    const servername = isIP(host) === 0 ? host : '';
    open(options, { host, port: Number(port || HTTPS_PORT), servername }, secure, done);
  };
}

type Secure = (socket: Socket, endpoint: Endpoint) => ReturnType<typeof startTls>;

function open(options: ConnectorOptions, endpoint: Endpoint, secure: Secure, done: Done): void {
  const { allowed, resolve, dial = connect } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { host, port } = endpoint;
  let phase: ConnectPhase = isIP(host) === 0 ? 'dns' : 'connect';
  const onResolved = (): void => {
    phase = 'connect';
  };
  const socket = dial({
    ...{ host, port, lookup: guardLookup(resolve, allowed, onResolved) },
    ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS },
  });
  let isOver = false;
  const end = (...answer: Parameters<Done>): void => {
    clearDeadline();
    if (isOver) return;
    isOver = true;
    if (answer[0] !== null) socket.destroy();
    done(...answer);
  };
  const fail = (error: Error): void => {
    end(error, null);
  };
  const clearDeadline = startDeadline(connectTimeoutMs, () => {
    fail(new ConnectTimeoutError(phase));
  });
  // The listener stays, so that a later error is not uncaught; the TLS socket reports it to its owner.
  socket.on('error', fail);
  socket.once('close', () => {
    fail(new Error('the connection was closed'));
  });
  socket.once('connect', () => {
    if (!isAllowedAddress(socket.remoteAddress ?? '', allowed)) {
      fail(new TargetRefusedError('the connection reached an address that is not public'));
      return;
    }
    phase = 'tls';
    const tls = secure(socket, endpoint).on('error', fail);
    // An alert can come after the handshake: under TLS 1.3, of a receiver that demands a client certificate. undici would
    // report the end of the connection in its place.
    tls.once('error', () => tls.removeAllListeners('end'));
    tls.once('secureConnect', () => {
      end(null, tls);
    });
  });
}

/** A lookup that resolves all addresses and fails unless each one is allowed. */
function guardLookup(
  resolve: Resolve,
  allowed: readonly Cidr[],
  onResolved: () => void,
): LookupFunction {
  return (hostname, options, answer) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) {
        answer(error ?? new Error(`${hostname} has no address`), '', 0);
        return;
      }
      try {
        checkAddresses(addresses, allowed);
      } catch (refusal) {
        answer(refusal as Error, '', 0);
        return;
      }
      onResolved();
      if (options.all === true) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}
