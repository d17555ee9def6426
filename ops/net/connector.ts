// The guarded connector: the one way to open a connection to an address that a merchant gave. A name is
// allowed when all its addresses are (mixed answers are refused), and what was resolved is what is connected
// to; literal addresses never pass a look-up and are checked apart; the socket's own address is checked last.
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { type Cidr, isAllowedAddress } from './address.js';
import { checkHost, TargetRefusedError } from './target.js';

const CONNECT_TIMEOUT_MS = 3_000;

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  answer: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ConnectorOptions {
  readonly allowed: readonly Cidr[];
  /** PEM; trusted beside the public ones. */
  readonly extraCa?: string;
  /** The system's look-up unless given. */
  readonly resolve?: Resolve;
}

export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowed, extraCa, resolve = lookup } = options;
  const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: guardLookup(resolve, allowed),
    // Made once: parsing 150 roots for each connection would cost more than the handshake.
    secureContext: createSecureContext(ca === undefined ? {} : { ca }),
  });
  return (target, done) => {
    try {
      if (target.protocol !== 'https:') throw new TargetRefusedError('only HTTPS is connected to');
      checkHost(target.hostname, allowed);
    } catch (error) {
      done(error as Error, null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        done(error, null);
      } else if (!isAllowedAddress(socket.remoteAddress ?? '', allowed)) {
        socket.destroy();
        done(new TargetRefusedError('the connection led to an address that is not public'), null);
      } else {
        done(null, socket);
      }
    });
  };
}

/** Resolves all addresses, refuses unless every one is allowed, answers in the form that was asked for. */
function guardLookup(resolve: Resolve, allowed: readonly Cidr[]): LookupFunction {
  return (hostname, options, answer) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null || first === undefined) {
        answer(error ?? new Error(`${hostname} has no address`), '', 0);
      } else if (!addresses.every(({ address }) => isAllowedAddress(address, allowed))) {
        answer(new TargetRefusedError('the name leads to an address that is not public'), '', 0);
      } else if (options.all === true) {
        answer(null, addresses);
      } else {
        answer(null, first.address, first.family);
      }
    });
  };
}
