// Does it cost memory or sockets to have delivered to many places? 20,000 origins, one request to each over HTTPS, as
// the webhooks process makes them, from this process: its sockets and its memory after each tenth. The second 10,000
// take no more than the first; V8's heap stays at 27 MB all the while, what moves is the native side of TLS.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { makeCertificates } from '#ops/dev/webhook-receiver/certificates.js';
import { parseRanges } from '#ops/net/address.js';
import { createPoster, type Poster } from '#ops/net/post.js';
import type { Resolve } from '#ops/net/target.js';
import { readRssMib } from '../figures/cpu.js';
import { formatCount } from '../figures/statistics.js';
import type { Row } from '../figures/row.js';
import { startNode } from '../stage/node-process.js';
import { startServers } from '../stage/servers.js';

const ORIGINS = 20_000;
const STEPS = 10;
const AT_ONCE = 20;
const DEADLINE_MS = 5_000;
/** Origins whose connections are kept (ops/net/post.ts), and what is under way. */
const MAX_SOCKETS = 256 + 2 * AT_ONCE;
const FLAT = 1.1;
const SETTLES_MS = 500;
const BODY = Buffer.from('{}');

interface Step {
  readonly sockets: number;
  readonly mib: number;
}

const TO_LOOPBACK: Resolve = (_hostname, _options, answer) => {
  answer(null, [{ address: '127.0.0.1', family: 4 }]);
};

export async function benchOrigins(): Promise<Row[]> {
  const servers = await startServers();
  const { ca: extraCa, ...own } = await makeCertificates(['*.many.test']);
  const [port, reportPort] = [await findFreePort(), await findFreePort()];
  const file = join(servers.folder, 'receiver.json');
  const settings = { ...own, reportPort, ports: [{ port, manner: 'ok' }] };
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  const receiver = await startNode({
    name: 'receiver',
    file: 'dist/bench/webhooks/receiver.js',
    args: [file],
    output: join(servers.folder, 'receiver.log'),
  });
  const allowed = parseRanges(['127.0.0.0/8']);
  const poster = createPoster({ allowed, extraCa, resolve: TO_LOOPBACK, deadlineMs: DEADLINE_MS });
  try {
    return [rowOf(await deliver(poster, port))];
  } finally {
    await poster.close();
    await receiver.stop();
    await servers.stop();
  }
}

async function deliver(poster: Poster, port: number): Promise<Step[]> {
  const before = countSockets();
  const steps: Step[] = [];
  let most = 0;
  for (let from = 0; from < ORIGINS; from += AT_ONCE) {
    const urls = Array.from({ length: AT_ONCE }, (_, index) => {
      return `https://o${from + index}.many.test:${port}/`;
    });
    const results = await Promise.all(urls.map((url) => poster.post(url, {}, BODY)));
    const lost = results.find((result) => result.kind !== 'answer');
    if (lost !== undefined) throw new Error(`a delivery was lost: ${JSON.stringify(lost)}`);
    most = Math.max(most, countSockets() - before);
    if ((from + AT_ONCE) % (ORIGINS / STEPS) !== 0) continue;
    await sleep(SETTLES_MS);
    steps.push({ sockets: most, mib: readRssMib(process.pid) });
    console.log(
      `  ${from + AT_ONCE} origins  ${most} sockets  ${steps.at(-1)?.mib.toFixed(0)} MiB`,
    );
    most = 0;
  }
  return steps;
}

const countSockets = (): number => readdirSync('/proc/self/fd').length;

function rowOf(steps: readonly Step[]): Row {
  const highest = (part: keyof Step, from: number, to: number): number =>
    Math.max(...steps.slice(from, to).map((step) => step[part]));
  const sockets = highest('sockets', 0, STEPS);
  const [first, second] = [highest('mib', 0, STEPS / 2), highest('mib', STEPS / 2, STEPS)];
  return {
    bench: `${formatCount(ORIGINS)} origins, a delivery to each`,
    control: `at most ${first.toFixed(0)} MiB in the first half`,
    service: `${second.toFixed(0)} MiB in the second, ${sockets} sockets`,
    result: `${(second / first).toFixed(2)} ×`,
    target: `≤ ${MAX_SOCKETS} sockets, memory × ≤ ${FLAT}`,
    isMet: sockets <= MAX_SOCKETS && second <= first * FLAT,
  };
}
