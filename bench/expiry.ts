// What does an unpaid payment cost, from its create to the delivery of the webhook about its expiry? CPU by process. There is
// no control: the figure is compared with that of the commit before.
//   node dist/bench/expiry.js [payments]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase32 } from '#actors/core/ids.js';
import { makeWebhookSecret } from '#actors/core/webhooks/sign.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { readConfig } from '#ops/runtime/config.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { putEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import { type CpuSeconds, describeCpu, readCpu, subtractCpu } from './figures/cpu.js';
import { formatCount } from './figures/statistics.js';
import { createUnpaid, sleepUntil } from './load/unpaid.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';
import { startReceiver } from './webhooks/stage.js';

const PAYMENTS = 10_000;
const SETTLES_MS = 300_000;
const POLL_MS = 250;
const TARGET_US = 500;

const SECRETS_KEY = randomBytes(32).toString('base64');

async function addEndpoint(sql: Postgres, url: string): Promise<void> {
  const [merchant] = await sql<{ id: string }[]>`select id from merchants limit 1`;
  const id = `we_${encodeBase32(randomBytes(16))}`;
  const { secretsKeys } = readConfig('start', { SECRETS_KEY });
  const sealedSecret = sealSecret(secretsKeys, id, makeWebhookSecret(randomBytes(32)));
  const merchantId = merchant?.id ?? '';
  await putEndpoint(sql, {
    ...{ id, merchantId, url, sealedSecret },
    environment: 'TEST',
    events: ['*'],
  });
}

export async function countDelivered(sql: Postgres): Promise<number> {
  const [row] = await sql<{ delivered: number }[]>`
    select count(*)::integer as delivered from webhook_deliveries where status = 'delivered'`;
  return row?.delivered ?? 0;
}

async function waitUntilDelivered(sql: Postgres, count: number): Promise<void> {
  const endMs = Date.now() + SETTLES_MS;
  while (Date.now() < endMs) {
    if ((await countDelivered(sql)) >= count) return;
    await sleepUntil(Date.now() + POLL_MS);
  }
  throw new Error('the webhooks of the expired payments are not delivered');
}

/** Microseconds for each payment, without what sends and receives requests. */
export function sumUs(cpu: CpuSeconds, count: number): number {
  const own = Object.entries(cpu).filter(([name]) => !['generator', 'receiver'].includes(name));
  return Math.round((own.reduce((sum, [, seconds]) => sum + seconds, 0) * 1e6) / count);
}

export interface ExpiryCost {
  readonly created: CpuSeconds;
  readonly expired: CpuSeconds;
}

/** CPU of `count` creates, and of their expiries with the deliveries of the webhooks. */
export async function measureExpiries(
  stage: Stage,
  sql: Postgres,
  count: number,
): Promise<ExpiryCost> {
  const read = (): CpuSeconds => readCpu(watchedOf(stage));
  const delivered = await countDelivered(sql);
  const begin = read();
  const firstDueMs = await createUnpaid(stage.service, count);
  const created = subtractCpu(read(), begin);
  await sleepUntil(firstDueMs - 1_000);
  const before = read();
  await waitUntilDelivered(sql, delivered + count);
  return { created, expired: subtractCpu(read(), before) };
}

async function benchExpiry(stage: Stage, sql: Postgres, count: number): Promise<void> {
  const { created, expired } = await measureExpiries(stage, sql, count);
  const [createUs, expiryUs] = [sumUs(created, count), sumUs(expired, count)];
  console.log(
    `${formatCount(count)} payments, µs of CPU each\n` +
      `  create ${createUs}: ${describeCpu(created, count)}\n` +
      `  expiry and delivery ${expiryUs}: ${describeCpu(expired, count)}\n` +
      `  in all ${createUs + expiryUs}; to reach: ≤ ${TARGET_US}`,
  );
}

/** A stage with an HTTPS receiver, to which the webhooks of the bench's merchant go. */
export async function onExpiryStage(
  work: (stage: Stage, sql: Postgres) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kasir-bench-'));
  const caFile = join(folder, 'ca.pem');
  const certificates = await makeCertificates();
  writeFileSync(caFile, certificates.ca);
  const env = {
    SECRETS_KEY,
    // Receivers on this machine are no targets in production.
    NODE_ENV: 'development',
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8,::1/128',
  };
  try {
    await onStage(
      async (stage) => {
        const [port, reportPort] = [await findFreePort(), await findFreePort()];
        const ports = [{ port, manner: 'ok' as const }];
        const receiver = await startReceiver(stage.servers, { ...certificates, reportPort, ports });
        const sql = openPostgres(stage.service.databaseUrl, 'bench', 1, { deadlineMs: null });
        try {
          await addEndpoint(sql, `https://localhost:${port}/hook`);
          await stage.service.startWebhooks();
          await work(stage, sql);
        } finally {
          await sql.end();
          await receiver.stop();
        }
      },
      { gateways: 1, payments: 1, rails: 1, env },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onExpiryStage((stage, sql) => benchExpiry(stage, sql, Number(count)));
}
