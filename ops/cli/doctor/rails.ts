// Each configured rail accepts a connection. Nothing is sent to it, and no credential leaves this machine.
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { RAIL_VARIABLES } from '#actors/rails/rail-registry.js';
import type { Config } from '#ops/runtime/config.js';
import { describeError } from '../base/output.js';
import { type Finding, reportOk, reportProblem, reportWarning } from './finding.js';

const CONNECT_MS = 5_000;
const PORTS = { 'https:': 443, 'http:': 80 } as const;

export async function checkRails({ isProduction, rails }: Config): Promise<Finding[]> {
  const urls = RAIL_VARIABLES.flatMap(({ url }) => {
    const address = rails.variables[url];
    return address === undefined ? [] : [{ variable: url, address }];
  });
  if (urls.length > 0) return Promise.all(urls.map(checkRail));
  const says = 'no rail is configured: no LIVE payment can be made';
  if (!isProduction) return [reportOk('rails', says)];
  return [
    reportWarning('rails', says, 'Set the variables of a rail (docs/configuration.md#rails)'),
  ];
}

async function checkRail({
  variable,
  address,
}: {
  readonly variable: string;
  readonly address: string;
}): Promise<Finding> {
  const check = `rails.${variable.toLowerCase()}`;
  const { host } = new URL(address);
  try {
    await openConnection(new URL(address));
    return reportOk(check, `${host} accepts connections`);
  } catch (error) {
    return reportProblem(
      check,
      `${host} cannot be reached: ${describeError(error)}`,
      `Check ${variable}, the name server and the firewall of this machine (docs/operations/rails.md)`,
    );
  }
}

/** With https the certificate is checked, as the rails process does. */
function openConnection({ protocol, hostname, port }: URL): Promise<void> {
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(port || PORTS[isTls ? 'https:' : 'http:']) };
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls(place) : connectTcp(place);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.destroy();
      resolve();
    });
    socket.setTimeout(CONNECT_MS, () => {
      socket.destroy(new Error(`no answer within ${CONNECT_MS} ms`));
    });
    socket.on('error', reject);
  });
}
