// Two administrators who decide about approvals over HTTP.
import type { MerchantId, UserId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { beginSession, makePerson, startGateways } from './accounts.js';
import { type Api, type ApiAnswer, openApi } from './api.js';
import { createTestMerchant, uniqueWord } from './processes.js';
import { openKey } from './rails/payouts.js';
import type { TestScope } from './servers.js';

export interface Administrator {
  readonly userId: UserId;
  readonly api: Api;
}

/** Three administrators, who take turns at the gateways. */
export async function makeAdministrators(
  sql: Postgres,
  baseUrls: readonly string[],
): Promise<readonly [Administrator, Administrator, Administrator]> {
  const make = async (index: number): Promise<Administrator> => {
    const person = await makePerson(sql, 'admin', null);
    const token = await beginSession(sql, person);
    const baseUrl = baseUrls[index % baseUrls.length] ?? '';
    return { userId: person.userId, api: openApi(baseUrl, token) };
  };
  return [await make(0), await make(1), await make(2)];
}

export const proposeCorrection = ({ api }: Administrator, body: object): Promise<ApiAnswer> =>
  api.call('/v1/admin/corrections', { method: 'POST', body });

export const approve = ({ api }: Administrator, id: unknown): Promise<ApiAnswer> =>
  api.call(`/v1/admin/approvals/${String(id)}/approve`, { method: 'POST' });

export const reject = ({ api }: Administrator, id: unknown, reason = 'test'): Promise<ApiAnswer> =>
  api.call(`/v1/admin/approvals/${String(id)}/reject`, { method: 'POST', body: { reason } });

export const showApproval = ({ api }: Administrator, id: unknown): Promise<ApiAnswer> =>
  api.call(`/v1/admin/approvals/${String(id)}`);

/** The entries of the audit log about an approval, oldest first. */
export async function readAudit(sql: Postgres, id: unknown) {
  const rows = await sql<{ actor: string; action: string; after: string }[]>`
    select actor, action, after from audit_log
     where target = ${String(id)} and action like 'approvals.%' order by audit_log.id`;
  return rows.map(({ after, ...row }) => ({ ...row, after: JSON.parse(after) as object }));
}

/** Discrepancies of the ledger. */
export async function findFaults(sql: Postgres): Promise<readonly unknown[]> {
  return (await verifyLedger(sql)).faults;
}

export interface BalanceCorrection {
  readonly kind: string;
  readonly merchant_id: string;
  readonly amount: string;
}

export const buildCorrection = (correction: BalanceCorrection, reference = uniqueWord()) => ({
  ...correction,
  ...{ reference, reason: 'uji' },
});

/** Two gateways and three administrators; no payments process. */
export async function startCorrections(t: TestScope) {
  const { sql, databaseUrl, gateways, baseUrl } = await startGateways(t, 2);
  const baseUrls = gateways.map((gateway) => gateway.baseUrl);
  const [first, second, third] = await makeAdministrators(sql, baseUrls);
  return {
    ...{ sql, databaseUrl, baseUrl, first, second, third },
    makeLive: async (): Promise<MerchantId> =>
      (await createTestMerchant(databaseUrl, { isLiveEnabled: true })).merchantId,
    /** Proposed by one and approved by another. */
    correct: async (correction: BalanceCorrection): Promise<ApiAnswer> => {
      const { body, text } = await proposeCorrection(first, buildCorrection(correction));
      if (body['status'] !== 'proposed') throw new Error(text);
      return approve(second, body['id']);
    },
    readBalances: async (merchantId: string) => {
      const key = await openKey(baseUrl, sql, merchantId, 'LIVE', ['read']);
      const { body } = await key.call('/v1/balance');
      const [row] = body['data'] as Record<string, string>[];
      return { available: row?.['available'], reserved: row?.['reserved'] };
    },
  };
}
