// Does an attack slow down others? Creates and gets of one merchant, each at a fixed rate, beside an attack of another one
// and, as the control, beside harmless reads at the same rate. Each round has a phase of both, by turns in either order.
// Rounds are short and many: the result is the median of their ratios, and the quartiles show how far they agree. The medians
// of the phases must agree. Their p99 rest on a few requests each, so that one bad moment of the machine decides them: they
// are shown only. So is the CPU that the attack adds to the gateways' event loops, for each of its answers.
//   node dist/bench/attacks.js [seconds a phase] [rounds] [attacks, such as uploads,csv]
//   node dist/bench/attacks.js routes [requests a route]: the table of public routes and their cost
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openPostgres } from '#store/postgres/client.js';
import { type Answered, type Attack, ATTACKS, type Orders, PLANS } from './attacks/kinds.js';
import { makeAttacker } from './attacks/make-attacker.js';
import { measureRouteCosts } from './attacks/route-costs.js';
import { readThreadCpu } from './figures/cpu.js';
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
/** An attack runs for so long before its phase is measured. */
const LEAD_MS = 500;
const WORTH_WRITING = { seconds: 3, rounds: 20 } as const;
const REQUESTS_A_ROUTE = 400;

const KINDS = ['create', 'get'] as const;
type Kind = (typeof KINDS)[number];

interface Sample {
  readonly latenciesMs: readonly number[];
  readonly errors: number;
}
type Healthy = Readonly<Record<Kind, Sample>>;

interface Phase extends Healthy {
  /** Of the event loops of all gateways, with the lead. */
  readonly loopSeconds: number;
  readonly answered: Answered;
}

/** The healthy traffic: creates and gets by turns, at their scheduled times. */
async function measure(
  { service }: Stage,
  ids: readonly string[],
  seconds: number,
): Promise<Healthy> {
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
  return {
    create: { latenciesMs: taken.create, errors: errors.create },
    get: { latenciesMs: taken.get, errors: errors.get },
  };
}

/** Begins the next attack, or none, and returns the answers to the one before. */
type BeginAttack = (attack: Attack | null) => Promise<Answered>;

/** Starts the thread of the attacker, which attacks when it is told to. */
async function startAttacker(
  orders: Orders,
): Promise<{ begin: BeginAttack; end: () => Promise<unknown> }> {
  const thread = new Worker(new URL('./attacks/attacker.js', import.meta.url), {
    workerData: orders,
  });
  await sleep(START_MS);
  const begin: BeginAttack = async (attack) => {
    const answered = once(thread, 'message');
    thread.postMessage(attack);
    const [answers] = (await answered) as [Answered];
    return answers;
  };
  return { begin, end: () => thread.terminate() };
}

interface Round {
  readonly harmless: Phase;
  readonly attacked: Phase;
}

type RunPhase = (attack: Attack) => Promise<Phase>;

async function runRound(
  attack: Attack,
  isAttackedFirst: boolean,
  runPhase: RunPhase,
): Promise<Round> {
  const early = isAttackedFirst ? await runPhase(attack) : undefined;
  const harmless = await runPhase('nothing');
  return { harmless, attacked: early ?? (await runPhase(attack)) };
}

async function compareRounds(
  attack: Attack,
  rounds: number,
  runPhase: RunPhase,
): Promise<readonly Row[]> {
  const done: Round[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const round = await runRound(attack, index % 2 === 1, runPhase);
    done.push(round);
    const p99 = KINDS.map((kind) => {
      const { harmless, attacked } = round;
      return `${kind} p99 ${formatMs(p99Of(harmless[kind]))} → ${formatMs(p99Of(attacked[kind]))}`;
    });
    console.log(`  ${attack}, round ${index + 1}: ${p99.join(', ')}`);
  }
  console.log(`  ${attack}: ${describeCost(done)}`);
  return KINDS.map((kind) => buildRow(attack, kind, done));
}

function buildRow(attack: Attack, kind: Kind, rounds: readonly Round[]): Row {
  const compare = (figureOf: (sample: Sample) => number): readonly number[] =>
    rounds.map(({ harmless, attacked }) => figureOf(attacked[kind]) / figureOf(harmless[kind]));
  const errors = rounds.reduce((sum, { attacked }) => sum + attacked[kind].errors, 0);
  const ratio = median(compare(p50Of));
  const cost = kind === 'create' ? `; ${describeCost(rounds)}` : '';
  return {
    bench: `${kind} beside ${PLANS[attack].purpose} (${PLANS[attack].perSecond}/s)`,
    control: describeSamples(rounds.map(({ harmless }) => harmless[kind])),
    service: describeSamples(rounds.map(({ attacked }) => attacked[kind])),
    result:
      `p50 ${describeRatios(compare(p50Of))}, p99 ${describeRatios(compare(p99Of))}, ` +
      `${errors} errors${cost}`,
    target: `p50 ≤ × ${ALLOWED}, no error`,
    isMet: ratio <= ALLOWED && errors === 0,
  };
}

