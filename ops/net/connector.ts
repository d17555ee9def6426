// The guarded connector: the one way to open a connection to an address that a merchant gave. Checked are
//
//   the host         a literal address, before anything is opened
//   the answers      of the look-up: a name is allowed when all its addresses are (mixed answers are refused),
//                    and what was resolved is what is connected to; each connection asks anew
//   the socket       its own address when TCP stands, before a byte is sent
//
// Look-up, TCP and TLS share one deadline; the error tells in which of them it ran out.
import { lookup } from 'node:dns';
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
    super(`no connection in time (${phase})`);
    this.phase = phase;
  }
}

export interface ConnectorOptions {
  readonly allowed: readonly Cidr[];
  /** PEM; trusted beside the public ones. */
  readonly extraCa?: string;
  readonly connectTimeoutMs?: number;
  /** The system's look-up unless given. */
  readonly resolve?: Resolve;
  /** Opens TCP; `net.connect` unless given. */
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
  // Made once: parsing 150 roots for each connection would cost more than the handshake.
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
      if (protocol !== 'https:') throw new TargetRefusedError('only HTTPS is connected to');
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
  const { allowed, resolve = lookup, dial = connect } = options;
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
  // It stays: what breaks later reaches the TLS socket too, whose owner is told.
  socket.on('error', fail);
  socket.once('close', () => {
    fail(new Error('the connection was closed'));
  });
  socket.once('connect', () => {
    if (!isAllowedAddress(socket.remoteAddress ?? '', allowed)) {
      fail(new TargetRefusedError('the connection led to an address that is not public'));
      return;
    }
    phase = 'tls';
    const tls = secure(socket, endpoint).on('error', fail);
    tls.once('secureConnect', () => {
      end(null, tls);
    });
  });
}

/** Resolves all addresses, refuses unless every one is allowed, answers in the form that was asked for. */
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
