// The clients of the API. Their types are generated from the OpenAPI documents at build.
import createClient from 'openapi-fetch';
import type {
  paths as AdministratorPaths,
  components as AdministratorComponents,
} from '@openapi/administrator.js';
import type {
  paths as MerchantPaths,
  components as MerchantComponents,
} from '@openapi/merchant.js';
import { ApiFailure } from './failure.js';

export type MerchantSchema = MerchantComponents['schemas'];
export type AdministratorSchema = AdministratorComponents['schemas'];

/** The query parameters of a list, which its view reads from the address: the API checks them. */
export type MerchantQuery<Path extends keyof MerchantPaths> = MerchantPaths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/** For the session and for merchants' users. */
export const api = createClient<MerchantPaths>({ baseUrl: location.origin });
/** For administrators. */
export const adminApi = createClient<AdministratorPaths>({ baseUrl: location.origin });

/** Saves a list as a file. */
export async function downloadCsv(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  fileName: string,
): Promise<void> {
  const headers = new Headers({ Accept: 'text/csv' });
  const answer = await fetch(`${path}?${writeQuery(query)}`, { headers });
  if (!answer.ok) throw new ApiFailure(answer.status, await answer.json().catch(() => null));
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}

function writeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return new URLSearchParams(set).toString();
}
