// One installation in the simulated world: its processes, their supervisor, its clients.
import type { Entry, Operation, Result } from '#test/support/load/history.js';
import { Audit } from './audit.js';
import { PostgresServer } from './postgres/server.js';
import { type Gateway, startGateway } from './processes/gateway.js';
import { splitPartitions } from './processes/operator.js';
import { type PaymentsProcess, type Stage, startPayments } from './processes/payments.js';
import { type RailsSender, startRailsSender } from './processes/rails.js';
import { RedisNetwork } from './redis/network.js';
import {
  GATEWAYS,
  PARTITIONS,
  PAYMENTS_PROCESSES,
  type RailFact,
  type Request,
  type Step,
} from './scenario.js';
import { type Host, SimProcess } from './world/sim-process.js';
import { World } from './world/world.js';

const RESTART_MS = 1_000;
const REPEAT_MS = [100, 2_000] as const;

/** A request of a client whose answer is not there yet. */
interface OpenCall {
  readonly gateway: Gateway;
  readonly end: (result: Result) => void;
}

export class Simulation implements Stage {
  readonly partitions = PARTITIONS;
  readonly world: World;
  readonly redis: RedisNetwork;
  readonly postgres: PostgresServer;
  readonly audit: Audit;
  readonly history: Entry[] = [];
  readonly facts: RailFact[] = [];
  readonly crashes: string[] = [];
  readonly activeFaults = new Map<number, string>();
  readonly openCalls = new Set<OpenCall>();
  /** Requests that clients are about to send again. */
  waitingRepeats = 0;
  readonly payments: PaymentsProcess[] = [];
  readonly gateways: Gateway[] = [];
  readonly #rails: RailsSender;
  #starts = 0;

  constructor(seed: number, onTrace?: (line: string) => void) {
    this.world = new World(seed, onTrace);
    this.redis = new RedisNetwork(this.world);
    this.postgres = new PostgresServer(this.world, this.partitions);
    this.audit = new Audit({
      tables: this.postgres.tables,
      findMaster: () => this.redis.master,
      listFaults: () => [...this.activeFaults.values()],
      readNowMs: () => this.world.nowMs,
    });
    this.redis.onAppend = (entry, server) => {
      this.audit.noteAppend(entry, server);
      this.world.trace(`${server.deps.name} ${entry.key} ${entry.id.ms}-${entry.id.seq}`);
    };
    for (let index = 0; index < PAYMENTS_PROCESSES; index += 1) {
      this.startPayments(index, { name: `payments-${index}`, clockAheadMs: 0 });
    }
    for (let index = 0; index < GATEWAYS; index += 1) {
      this.startGateway(index, { name: `gateway-${index}`, clockAheadMs: 0 });
    }
    this.#rails = startRailsSender(this, this.#createProcess({ name: 'rails', clockAheadMs: 0 }));
  }

  /** Does nothing while the process of this number runs. */
  startPayments(index: number, host: Host): void {
    if (this.payments[index]?.process.isAlive === true) return;
    const process = this.#createProcess(host);
    this.payments[index] = startPayments(this, process, (error) => {
      this.world.trace(`${process.name} crashed: ${String(error)}`);
      this.crashes.push(`${process.name}: ${String(error)}`);
      process.kill();
      this.world.schedule(RESTART_MS, () => {
        this.startPayments(index, host);
      });
    });
  }

  /** Splits the partitions, unless a failover of Postgres or another operator has made others of them. */
  startOperator(to: number): SimProcess {
    const operator = this.#createProcess({ name: 'operator', clockAheadMs: 0 });
    void splitPartitions(this, operator, to);
    return operator;
  }

  /** Does nothing while the gateway of this number runs. */
  startGateway(index: number, host: Host): void {
    if (this.gateways[index]?.process.isAlive === true) return;
    this.gateways[index] = startGateway(this, this.#createProcess(host));
  }

  /** Its clients get no answer any more. */
  killGateway(gateway: Gateway): void {
    gateway.process.kill();
    for (const call of [...this.openCalls].filter((one) => one.gateway === gateway)) {
      call.end({ kind: 'lost', reason: 'the gateway was killed' });
    }
  }

  perform({ gateway, operation, repeats }: Step): void {
    switch (operation.kind) {
      case 'settle':
        this.facts.push(operation);
        this.#rails.settle(operation);
        return;
      case 'unreadable':
      case 'forged':
        this.#rails.poison(operation);
        return;
      default:
        this.send(operation, gateway, { attempt: 1, repeats });
    }
  }

  /** Sends the request of a client, and sends it again while the answer is not certain. */
  send(
    operation: Request,
    at: number,
    { attempt, repeats }: { attempt: number; repeats: number },
  ): void {
    const gateway = this.gateways[at % this.gateways.length];
    if (gateway?.process.isAlive !== true) {
      this.#repeat(operation, at, { attempt, repeats });
      return;
    }
    const { world, history, openCalls } = this;
    const { name } = gateway.process;
    const startMs = world.nowMs;
    const end = (result: Result): void => {
      if (!openCalls.delete(call)) return;
      const status = result.kind === 'answer' ? result.status : 0;
      world.trace(`${name} answers ${operation.kind}: ${status} ${describeBody(result)}`);
      const entry = { attempt, gateway: name, startMs, endMs: world.nowMs, result };
      if (isOperation(operation)) history.push({ operation, ...entry });
      if (status === 0 || status >= 503) this.#repeat(operation, at, { attempt, repeats });
    };
    const call = { gateway, end };
    openCalls.add(call);
    // A paused gateway accepts no request before it goes on.
    gateway.process.schedule(0, () => {
      void gateway.call(operation).then(end);
    });
  }

  #repeat(
    operation: Request,
    at: number,
    { attempt, repeats }: { attempt: number; repeats: number },
  ): void {
    if (repeats === 0) return;
    this.waitingRepeats += 1;
    this.world.schedule(this.world.chance.between(...REPEAT_MS), () => {
      this.waitingRepeats -= 1;
      this.send(operation, at + 1, { attempt: attempt + 1, repeats: repeats - 1 });
    });
  }

  #createProcess(host: Host): SimProcess {
    this.#starts += 1;
    return new SimProcess(this.world, host, `${host.name}.${this.#starts}`);
  }
}

function describeBody(result: Result): string {
  return result.kind === 'answer' ? result.text.slice(0, 60) : result.reason;
}

function isOperation(operation: Request): operation is Operation {
  return ['create', 'get', 'simulate', 'cancel'].includes(operation.kind);
}
