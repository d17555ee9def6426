// Does an attack slow down others? Creates and gets of one merchant, each at a fixed rate, beside an attack of another one
// and, as the control, beside harmless reads at the same rate. Each round has a phase of both, and each figure is the
// median of the rounds: the p99 of a phase drifts with the machine, the ratio within a round drifts less.
//   node dist/bench/attacks.js [seconds a phase] [rounds] [attacks, such as uploads,csv]
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openPostgres } from '#store/postgres/client.js';
import { type Answered, type Attack, ATTACKS, type Orders, PLANS } from './attacks/kinds.js';
import { makeAttacker } from './attacks/make-attacker.js';
import { describeRun, writeSection } from './figures/readme.js';
import { formatRows, type Row } from './figures/row.js';
import { formatMs, median, percentile } from './figures/statistics.js';
import { createRequest, getRequest, newRun } from './load/requests.js';
import { createPayments } from './load/seed-payments.js';
import { sendOnSchedule } from './load/sender.js';
import { isStarted, onStage, type Stage } from './stage/stage.js';

/** Creates and gets together. */
const PER_SECOND = 300;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const ALLOWED = 1.25;
const PAYMENTS = 1_000;
/** A thread that starts takes a core for half a second, whatever it sends. */
const START_MS = 2_000;
const WORTH_WRITING = { seconds: 5, rounds: 5 } as const;

const KINDS = ['create', 'get'] as const;
type Kind = (typeof KINDS)[number];

interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}
type Phase = Readonly<Record<Kind, Latencies>>;

/** The healthy traffic: creates and gets by turns, at their scheduled times. */
async function measure(
  { service }: Stage,
  ids: readonly string[],
  seconds: number,
): Promise<Phase> {
  const run = newRun();
  const taken: Record<Kind, number[]> = { create: [], get: [] };
  const errors: Record<Kind, number> = { create: 0, get: 0 };
  const kindOf = (index: number): Kind => (index % 2 === 0 ? 'create' : 'get');
  await sendOnSchedule({
    port: service.port,
    ratePerSecond: PER_SECOND,
    seconds,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) =>
      kindOf(index) === 'create'
        ? createRequest(service.key, run, index)
        : getRequest(service.key, ids[index % ids.length] ?? ''),
    onResult: ({ index, status, scheduledAtMs, endedAtMs }) => {
      const kind = kindOf(index);
      taken[kind].push(endedAtMs - scheduledAtMs);
      if (status !== (kind === 'create' ? 201 : 200)) errors[kind] += 1;
    },
  });
  const summarise = (kind: Kind): Latencies => ({
    p50Ms: percentile(taken[kind], 0.5),
    p99Ms: percentile(taken[kind], 0.99),
    errors: errors[kind],
  });
  return { create: summarise('create'), get: summarise('get') };
}

/** Runs `work` beside the thread of an attacker, once its start is over, and returns its answers too. */
async function runBeside<Value>(
  orders: Orders,
  work: () => Promise<Value>,
): Promise<{ value: Value; answered: Answered }> {
  const thread = new Worker(new URL('./attacks/attacker.js', import.meta.url), {
    workerData: orders,
  });
  try {
    await sleep(START_MS);
    const value = await work();
    const answered = new Promise<Answered>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    thread.postMessage('stop');
    return { value, answered: await answered };
  } finally {
    await thread.terminate();
  }
}

interface Round {
  readonly harmless: Phase;
  readonly attacked: Phase;
}

async function compareRounds(
  attack: Attack,
  rounds: number,
  runPhase: (attack: Attack | null) => Promise<{ value: Phase; answered: Answered }>,
): Promise<readonly Row[]> {
  const done: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const harmless = await runPhase(null);
    const attacked = await runPhase(attack);
    await sleep(PLANS[attack].settlesMs);
    done.push({ harmless: harmless.value, attacked: attacked.value });
    const p99 = KINDS.map(
      (kind) =>
        `${kind} p99 ${formatMs(harmless.value[kind].p99Ms)} → ${formatMs(attacked.value[kind].p99Ms)}`,
    );
    const answers = JSON.stringify(attacked.answered);
    console.log(`  ${attack}, round ${round + 1}: ${p99.join(', ')}, answers ${answers}`);
  }
  return KINDS.map((kind) => buildRow(attack, kind, done));
}

function buildRow(attack: Attack, kind: Kind, rounds: readonly Round[]): Row {
  const medianOf = (part: keyof Round, name: 'p50Ms' | 'p99Ms'): number =>
    median(rounds.map((round) => round[part][kind][name]));
  const describe = (part: keyof Round): string =>
    `p50 ${formatMs(medianOf(part, 'p50Ms'))}, p99 ${formatMs(medianOf(part, 'p99Ms'))}`;
  const errors = rounds.reduce((sum, { attacked }) => sum + attacked[kind].errors, 0);
  const ratio = median(rounds.map((one) => one.attacked[kind].p99Ms / one.harmless[kind].p99Ms));
  return {
    bench: `${kind} beside ${PLANS[attack].purpose} (${PLANS[attack].perSecond}/s)`,
    control: describe('harmless'),
    service: describe('attacked'),
    result: `p99 × ${ratio.toFixed(2)}, ${errors} errors`,
    target: `p99 ≤ × ${ALLOWED}, no error`,
    isMet: ratio <= ALLOWED && errors === 0,
  };
}

async function benchAttacks(
  stage: Stage,
  seconds: number,
  { rounds, attacks }: { readonly rounds: number; readonly attacks: readonly Attack[] },
): Promise<void> {
  const ids = await createPayments(stage.service, PAYMENTS);
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1, { deadlineMs: null });
  const attacker = await makeAttacker(sql);
  await sql.end();
  await measure(stage, ids, seconds);
  const rows: Row[] = [];
  for (const attack of attacks) {
    const { perSecond } = PLANS[attack];
    const { port } = stage.service;
    const runPhase = (kind: Attack | null): ReturnType<typeof runBeside<Phase>> =>
      runBeside({ attack: kind, perSecond, port, ...attacker }, () => measure(stage, ids, seconds));
    rows.push(...(await compareRounds(attack, rounds, runPhase)));
  }
  const text = formatRows(rows);
  console.log(text);
  const isLong = seconds >= WORTH_WRITING.seconds && rounds >= WORTH_WRITING.rounds;
  if (isLong && attacks.length === ATTACKS.length) {
    writeSection('attacks', `${describeRun(stage.machine)}\n\n${text}`);
  }
}

function parseAttacks(text: string | undefined): readonly Attack[] {
  if (text === undefined) return ATTACKS;
  return text.split(',').map((name) => {
    const attack = ATTACKS.find((each) => each === name);
    if (attack === undefined) throw new Error(`${name} must be one of ${ATTACKS.join(', ')}`);
    return attack;
  });
}

if (isStarted(import.meta.url)) {
  const [seconds = '5', rounds = '5', names] = process.argv.slice(2);
  const plan = { rounds: Number(rounds), attacks: parseAttacks(names) };
  // The name server of merchants' names: it never answers.
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const env = {
    TRUSTED_PROXIES: '127.0.0.0/8',
    WEBHOOK_DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
  };
  await onStage((stage) => benchAttacks(stage, Number(seconds), plan), {
    gateways: 2,
    payments: 1,
    env,
  });
  silent.close();
}
