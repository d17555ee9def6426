// A real service with two gateways, an administrator, and settlements that the sandbox never makes.
import { randomBytes } from 'node:crypto';
import { deriveOrderId, type PaymentId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import { partitionFor } from '#actors/core/partition.js';
import { type PaymentCommand, SOURCES } from '#actors/core/payment/commands.js';
import { encodeCommand } from '#actors/core/payment/wire/command.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { beginSession, makePerson, type Person } from './accounts.js';
import { openRawSender } from './actors/commands.js';
import { type Api, openApi } from './api.js';
import { startServingService, type ServingService } from './serving.js';
import type { Variables } from './processes.js';
import type { TestScope } from './servers.js';

const PARTITIONS = 16;
/** Of the payments that are made here. */
export const AMOUNT = '15000';

export interface OpenTask {
  readonly id: string;
  readonly kind: string;
  readonly actions: readonly string[];
}

/** How far each account moved, in payments; what did not is left out. */
export type Moves = Readonly<Record<string, number>>;

export interface OperatorStage {
  readonly service: ServingService;
  readonly sql: Postgres;
  readonly admin: Person;
  /** The administrator at each gateway. */
  readonly offices: readonly Api[];
  readonly office: Api;
  /** Gives a payment a command past every gateway; answers its outcome. */
  readonly tell: (command: PaymentCommand) => Promise<string>;
  /** A TEST payment that was paid. */
  readonly makePaid: (amount?: string) => Promise<PaymentId>;
  /** Money of the sandbox for a payment, under any number. */
  readonly settle: (paymentId: PaymentId, railTransactionId: string) => Promise<string>;
  readonly reverse: (paymentId: PaymentId, railTransactionId: string) => Promise<string>;
  readonly balanceOf: (account: string) => Promise<string>;
  /** `accounts`: their keys by the names that the answer uses. */
  readonly movesOf: (
    accounts: Readonly<Record<string, string>>,
    work: () => Promise<unknown>,
  ) => Promise<Moves>;
  readonly openTasks: (paymentId: PaymentId) => Promise<readonly OpenTask[]>;
  readonly findTask: (paymentId: PaymentId, kind: string) => Promise<OpenTask>;
  /** Discrepancies of the ledger. */
  readonly findFaults: () => Promise<readonly unknown[]>;
}

export async function startOperators(
  t: TestScope,
  variables: Variables = {},
): Promise<OperatorStage> {
  const service = await startServingService(t, { gateways: 2, variables });
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  const redis = openRedis(service.redis.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntil('the client is ready', () => isReady(redis));
  const sender = await openRawSender(t, redis);
  const admin = await makePerson(sql, 'admin', null);
  const token = await beginSession(sql, admin);
  const offices = service.gateways.map(({ baseUrl }) => openApi(baseUrl, token));
  const [office] = offices;
  if (office === undefined) throw new Error('a service has a gateway');
  const tell = async (command: PaymentCommand): Promise<string> => {
    const partition = partitionFor(command.paymentId, PARTITIONS);
    const [outcome = ''] = await sender.send(
      partition,
      [encodeCommand(command)],
      SOURCES[command.type] ?? 'gateway',
    );
    return outcome;
  };
  return {
    ...{ service, sql, admin, offices, office, tell },
    makePaid: async (amount = AMOUNT) => {
      const { body } = await service.api.create({ amount });
      await service.api.simulate(body['id'], 'paid');
      return body['id'] as PaymentId;
    },
    settle: (paymentId, railTransactionId) =>
      tell({ type: 'settle', paymentId, settlement: settlementOf(paymentId, railTransactionId) }),
    reverse: (paymentId, railTransactionId) =>
      tell({ type: 'reverse', paymentId, rail: 'sandbox', railTransactionId }),
    ...openBooks(sql),
    ...openDesk(office),
    findFaults: async () => (await verifyLedger(sql)).faults,
  };
}

function openBooks(sql: Postgres): Pick<OperatorStage, 'balanceOf' | 'movesOf'> {
  const balanceOf = async (account: string): Promise<string> => {
    const rows = await sql<{ amount: string }[]>`
      select amount::text as amount from balances where account = ${account}`;
    return rows[0]?.amount ?? '0';
  };
  return {
    balanceOf,
    movesOf: async (accounts, work) => {
      const read = () => Promise.all(Object.values(accounts).map(balanceOf));
      const before = await read();
      await work();
      const after = await read();
      const moves = Object.keys(accounts).map((name, index) => {
        const moved = BigInt(after[index] ?? 0) - BigInt(before[index] ?? 0);
        return [name, Number(moved) / Number(AMOUNT)] as const;
      });
      return Object.fromEntries(moves.filter(([, moved]) => moved !== 0));
    },
  };
}

function openDesk(office: Api): Pick<OperatorStage, 'openTasks' | 'findTask'> {
  const openTasks = async (paymentId: PaymentId): Promise<readonly OpenTask[]> => {
    const { body } = await office.call('/v1/admin/tasks?status=open&environment=TEST&limit=100');
    const tasks = body['data'] as (OpenTask & { payment_id: string })[];
    return tasks.filter((task) => task.payment_id === paymentId);
  };
  return {
    openTasks,
    findTask: async (paymentId, kind) => {
      const task = (await openTasks(paymentId)).find((one) => one.kind === kind);
      if (task === undefined) throw new Error(`${paymentId} has no open task ${kind}`);
      return task;
    },
  };
}

function settlementOf(paymentId: PaymentId, railTransactionId: string): Settlement {
  const orderId = deriveOrderId(paymentId, 1);
  const money = { amountMinor: makeMinor(BigInt(AMOUNT)), currency: 'IDR' };
  return { rail: 'sandbox', railTransactionId, orderId, ...money, settledAtMs: null };
}

export const uniqueTransaction = (): string => `tx-${randomBytes(8).toString('hex')}`;
