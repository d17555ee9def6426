// Does an attack slow down others? Creates and gets of one merchant, each at a fixed rate, beside an attack of another one
// and, as the control, beside harmless reads at the same rate. Each round has a phase of both, by turns in either order. The
// p99 of a phase rests on a few requests, so one bad moment of the machine decides it. Rounds are short and many: the result
// is the median of their ratios, and the quartiles show how far they agree.
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
/** An attack runs for so long before its phase is measured. */
const LEAD_MS = 500;
const WORTH_WRITING = { seconds: 3, rounds: 20 } as const;

const KINDS = ['create', 'get'] as const;
type Kind = (typeof KINDS)[number];

interface Sample {
  readonly latenciesMs: readonly number[];
  readonly errors: number;
}
type Phase = Readonly<Record<Kind, Sample>>;

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
  return KINDS.map((kind) => buildRow(attack, kind, done));
}

function buildRow(attack: Attack, kind: Kind, rounds: readonly Round[]): Row {
  const ratios = rounds.map(
    ({ harmless, attacked }) => p99Of(attacked[kind]) / p99Of(harmless[kind]),
  );
  const errors = rounds.reduce((sum, { attacked }) => sum + attacked[kind].errors, 0);
  const ratio = median(ratios);
  const quartiles = [0.25, 0.75].map((part) => percentile(ratios, part).toFixed(2));
  return {
    bench: `${kind} beside ${PLANS[attack].purpose} (${PLANS[attack].perSecond}/s)`,
    control: describeSamples(rounds.map(({ harmless }) => harmless[kind])),
    service: describeSamples(rounds.map(({ attacked }) => attacked[kind])),
    result: `p99 × ${ratio.toFixed(2)} (${quartiles.join(' to ')}), ${errors} errors`,
    target: `p99 ≤ × ${ALLOWED}, no error`,
    isMet: ratio <= ALLOWED && errors === 0,
  };
}

const p99Of = ({ latenciesMs }: Sample): number => percentile(latenciesMs, 0.99);

/** Medians of the rounds. */
function describeSamples(samples: readonly Sample[]): string {
  const p50 = median(samples.map(({ latenciesMs }) => median(latenciesMs)));
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
      await begin(kind);
      await sleep(LEAD_MS);
      const phase = await measure(stage, ids, seconds);
      const answered = await begin(null);
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

function parseAttacks(text: string | undefined): readonly Attack[] {
  if (text === undefined) return ATTACKS;
  return text.split(',').map((name) => {
    const attack = ATTACKS.find((each) => each === name);
    if (attack === undefined) throw new Error(`${name} must be one of ${ATTACKS.join(', ')}`);
    return attack;
  });
}

if (isStarted(import.meta.url)) {
  const [seconds = '3', rounds = '20', names] = process.argv.slice(2);
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
