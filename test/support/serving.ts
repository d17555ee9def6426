// A service that serves: all processes are ready, each partition is owned, each gateway has created a payment.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from './api.js';
import {
  type RunningProcess,
  type Service,
  type ServiceOptions,
  startService,
} from './processes.js';
import type { TestScope } from './servers.js';

/** The same for all processes, because it is part of their answers. */
export const BASE_URL = 'http://kasir.test';
/** More creates than partitions, so that each partition most likely gets one. */
const PROBES = 48;

interface Serving {
  /** One per gateway, with the merchant's test key. */
  readonly apis: readonly Api[];
  readonly api: Api;
  /** Waits until the service serves. */
  readonly serves: () => Promise<void>;
}

export interface ServingService extends Service, Serving {}

export async function startServingService(
  t: TestScope,
  options: ServiceOptions = {},
): Promise<ServingService> {
  const variables = { BASE_URL, ...options.variables };
  const service = await startService(t, { ...options, variables });
  const serving = openServing(service.gateways, service.merchant.testKey);
  await serving.serves();
  return { ...service, ...serving };
}

export function openServing(
  gateways: readonly Pick<RunningProcess, 'baseUrl'>[],
  testKey: string,
): Serving {
  const apis = gateways.map(({ baseUrl }) => openApi(baseUrl, testKey));
  const [api] = apis;
  if (api === undefined) throw new Error('a service has a gateway');
  const serves = async (): Promise<void> => {
    await Promise.all(apis.map(waitUntilServes));
  };
  return { apis, api, serves };
}

function waitUntilServes(api: Api): Promise<unknown> {
  return waitUntil('the gateway serves', async () => {
    if ((await api.call('/readyz')).status !== 200) return false;
    const creates = Array.from({ length: PROBES }, () => api.create({ amount: '15000' }));
    return (await Promise.all(creates)).every(({ status }) => status === 201);
  });
}
