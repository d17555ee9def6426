// One installation with LIVE payments in the simulated world: processes, rails, customers, and the callbacks between them.
import type { PaymentId } from '#actors/core/ids.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Result } from '#test/support/load/history.js';
import { Audit } from '../audit.js';
import { Installation } from '../installation.js';
import { type PaymentsProcess, type Stage, startPayments } from '../processes/payments.js';
import type { Host } from '../world/sim-process.js';
import { CallbackRoute } from './callback-route.js';
import { type LiveGateway, startLiveGateway } from './live-gateway.js';
import { type Order, otherAmount } from './orders.js';
import { RailServer } from './rail-port.js';
import { type RailsProcess, startRails } from './rails-process.js';
import {
  type BankOperation,
  PARTITIONS,
  PAYMENTS_PROCESSES,
  type RailOperation,
  RAILS_PROCESSES,
  type RailStep,
} from './scenario.js';

const RESTART_MS = 1_000;
const REPEAT_MS = [100, 2_000] as const;
/** A customer who finds nothing to pay looks again. */
const LOOK_AGAIN_MS = 1_500;
const MAX_LOOKS = 4;

export class RailsSimulation extends Installation implements Stage {
  readonly partitions = PARTITIONS;
  readonly audit: Audit;
  readonly servers: readonly RailServer[];
  readonly callbacks: CallbackRoute;
  readonly crashes: string[] = [];
  /** Orders of one payment that could be paid at the same time. */
  readonly doubles: string[] = [];
  readonly payments: PaymentsProcess[] = [];
  readonly rails: RailsProcess[] = [];
  readonly #openCalls = new Set<{ gateway: LiveGateway; end: (result: Result) => void }>();
  #gateway: LiveGateway | undefined;
  #waitingRepeats = 0;

  constructor(seed: number, onTrace?: (line: string) => void) {
    super({ seed, partitions: PARTITIONS, onTrace });
    this.audit = new Audit({
      tables: this.postgres.tables,
      findMaster: () => this.redis.master,
      listFaults: () => [...this.activeFaults.values()],
      readNowMs: () => this.world.nowMs,
    });
    this.redis.onAppend = (entry, server) => {
      this.audit.noteAppend(entry, server);
    };
    this.servers = [
      new RailServer(this.world, { name: 'midtrans', takesExpiry: true, knowsRefundKeys: true }),
      new RailServer(this.world, { name: 'xendit', takesExpiry: false, knowsRefundKeys: false }),
    ];
    this.callbacks = new CallbackRoute(this.world, () => this.rails);
    for (const { truth } of this.servers) {
      truth.onReport = (report) => {
        this.callbacks.send(truth.traits.name, report);
      };
      truth.onOpen = (order) => {
        this.#noteOpen(order);
      };
    }
    this.startAll('payments', PAYMENTS_PROCESSES, (index, host) => {
      this.startPayments(index, host);
    });
    this.startAll('rails', RAILS_PROCESSES, (index, host) => {
      this.startRails(index, host);
    });
    this.startGateway();
  }

  get openRequests(): number {
    return this.#openCalls.size + this.#waitingRepeats;
  }

  /** Does nothing while the process of this number runs. */
  startPayments(index: number, host: Host): void {
    if (this.payments[index]?.process.isAlive === true) return;
    const process = this.createProcess(host);
    this.payments[index] = startPayments(this, process, (error) => {
      this.crashes.push(`${process.name}: ${String(error)}`);
      process.kill();
      this.world.schedule(RESTART_MS, () => {
        this.startPayments(index, host);
      });
    });
  }

  startRails(index: number, host: Host): void {
    if (this.rails[index]?.process.isAlive === true) return;
    this.rails[index] = startRails(this, this.createProcess(host), this.servers);
  }

  startGateway(): void {
    if (this.#gateway?.process.isAlive === true) return;
    const host = { name: 'gateway-0', clockAheadMs: 0 };
    this.#gateway = startLiveGateway(this, this.createProcess(host));
  }

  /** Its clients get no answer any more. */
  killGateway(): void {
    this.#gateway?.process.kill();
    for (const { end } of [...this.#openCalls])
      end({ kind: 'lost', reason: 'the gateway was killed' });
  }

  findServer(rail: RailName): RailServer {
    const found = this.servers.find(({ truth }) => truth.traits.name === rail);
    if (found === undefined) throw new Error(`there is no rail ${rail}`);
    return found;
  }

  perform({ operation, repeats }: RailStep): void {
    if (operation.kind === 'pay' || operation.kind === 'reverse') this.#bank(operation, MAX_LOOKS);
    else this.#send(operation, repeats);
  }

  /** The customer pays an order that can be paid; the bank takes back what was paid. */
  #bank(operation: BankOperation, looks: number): void {
    const wanted = operation.kind === 'pay' ? 'open' : 'paid';
    const found = this.#listOrders(operation.paymentId, wanted);
    if (found.length === 0) {
      if (looks === 0) return;
      this.world.schedule(LOOK_AGAIN_MS, () => {
        this.#bank(operation, looks - 1);
      });
      return;
    }
    const { order, server } = this.world.chance.pick(found);
    const { amountMinor } = order;
    if (operation.kind === 'reverse') server.truth.reverse(order);
    else server.truth.pay(order, operation.isOther ? otherAmount(amountMinor) : amountMinor);
  }

  #listOrders(paymentId: PaymentId, status: Order['status']) {
    return this.servers.flatMap((server) =>
      [...server.truth.orders.values()]
        .filter((order) => order.paymentId === paymentId && order.status === status)
        .map((order) => ({ order, server })),
    );
  }

  #noteOpen(order: Order): void {
    const open = this.#listOrders(order.paymentId, 'open');
    if (open.length < 2) return;
    const ids = open.map((one) => one.order.orderId).join(' and ');
    this.doubles.push(`${order.paymentId} can be paid by ${ids}`);
  }

  /** Sends the request of a client, and sends it again while the answer is not certain. */
  #send(operation: RailOperation, repeats: number): void {
    const gateway = this.#gateway;
    if (gateway?.process.isAlive !== true) {
      this.#repeat(operation, repeats);
      return;
    }
    const end = (result: Result): void => {
      if (!this.#openCalls.delete(call)) return;
      const status = result.kind === 'answer' ? result.status : 0;
      this.world.trace(`gateway answers ${operation.kind}: ${status}`);
      if (status === 0 || status >= 503) this.#repeat(operation, repeats);
    };
    const call = { gateway, end };
    this.#openCalls.add(call);
    gateway.process.schedule(0, () => {
      void gateway.call(operation).then(end);
    });
  }

  #repeat(operation: RailOperation, repeats: number): void {
    if (repeats === 0) return;
    this.#waitingRepeats += 1;
    this.world.schedule(this.world.chance.between(...REPEAT_MS), () => {
      this.#waitingRepeats -= 1;
      this.#send(operation, repeats - 1);
    });
  }
}
