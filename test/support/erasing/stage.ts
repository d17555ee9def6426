// A whole service with a webhook receiver, the process that erases, and clients that may request erasures.
import type { Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import { API_LOGS_KEY } from '#store/redis/keys.js';
import { beginSession, makePerson } from '../accounts.js';
import { type Api, type ApiAnswer, openApi } from '../api.js';
import { runKasir } from '../kasir.js';
import {
  prepareProcess,
  type Service,
  startProcess,
  startService,
  uniqueWord,
} from '../processes.js';
import { receiverVariables, startReceiver } from '../webhooks/receiver.js';
import { searchRedis, searchTables } from './search.js';

/** Committed commands, which hold customer data, stay in Redis for so long. */
const RETAINED_MS = 500;
export const ERASURES = '/v1/merchants/me/erasures';

interface Clients {
  readonly service: Service;
  readonly sql: Postgres;
  readonly redis: RedisClient;
  /** Sends a TEST key. */
  readonly key: Api;
  readonly owner: Api;
}

export async function startErasing(t: Test) {
  const receiver = await startReceiver(t);
  const service = await startService(t, {
    variables: { ...(await receiverVariables(t)), COMMAND_RETENTION_MS: String(RETAINED_MS) },
  });
  const { variables, baseUrl } = service;
  const settings = { ...variables, RETENTION_CUSTOMER_DAYS: '30' };
  const eraser = await prepareProcess(t, 'webhooks', settings);
  await Promise.all([startProcess(t, 'rails', variables), eraser.start()]);
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  const redis = openRedis(service.redis.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  const { testKey, merchantId } = service.merchant;
  const person = await makePerson(sql, 'owner', merchantId);
  const admin = await makePerson(sql, 'admin', null);
  const key = openApi(baseUrl, testKey);
  const owner = openApi(baseUrl, await beginSession(sql, person));
  const office = openApi(baseUrl, await beginSession(sql, admin));
  const clients = { service, sql, redis, key, owner };
  return {
    ...clients,
    receiver,
    eraser,
    office,
    ...buildActions(clients),
    ...buildChecks(clients),
  };
}

export async function post(api: Api, path: string, body: object = {}): Promise<ApiAnswer> {
  const answer = await api.call(path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer;
}

const buildActions = ({ service, key, owner }: Clients) => ({
  makePaidPayment: async (body: object, idempotencyKey = uniqueWord()): Promise<string> => {
    const made = await key.create(body, idempotencyKey);
    if (made.status !== 201) throw new Error(made.text);
    await key.simulate(made.body['id'], 'paid');
    return String(made.body['id']);
  },
  /** Requests an erasure, waits until it is completed and returns how many objects were erased. */
  erase: async (body: object): Promise<unknown> => {
    const requested = await post(owner, ERASURES, { environment: 'TEST', ...body });
    return waitForErasure(owner, String(requested.body['id']));
  },
  /** Requests the erasure with the operators' command. */
  eraseByCommand: async (...options: readonly string[]): Promise<unknown> => {
    const args = ['admin', 'erase', service.merchant.merchantId, 'TEST', ...options];
    const { stdout, stderr } = await runKasir({ DATABASE_URL: service.databaseUrl }, ...args);
    const id = /era_[0-9a-z]{26}/.exec(stdout)?.[0];
    if (id === undefined) throw new Error(stdout + stderr);
    return waitForErasure(owner, id);
  },
});

async function waitForErasure(owner: Api, id: string): Promise<unknown> {
  const done = await waitUntil(`${id} is completed`, async () => {
    const { body: shown } = await owner.call(`${ERASURES}/${id}`);
    return shown['status'] === 'completed' ? shown : null;
  });
  return done['erased'];
}

const buildChecks = ({ sql, redis, key }: Clients) => ({
  /** Waits until all logs, up to a last request made here, are in Postgres and their stream is empty. */
  waitForLogs: async (): Promise<void> => {
    const { headers } = await key.call('/v1/balance');
    await waitUntil('logs are written', async () => {
      const rows = await sql`
        select 1 from api_logs where request_id = ${String(headers['service-request-id'])}`;
      return rows.length === 1 && (await redis.xlen(API_LOGS_KEY)) === 0;
    });
  },
  /** Lists the tables and Redis keys that hold the text. */
  findText: async (text: string): Promise<string[]> => [
    ...(await searchTables(sql, [text])),
    ...(await searchRedis(redis, [text])),
  ],
  readMoney: async (): Promise<string> => {
    const tables = ['postings', 'balances', 'rail_transactions'];
    const rows = await Promise.all(
      tables.map((table) => sql`select row_::text from ${sql(table)} row_ order by 1`),
    );
    return JSON.stringify(rows);
  },
  assertLedgerSound: async (t: Test): Promise<void> => {
    t.same((await verifyLedger(sql)).faults, [], 'the ledger is sound');
  },
});
