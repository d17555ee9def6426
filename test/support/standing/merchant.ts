// A new merchant on a standing stack: all that a test file may touch of the stack.
import type { DemoSecrets } from '#ops/dev/launch/secrets.js';
import { type Api, openApi } from '../api.js';
import { createTestMerchant } from '../processes.js';
import type { StackAddresses } from './addresses.js';

export interface StandingStack {
  readonly gateways: readonly { readonly baseUrl: string }[];
  /** The address of the first gateway. */
  readonly baseUrl: string;
  /** BASE_URL of the gateways: the start of the addresses in answers, and the origin of their pages. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
}

export interface StandingService extends StandingStack {
  readonly merchant: DemoSecrets;
  /** One per gateway, with the merchant's test key. */
  readonly apis: readonly Api[];
  readonly api: Api;
}

export function describeStack({ baseUrls, publicUrl, databaseUrl }: StackAddresses): StandingStack {
  const gateways = baseUrls.map((baseUrl) => ({ baseUrl }));
  return { gateways, baseUrl: baseUrls[0] ?? '', publicUrl, databaseUrl };
}

export async function addMerchant(addresses: StackAddresses): Promise<StandingService> {
  const stack = describeStack(addresses);
  const merchant = await createTestMerchant(stack.databaseUrl);
  const apis = stack.gateways.map(({ baseUrl }) => openApi(baseUrl, merchant.testKey));
  return { ...stack, merchant, apis, api: openApi(stack.baseUrl, merchant.testKey) };
}
