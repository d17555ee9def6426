// A whole service with its followers, its clock, and people who make payment links and invoices.
import { request } from 'undici';
import type { MerchantId } from '#actors/core/ids.js';
import type { Role } from '#gateway/routing/roles.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { approveMerchant, beginSession, makeMerchant, makePerson } from '../accounts.js';
import { type Api, openApi } from '../api.js';
import { type RunningProcess, type Service, startProcess, startService } from '../processes.js';
import type { TestScope } from '../servers.js';

export interface CollectingStage {
  readonly service: Service;
  readonly baseUrl: string;
  readonly sql: Postgres;
  readonly followers: readonly RunningProcess[];
}

export async function startCollecting(
  t: TestScope,
  { gateways = 1, followers = 1 } = {},
): Promise<CollectingStage> {
  const service = await startService(t, { gateways });
  const names = ['rails' as const, ...Array.from({ length: followers }, () => 'webhooks' as const)];
  const [, ...started] = await Promise.all(
    names.map((name) => startProcess(t, name, service.variables)),
  );
  const sql = openPostgres(service.databaseUrl, 'test', 4);
  t.teardown(() => sql.end({ timeout: 1 }));
  return { service, baseUrl: service.baseUrl, sql, followers: started };
}

export interface Seller {
  readonly merchantId: MerchantId;
  readonly email: string;
  readonly api: Api;
}

export async function openSeller(
  { baseUrl, sql }: Pick<CollectingStage, 'baseUrl' | 'sql'>,
  role: Role = 'owner',
  of?: MerchantId,
): Promise<Seller> {
  const merchantId = of ?? (await makeMerchant(sql, 'Toko <Uji> & "Kawan"'));
  const person = await makePerson(sql, role, merchantId);
  const api = openApi(baseUrl, await beginSession(sql, person));
  return { merchantId, email: person.email, api };
}

/** TEST mails go to users of the merchant only, so that a customer who gets one is a user. */
export async function addCustomer(
  { sql }: Pick<CollectingStage, 'sql'>,
  { merchantId }: Pick<Seller, 'merchantId'>,
): Promise<string> {
  return (await makePerson(sql, 'viewer', merchantId)).email;
}

/** Mails LIVE invoices to anybody. */
export async function openLiveSeller(
  stage: Pick<CollectingStage, 'baseUrl' | 'sql'>,
): Promise<Seller> {
  const seller = await openSeller(stage);
  await approveMerchant(stage.sql, seller.merchantId);
  return seller;
}

export interface PageAnswer {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

const HTML = { accept: 'text/html', 'accept-language': 'en' };

/** As a browser asks; nothing is followed. */
export async function getPage(url: string): Promise<PageAnswer> {
  const answer = await request(url, { headers: HTML });
  return read(answer);
}

export async function postForm(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<PageAnswer> {
  const answer = await request(url, {
    method: 'POST',
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return read(answer);
}

async function read(answer: Awaited<ReturnType<typeof request>>): Promise<PageAnswer> {
  const { location } = answer.headers;
  const text = await answer.body.text();
  return { status: answer.statusCode, location: String(location ?? ''), text };
}
