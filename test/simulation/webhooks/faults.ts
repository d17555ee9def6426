// The faults of a run of webhooks. Each begins, lasts and ends; what it has broken is then left to the service.
import { deriveDeliveryId } from '../postgres/outbox.js';
import type { WebhooksProcess } from './process.js';
import {
  ENDPOINTS,
  RECEIVER_FAULTS,
  type ReceiverFault,
  type WebhookFault,
  type WebhookFaultKind,
} from './scenario.js';
import type { WebhooksSimulation } from './simulation.js';
import { loseStatementAnswers, SERVER_FAULTS, setWrongClock } from '../server-faults.js';

const LOSS_MS = 400;
/** Of a fault's time: then Redis is back. */
const AWAY_SHARE = 0.3;
/** One of so many deliveries is locked. */
const LOCKED_OF = 3;

/** Begins the fault and returns what ends it. */
type Begin = (simulation: WebhooksSimulation, fault: WebhookFault) => () => void;

const nothing = (): void => {};

const beginMood =
  (mood: ReceiverFault): Begin =>
  ({ receivers }, { target }) => {
    const { id } = pickEndpoint(target);
    receivers.setMood(id, mood);
    return () => {
      receivers.setMood(id, null);
    };
  };

const MOODS = Object.fromEntries(RECEIVER_FAULTS.map((mood) => [mood, beginMood(mood)])) as Record<
  ReceiverFault,
  Begin
>;

export const BEGIN: Readonly<Record<WebhookFaultKind, Begin>> = {
  ...SERVER_FAULTS,
  answers_lost: loseStatementAnswers,
  redis_clock_wrong: ({ redis }, fault) => setWrongClock(redis, fault),
  ...MOODS,
  process_killed: (simulation, { target }) => {
    const { process } = pickProcess(simulation, target);
    process.kill();
    return () => {
      simulation.startProcess(target % simulation.processes.length, process.host);
    };
  },
  process_stopped: (simulation, { target }) => {
    const stopping = pickProcess(simulation, target);
    void stopping.stop();
    return () => {
      // The supervisor kills what does not stop in time.
      stopping.process.kill();
      simulation.startProcess(target % simulation.processes.length, stopping.process.host);
    };
  },
  process_paused: (simulation, { target, lastsMs }) => {
    pickProcess(simulation, target).process.pause(lastsMs);
    return nothing;
  },
  process_clock_wrong: (simulation, fault) =>
    setWrongClock(pickProcess(simulation, fault.target).process.host, fault),
  wakes_lost: (simulation, { force }) => {
    const { lostWakes } = simulation;
    simulation.lostWakes = force;
    return () => {
      simulation.lostWakes = lostWakes;
    };
  },
  attempts_locked: ({ postgres, events }, { target, lastsMs: number }) => {
    const { id } = pickEndpoint(target);
    const all = [...events.keys()].map((eventId) => deriveDeliveryId(eventId, id));
    const locked = all.filter((_row, index) => index % LOCKED_OF === number % LOCKED_OF);
    for (const row of locked) postgres.lockedRows.add(row);
    return () => {
      for (const row of locked) postgres.lockedRows.delete(row);
    };
  },
  postgres_swallowed: (simulation, { target }) => {
    const { postgres } = simulation;
    const { name } = pickProcess(simulation, target).process.host;
    postgres.swallowedHosts.add(name);
    return () => {
      postgres.swallowedHosts.delete(name);
    };
  },
  postgres_crashed: ({ postgres }, { lastsMs }) => {
    postgres.crash(0, lastsMs);
    return nothing;
  },
  postgres_lost_tail: (simulation, { lastsMs, force }) => {
    simulation.postgres.crash(force * LOSS_MS, lastsMs);
    simulation.recommitEvents();
    return nothing;
  },
  redis_cut: (simulation, { target }) => {
    for (const connection of pickProcess(simulation, target).connections) connection.lose();
    return nothing;
  },
  redis_swallowed: (simulation, { target }) => {
    const { redis } = simulation;
    const { name } = pickProcess(simulation, target).process.host;
    redis.swallowedHosts.add(name);
    return () => {
      redis.swallowedHosts.delete(name);
    };
  },
  redis_lost_tail: ({ redis }, { force, lastsMs }) => {
    redis.crash(force * LOSS_MS, lastsMs * AWAY_SHARE);
    return nothing;
  },
  redis_flushed: ({ redis }) => {
    redis.master.execute('flushall', []);
    return nothing;
  },
  redis_failed_over: (simulation, { force, target, lastsMs }) => {
    const stuck = new Set([pickProcess(simulation, target).process.host.name]);
    simulation.redis.failOver(force * LOSS_MS, stuck, lastsMs);
    return nothing;
  },
};

function pickProcess({ processes }: WebhooksSimulation, target: number): WebhooksProcess {
  const found = processes[target % processes.length];
  if (found === undefined) throw new Error('no webhooks process');
  return found;
}

function pickEndpoint(target: number): (typeof ENDPOINTS)[number] {
  const found = ENDPOINTS[target % ENDPOINTS.length];
  if (found === undefined) throw new Error('no endpoint');
  return found;
}
