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
import { ApiFailure, ConnectionFailure } from './failure.js';

export type MerchantSchema = MerchantComponents['schemas'];
export type AdministratorSchema = AdministratorComponents['schemas'];

/** The query parameters of a list, which its view reads from the address: the API checks them. */
export type MerchantQuery<Path extends keyof MerchantPaths> = MerchantPaths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/**
 * Reads the whole answer, too, so that every error of the connection is told apart from errors of the page.
 * @throws ConnectionFailure
 */
async function ask(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    const body = await answer.blob();
    // An answer without content may have no body, not even an empty one.
    return new Response(body.size === 0 ? null : body, answer);
  } catch (cause) {
    throw new ConnectionFailure('the service did not answer', { cause });
  }
}

const CLIENT = { baseUrl: location.origin, fetch: ask };

/** For the session and for merchants' users. */
export const api = createClient<MerchantPaths>(CLIENT);
/** For administrators. */
export const adminApi = createClient<AdministratorPaths>(CLIENT);

/** Saves a list as a file. */
export async function downloadCsv(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  fileName: string,
): Promise<void> {
  const headers = new Headers({ Accept: 'text/csv' });
  const address = new URL(`${path}?${writeQuery(query)}`, location.origin);
  const answer = await ask(new Request(address, { headers }));
  if (!answer.ok) throw new ApiFailure(answer.status, await answer.json().catch(() => null));
  const file = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = file;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(file);
}

function writeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return new URLSearchParams(set).toString();
}
