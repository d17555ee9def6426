// A service that serves: all processes are ready, each partition is owned, each gateway has created a payment.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from './api.js';
import { type Service, type ServiceOptions, startService } from './processes.js';
import type { TestScope } from './servers.js';

/** The same for all processes, because it is part of their answers. */
export const BASE_URL = 'http://kasir.test';
/** More creates than partitions, so that each partition most likely gets one. */
const PROBES = 48;

export interface ServingService extends Service {
  /** One per gateway, with the merchant's test key. */
  readonly apis: readonly Api[];
  readonly api: Api;
  /** Waits until the service serves. */
  readonly serves: () => Promise<void>;
}

export async function startServingService(
  t: TestScope,
  options: ServiceOptions = {},
): Promise<ServingService> {
  const variables = { BASE_URL, ...options.variables };
  const service = await startService(t, { ...options, variables });
  const apis = service.gateways.map(({ baseUrl }) => openApi(baseUrl, service.merchant.testKey));
  const [api] = apis;
  if (api === undefined) throw new Error('a service has a gateway');
  const serves = async (): Promise<void> => {
    await Promise.all(apis.map(waitUntilServes));
  };
  await serves();
  return { ...service, apis, api, serves };
}

function waitUntilServes(api: Api): Promise<unknown> {
  return waitUntil('the gateway serves', async () => {
    if ((await api.call('/readyz')).status !== 200) return false;
    const creates = Array.from({ length: PROBES }, () => api.create({ amount: '15000' }));
    return (await Promise.all(creates)).every(({ status }) => status === 201);
  });
}
