// The faults of a run with LIVE payments. Each begins, lasts and ends; what it has broken is then left to the service.
import type { RailFault, RailFaultKind } from './scenario.js';
import type { RailsSimulation } from './simulation.js';
import { loseStatementAnswers, SERVER_FAULTS, setWrongClock } from '../server-faults.js';

const LOSS_MS = 400;
/** Of a fault's time: then the server is back. */
const AWAY_SHARE = 0.3;

/** Begins the fault and returns what ends it. */
type Begin = (simulation: RailsSimulation, fault: RailFault) => () => void;

const nothing = (): void => {};

export const BEGIN: Readonly<Record<RailFaultKind, Begin>> = {
  ...SERVER_FAULTS,
  commit_answers_lost: loseStatementAnswers,
  rails_killed: (simulation, { target }) => {
    const { process } = pick(simulation.rails, target);
    process.kill();
    return () => {
      simulation.startRails(target, process.host);
    };
  },
  rails_stopped: (simulation, { target }) => {
    const stopping = pick(simulation.rails, target);
    void stopping.stop();
    return () => {
      // The supervisor kills what does not stop in time.
      stopping.process.kill();
      simulation.startRails(target, stopping.process.host);
    };
  },
  rails_paused: ({ rails }, { target, lastsMs }) => {
    pick(rails, target).process.pause(lastsMs);
    return nothing;
  },
  rails_clock_wrong: ({ rails }, fault) =>
    setWrongClock(pick(rails, fault.target).process.host, fault),
  rails_cut_off: ({ rails, postgres, redis }, { target, force }) => {
    const { name } = pick(rails, target).process.host;
    const hosts = force > 0.5 ? postgres.swallowedHosts : redis.swallowedHosts;
    hosts.add(name);
    return () => {
      hosts.delete(name);
    };
  },
  payments_killed: (simulation, { target }) => {
    const { process } = pick(simulation.payments, target);
    process.kill();
    return () => {
      simulation.startPayments(target, process.host);
    };
  },
  payments_paused: ({ payments }, { target, lastsMs }) => {
    pick(payments, target).process.pause(lastsMs);
    return nothing;
  },
  gateway_killed: (simulation) => {
    simulation.killGateway();
    return () => {
      simulation.startGateway();
    };
  },
  replies_lost: ({ redis }, { force }) => {
    redis.published = { ...redis.published, lost: force };
    return () => {
      redis.published = { ...redis.published, lost: 0 };
    };
  },
  postgres_crashed: ({ postgres }, { lastsMs }) => {
    postgres.crash(0, lastsMs * AWAY_SHARE);
    return nothing;
  },
  postgres_lost_tail: ({ postgres, audit }, { force, lastsMs }) => {
    const lossMs = force * LOSS_MS;
    postgres.crash(lossMs, lastsMs * AWAY_SHARE);
    audit.noteRollback(lossMs);
    return nothing;
  },
  redis_lost_tail: ({ redis, audit }, { force, lastsMs }) => {
    redis.crash(force * LOSS_MS, lastsMs * AWAY_SHARE);
    audit.noteLoss();
    return nothing;
  },
  redis_flushed: ({ redis, audit }) => {
    redis.master.execute('flushall', []);
    audit.noteLoss();
    return nothing;
  },
  rail_down: (simulation, fault) => pickRail(simulation, fault).misbehave({ lost: 1 }),
  rail_late: (simulation, fault) => pickRail(simulation, fault).misbehave({ late: fault.force }),
  rail_answers_lost: (simulation, fault) =>
    pickRail(simulation, fault).misbehave({ answerLost: fault.force }),
  rail_throttles: (simulation, fault) =>
    pickRail(simulation, fault).misbehave({ throttled: fault.force }),
  rail_refuses: (simulation, fault) =>
    pickRail(simulation, fault).misbehave({ refused: fault.force }),
  rail_lies: (simulation, fault) => pickRail(simulation, fault).misbehave({ lying: fault.force }),
  callbacks_lost: ({ callbacks }, { force }) => callbacks.disturb({ lost: force }),
  callbacks_doubled: ({ callbacks }, { force }) => callbacks.disturb({ doubled: force }),
  callbacks_late: ({ callbacks }, { force }) => callbacks.disturb({ late: force }),
  callbacks_lying: ({ callbacks }, { force }) => callbacks.disturb({ lying: force }),
};

const pickRail = ({ servers }: RailsSimulation, { target }: RailFault) => pick(servers, target);

function pick<Item>(items: readonly Item[], target: number): Item {
  const found = items[target % items.length];
  if (found === undefined) throw new Error('nothing of this kind runs');
  return found;
}
