// What operators meet, made for real: a service with two gateways, an administrator, and money that rails bring in
// ways in which no sandbox does.
import { randomBytes } from 'node:crypto';
import { orderIdOf, type PaymentId } from '../../../actors/core/ids.js';
import { toMinor } from '../../../actors/core/money.js';
import { partitionOf } from '../../../actors/core/partition.js';
import type { PaymentCommand } from '../../../actors/core/payment/commands.js';
import { encodeCommand } from '../../../actors/core/payment/wire/command.js';
import type { Settlement } from '../../../actors/core/rails/answers.js';
import { waitUntil } from '../../../ops/dev/wait.js';
import { openPostgres, type Postgres } from '../../../store/postgres/client.js';
import { verifyLedger } from '../../../store/postgres/ledger/verify-ledger.js';
import { isReady, openRedis } from '../../../store/redis/client.js';
import { beginSession, makePerson, type Person } from '../accounts.js';
import { openRawSender } from '../actors/raw.js';
import { type Api, openApi } from '../api.js';
import { startServingService, type ServingService } from '../serving.js';
import type { TestScope } from '../servers.js';

const PARTITIONS = 16;
/** Of the payments that are made here. */
export const AMOUNT = '15000';

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
  /** What is wrong with the books. */
  readonly findFaults: () => Promise<readonly unknown[]>;
}

export async function startOperators(t: TestScope): Promise<OperatorStage> {
  const service = await startServingService(t, { gateways: 2 });
  const sql = openPostgres(service.databaseUrl, 'test', 2);
  const redis = openRedis(service.redis.url, () => {});
  t.teardown(async () => {
    redis.disconnect();
    await sql.end({ timeout: 1 });
  });
  await waitUntil('the client is ready', 5_000, () => isReady(redis));
  const sender = await openRawSender(t, redis);
  const admin = await makePerson(sql, 'admin', null);
  const token = await beginSession(sql, admin);
  const offices = service.gateways.map(({ baseUrl }) => openApi(baseUrl, token));
  const [office] = offices;
  if (office === undefined) throw new Error('a service has a gateway');
  const tell = async (command: PaymentCommand): Promise<string> => {
    const partition = partitionOf(command.paymentId, PARTITIONS);
    const [outcome = ''] = await sender.send(partition, [encodeCommand(command)]);
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
    balanceOf: async (account) => {
      const rows = await sql<{ amount: string }[]>`
        select amount::text as amount from balances where account = ${account}`;
      return rows[0]?.amount ?? '0';
    },
    findFaults: async () => (await verifyLedger(sql)).faults,
  };
}

function settlementOf(paymentId: PaymentId, railTransactionId: string): Settlement {
  const orderId = orderIdOf(paymentId, 1);
  const money = { amountMinor: toMinor(BigInt(AMOUNT)), currency: 'IDR' };
  return { rail: 'sandbox', railTransactionId, orderId, ...money, settledAtMs: null };
}

export const uniqueTransaction = (): string => `tx-${randomBytes(8).toString('hex')}`;