/** The median and the quartiles. */
function describeRatios(ratios: readonly number[]): string {
  const quartiles = [0.25, 0.75].map((part) => percentile(ratios, part).toFixed(2));
  return `× ${median(ratios).toFixed(2)} (${quartiles.join(' to ')})`;
}

/** The CPU that the attack adds to the event loops of the gateways for each of its answers, and the answers by status. */
function describeCost(rounds: readonly Round[]): string {
  const counts: Record<string, number> = {};
  for (const { attacked } of rounds) {
    for (const [status, count] of Object.entries(attacked.answered)) {
      counts[status] = (counts[status] ?? 0) + count;
    }
  }
  const answers = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const added = rounds.reduce(
    (sum, { harmless, attacked }) => sum + attacked.loopSeconds - harmless.loopSeconds,
    0,
  );
  const statuses = Object.entries(counts).map(([status, count]) => `${status} × ${count}`);
  return `${Math.round((added * 1e6) / Math.max(1, answers))} µs an answer (${statuses.join(', ')})`;
}

const p50Of = ({ latenciesMs }: Sample): number => median(latenciesMs);
const p99Of = ({ latenciesMs }: Sample): number => percentile(latenciesMs, 0.99);

/** Medians of the rounds. */
function describeSamples(samples: readonly Sample[]): string {
  const p50 = median(samples.map(p50Of));
  return `p50 ${formatMs(p50)}, p99 ${formatMs(median(samples.map(p99Of)))}`;
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
    const { begin, end } = await startAttacker({ perSecond, port, ...attacker });
    const runPhase = async (kind: Attack): Promise<Phase> => {
      const before = readLoops(stage);
      await begin(kind);
      await sleep(LEAD_MS);
      const healthy = await measure(stage, ids, seconds);
      const answered = await begin(null);
      const phase = { ...healthy, answered, loopSeconds: readLoops(stage) - before };
      console.log(`    ${kind}: answers ${JSON.stringify(answered)}`);
      await sleep(PLANS[kind].settlesMs);
      return phase;
    };
    rows.push(...(await compareRounds(attack, rounds, runPhase)));
    await end();
  }
  const text = formatRows(rows);
  console.log(text);
  const isLong = seconds >= WORTH_WRITING.seconds && rounds >= WORTH_WRITING.rounds;
  if (isLong && attacks.length === ATTACKS.length) {
    writeSection('attacks', `${describeRun(stage.machine)}\n\n${text}`);
  }
}

const readLoops = ({ service }: Stage): number =>
  service.gateways.reduce((sum, { pid }) => sum + readThreadCpu(pid), 0);

const NO_LIMITS = {
  ...{ RATE_LIMIT_SESSION: '0', RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_CHECKOUT: '0' },
  ...{ RATE_LIMIT_LOGIN: '0', RATE_LIMIT_PUBLIC: '0' },
};

async function benchRoutes(requests: number): Promise<void> {
  const idKey = randomBytes(32);
  const env = {
    ...NO_LIMITS,
    ID_KEY: idKey.toString('base64'),
    SECURITY_CONTACT: 'mailto:security@example.com',
  };
  const options = { gateways: 1, payments: 1, rails: 1, env };
  await onStage(async (stage) => {
    const text = await measureRouteCosts(stage, requests, idKey);
    console.log(text);
    if (requests < REQUESTS_A_ROUTE) return;
    writeSection('public-routes', `${describeRun(stage.machine)}\n\n${text}`);
  }, options);
}

function parseAttacks(text: string | undefined): readonly Attack[] {
  if (text === undefined) return ATTACKS;
  return text.split(',').map((name) => {
    const attack = ATTACKS.find((each) => each === name);
    if (attack === undefined) throw new Error(`${name} must be one of ${ATTACKS.join(', ')}`);
    return attack;
  });
}

async function benchAll(seconds: number, rounds: string, names: string | undefined): Promise<void> {
  const plan = { rounds: Number(rounds), attacks: parseAttacks(names) };
  // The name server of merchants' names: it never answers.
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const env = {
    TRUSTED_PROXIES: '127.0.0.0/8',
    WEBHOOK_DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
  };
  await onStage((stage) => benchAttacks(stage, seconds, plan), { gateways: 2, payments: 1, env });
  silent.close();
}

if (isStarted(import.meta.url)) {
  const [first = '3', second, names] = process.argv.slice(2);
  if (first === 'routes') await benchRoutes(Number(second ?? REQUESTS_A_ROUTE));
  else await benchAll(Number(first), second ?? '20', names);
}
