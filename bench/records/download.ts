// Does a download of a million payments need memory? (npm run bench:download, about a minute)
//   node dist/bench/records/download.js [payments]
// A session asks for its payments as CSV; resident memory of the gateway by tenth of the rows, at the speed of a
// client that takes all it gets. Flat means that the last half holds no more than a tenth above the first.
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { readRssMib } from '../figures/cpu.js';
import { describeRun, writeSection } from '../figures/readme.js';
import { formatCount } from '../figures/statistics.js';
import { openSellerSession } from '../load/owner-session.js';
import { createPayments } from '../load/seed-payments.js';
import { isStarted, onStage, type Stage } from '../stage/stage.js';

const STEPS = 10;
const FLAT = 1.1;
const WORTH_WRITING = 1_000_000;
const SEEDS = 1_000;
const LINE_END = 10;

/** A session of the merchant that the keys belong to, and `payments` payments of it. */
async function prepare(sql: Postgres, payments: number): Promise<string> {
  await sql.unsafe('set statement_timeout = 0');
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, version, snapshot)
    select new_id, merchant_id, environment, status, amount, currency, payment_method, reference_id,
           created_at - i * interval '1 second', version, replace(snapshot, id, new_id)
      from payments cross join generate_series(1, ${Math.ceil(payments / SEEDS)}::integer) as i
      cross join lateral (select 'pay_0' || left(md5(id || i), 25) as new_id) as n`;
  return openSellerSession(sql);
}

interface Download {
  readonly rows: number;
  readonly mib: number;
  readonly seconds: number;
  /** Of the gateway, the highest of each tenth. */
  readonly memoryMib: readonly number[];
}

async function download({ service }: Stage, token: string, expected: number): Promise<Download> {
  const pid = service.gateways[0]?.pid ?? 0;
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${service.port}/v1/merchants/me/payments`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
  });
  if (answer.body === null || answer.status !== 200) throw new Error(await answer.text());
  const memoryMib = Array.from({ length: STEPS }, () => 0);
  let rows = -1;
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === LINE_END) rows += 1;
    const step = Math.min(STEPS - 1, Math.floor((rows / expected) * STEPS));
    memoryMib[step] = Math.max(memoryMib[step] ?? 0, readRssMib(pid));
  }
  return { rows, mib: bytes / 2 ** 20, seconds: (performance.now() - began) / 1_000, memoryMib };
}

async function benchDownload(stage: Stage, payments: number): Promise<void> {
  await createPayments(stage.service, SEEDS);
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1);
  const token = await prepare(sql, payments);
  await sql.end();
  const done = await download(stage, token, payments);
  const half = STEPS / 2;
  const before = Math.max(...done.memoryMib.slice(0, half));
  const after = Math.max(...done.memoryMib.slice(half));
  const rate = formatCount(Math.round(done.rows / done.seconds));
  const text =
    `${formatCount(done.rows)} payments, ${done.mib.toFixed(0)} MiB in ${done.seconds.toFixed(0)} s ` +
    `(${rate}/s). Gateway: at most ${before.toFixed(0)} MiB in the first half and ${after.toFixed(0)} in ` +
    `the second: ${after <= before * FLAT ? 'flat, reached' : '**missed**'}.`;
  console.log(done.memoryMib.map((mib) => mib.toFixed(0)).join(' '));
  console.log(text);
  if (payments >= WORTH_WRITING) writeSection('download', `${describeRun(stage.machine)} ${text}`);
}

if (isStarted(import.meta.url)) {
  const [payments = '1000000'] = process.argv.slice(2);
  await onStage((stage) => benchDownload(stage, Number(payments)));
}
