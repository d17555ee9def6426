// The faults of a run. Each begins, lasts and ends; what it has broken is then left to the service.
import { buildCommandsKey } from '#store/redis/keys.js';
import { isMerchantAccount } from '#actors/core/ledger/accounts.js';
import { type Fault, type FaultKind, PARTITIONS } from './scenario.js';
import { NEWER_MARK } from './audit.js';
import { movePartition, setDrained } from './postgres/leases.js';
import type { Simulation } from './simulation.js';
import { loseStatementAnswers, SERVER_FAULTS, setWrongClock } from './server-faults.js';

const LOSS_MS = 400;
/** The command takes about as long. */
const OPERATOR_LIVES_MS = 12;
/** Of a fault's time: then Redis is back, with a wrong clock. */
const AWAY_SHARE = 0.3;

/** Begins the fault and returns what ends it. */
type Begin = (simulation: Simulation, fault: Fault) => () => void;

const nothing = (): void => {};

export const BEGIN: Readonly<Record<FaultKind, Begin>> = {
  ...SERVER_FAULTS,
  commit_answers_lost: loseStatementAnswers,
  redis_clock_wrong: ({ redis }, fault) => setWrongClock(redis, fault),
  payments_killed: (simulation, { target }) => {
    const { process } = pickPayments(simulation, target);
    process.kill();
    return () => {
      simulation.startPayments(target, process.host);
    };
  },
  payments_stopped: (simulation, { target }) => {
    const stopping = pickPayments(simulation, target);
    void stopping.stop();
    return () => {
      // The supervisor kills what does not stop in time.
      stopping.process.kill();
      simulation.startPayments(target, stopping.process.host);
    };
  },
  payments_paused: (simulation, { target, lastsMs }) => {
    pickPayments(simulation, target).process.pause(lastsMs);
    return nothing;
  },
  payments_clock_wrong: (simulation, fault) =>
    setWrongClock(pickPayments(simulation, fault.target).process.host, fault),
  gateway_killed: (simulation, { target }) => {
    const index = target % simulation.gateways.length;
    const gateway = pickGateway(simulation, target);
    simulation.killGateway(gateway);
    return () => {
      simulation.startGateway(index, gateway.process.host);
    };
  },
  gateway_paused: (simulation, { target, lastsMs }) => {
    pickGateway(simulation, target).process.pause(lastsMs);
    return nothing;
  },
  replies_lost: ({ redis }, { force }) => {
    redis.published = { ...redis.published, lost: force };
    return () => {
      redis.published = { ...redis.published, lost: 0 };
    };
  },
  replies_late: ({ redis }, { force }) => {
    redis.published = { ...redis.published, lateMs: force * 4_000 };
    return () => {
      redis.published = { ...redis.published, lateMs: 0 };
    };
  },
  replies_doubled: ({ redis }, { force }) => {
    redis.published = { ...redis.published, doubled: force };
    return () => {
      redis.published = { ...redis.published, doubled: 0 };
    };
  },
  postgres_slow: ({ postgres }, { force }) => {
    postgres.perRowMs = force * 400;
    return () => {
      postgres.perRowMs = 0;
    };
  },
  postgres_row_locked: ({ postgres }) => {
    const accounts = postgres.tables.balances.entries().map(([account]) => account);
    const locked = accounts.filter(isMerchantAccount).slice(0, 1);
    for (const account of locked) postgres.lockedRows.add(account);
    return () => {
      for (const account of locked) postgres.lockedRows.delete(account);
    };
  },
  postgres_swallowed: (simulation, { target }) => {
    const { postgres } = simulation;
    const { name } = pickPayments(simulation, target).process.host;
    postgres.swallowedHosts.add(name);
    return () => {
      postgres.swallowedHosts.delete(name);
    };
  },
  postgres_crashed: ({ postgres }, { lastsMs }) => {
    postgres.crash(0, lastsMs);
    return nothing;
  },
  postgres_lost_tail: ({ postgres, audit }, { lastsMs, force }) => {
    const lossMs = force * LOSS_MS;
    postgres.crash(lossMs, lastsMs);
    audit.noteRollback(lossMs);
    return nothing;
  },
  lease_stolen: (simulation, { target }) => {
    const { postgres } = simulation;
    const { name } = pickPayments(simulation, target).process;
    const row = postgres.tables.processes.get(name);
    if (row !== undefined) postgres.tables.processes.set(name, { ...row, leaseUntilMs: 0 });
    return nothing;
  },
  redis_lost_tail: ({ redis, audit }, fault) => {
    redis.crash(fault.force * LOSS_MS, fault.lastsMs * AWAY_SHARE);
    audit.noteLoss();
    return setWrongClock(redis, fault);
  },
  redis_flushed: (simulation) => {
    simulation.redis.master.execute('flushall', []);
    simulation.audit.noteLoss();
    return nothing;
  },
  redis_failed_over: (simulation, { force, target, lastsMs }) => {
    const stuck = new Set([pickPayments(simulation, target).process.host.name]);
    if (force > 0.5) stuck.add(pickGateway(simulation, target).process.host.name);
    simulation.redis.failOver(force * LOSS_MS, stuck, lastsMs);
    simulation.audit.noteLoss();
    return nothing;
  },
  partitions_split: (simulation, { force }) => {
    const to = simulation.postgres.tables.partitions.size * 2;
    const operator = simulation.startOperator(to);
    simulation.world.schedule(force * OPERATOR_LIVES_MS, () => {
      operator.kill();
    });
    return () => {
      simulation.startOperator(to);
    };
  },
  process_drained: (simulation, { target }) => {
    const { name } = pickPayments(simulation, target).process;
    const drain = (isDrained: boolean): void => {
      const { tables, nowMs } = simulation.postgres;
      setDrained({ tables, nowMs }, name, isDrained);
    };
    drain(true);
    return () => {
      drain(false);
    };
  },
  partition_moved: (simulation, { target, force }) => {
    const { tables, nowMs } = simulation.postgres;
    const { name } = pickPayments(simulation, target).process;
    movePartition({ tables, nowMs }, Math.floor(force * (tables.partitions.size - 1)), name);
    return nothing;
  },
  newer_frame: ({ redis, audit }, { target }) => {
    const key = buildCommandsKey(target % PARTITIONS);
    if (!redis.master.isFull) {
      redis.master.execute('xadd', [key, 'NOMKSTREAM', '*', NEWER_MARK, 'text of a newer build']);
    }
    return () => {
      // As an operator deletes it. A failover may have lost it, or brought it to another server.
      const stream = redis.master.streams.get(key);
      if (stream === undefined) return;
      stream.entries = stream.entries.filter(({ fields: [mark] }) => mark !== NEWER_MARK);
      audit.noteDeleted();
    };
  },
  redis_swallowed: (simulation, { target, force }) => {
    const { redis } = simulation;
    const pick = force > 0.5 ? pickGateway : pickPayments;
    const { name } = pick(simulation, target).process.host;
    redis.swallowedHosts.add(name);
    return () => {
      redis.swallowedHosts.delete(name);
    };
  },
};

function pickPayments({ payments }: Pick<Simulation, 'payments'>, target: number) {
  const found = payments[target % payments.length];
  if (found === undefined) throw new Error('no payments process');
  return found;
}

function pickGateway({ gateways }: Pick<Simulation, 'gateways'>, target: number) {
  const found = gateways[target % gateways.length];
  if (found === undefined) throw new Error('no gateway');
  return found;
}
