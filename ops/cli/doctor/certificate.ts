// The certificate that customers and merchants see at BASE_URL.
import { connect, type TLSSocket } from 'node:tls';
import {
  type Finding,
  reportOk,
  reportProblem,
  reportUnchecked,
  reportWarning,
} from './finding.js';

const CHECK = 'certificate';
const CONNECT_MS = 5_000;
const DAY_MS = 86_400_000;
/** Most authorities renew 30 days before the end. */
const WARN_DAYS = 14;
const HTTPS_PORT = 443;

/** None for an address without TLS. */
export async function checkCertificate(baseUrl: string, nowMs = Date.now()): Promise<Finding[]> {
  const { protocol, hostname, port, host } = new URL(baseUrl);
  if (protocol !== 'https:') return [];
  try {
    const server = hostname.replace(/^\[|\]$/g, '');
    const socket = await openTls(server, port === '' ? HTTPS_PORT : Number(port));
    const finding = judge(host, socket, nowMs);
    socket.destroy();
    return [finding];
  } catch (error) {
    return [reportUnchecked(CHECK, error)];
  }
}

/** Accepts any certificate, to look at it. */
function openTls(host: string, port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false }, () => {
      resolve(socket);
    });
    socket.setTimeout(CONNECT_MS, () => {
      socket.destroy(new Error(`${host}:${port} gives no answer within ${CONNECT_MS} ms`));
    });
    socket.on('error', reject);
  });
}

function judge(host: string, socket: TLSSocket, nowMs: number): Finding {
  const validTo = new Date(socket.getPeerCertificate().valid_to);
  const days = Math.floor((validTo.getTime() - nowMs) / DAY_MS);
  const end = validTo.toISOString().slice(0, 10);
  const remedy = 'Renew the certificate at the proxy (docs/operations/proxies.md)';
  if (validTo.getTime() < nowMs) {
    return reportProblem(CHECK, `the certificate of ${host} expired on ${end}`, remedy);
  }
  if (!socket.authorized) {
    const reason = String(socket.authorizationError);
    return reportProblem(
      CHECK,
      `the certificate of ${host} is not accepted (${reason})`,
      'Give the proxy a certificate for this name, with its chain, of an authority that clients know',
    );
  }
  const says = `the certificate of ${host} is valid until ${end}`;
  return days < WARN_DAYS ? reportWarning(CHECK, says, remedy) : reportOk(CHECK, says);
}
