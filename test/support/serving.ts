// A service that serves: all processes ready, every partition owned, every gateway has created something.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from './api.js';
import { type Service, type ServiceOptions, startService } from './processes.js';
import type { TestScope } from './servers.js';

const SERVES_MS = 20_000;
/** The same for all processes: it stands in what they answer. */
export const BASE_URL = 'http://kasir.test';
/** More creates than partitions, so that each of these has had one most likely. */
const PROBES = 48;

export interface ServingService extends Service {
  /** One for each gateway, with the merchant's test key. */
  readonly apis: readonly Api[];
  readonly api: Api;
  /** Waits until it serves (again). */
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
  return waitUntil('the gateway serves', SERVES_MS, async () => {
    if ((await api.call('/readyz')).status !== 200) return false;
    const creates = Array.from({ length: PROBES }, () => api.create({ amount: '15000' }));
    return (await Promise.all(creates)).every(({ status }) => status === 201);
  });
}
