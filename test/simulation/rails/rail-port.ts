// A rail as one rails process reaches it: requests and answers travel, and each can be lost, late, refused or wrong, by
// chance and by the faults that last.
import { makeMinor } from '#actors/core/money.js';
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import type { GivenBack, RefundAnswer } from '#actors/core/rails/answers.js';
import type {
  BeginRefund,
  CallbackReading,
  Capabilities,
  InquiryAnswer,
  Rail,
  RailOrder,
  RawCallback,
  RefundInquiryAnswer,
  UnknownAnswer,
} from '#actors/rails/adapters/rail.js';
import type { SimProcess } from '../world/sim-process.js';
import type { World } from '../world/world.js';
import { type Order, nameTransaction, RailOrders, type RailTraits, type Report } from './orders.js';

const LATE_MS = [500, 60_000] as const;
const UNKNOWN = { result: 'unknown' } as const;
const ABSENT = { result: 'unknown', isAbsent: true } as const;
const TOKEN = 'signed';
const DAY_MS = 86_400_000;

/** Shares of the requests; faults raise them. */
export interface Shares {
  /** The request does not arrive. */
  lost: number;
  /** The request arrives after its sender has given up, perhaps. */
  late: number;
  /** The rail works and answers with an error. */
  answerLost: number;
  /** The rail has not taken the request (429). */
  throttled: number;
  refused: number;
  /** The rail answers as if the order had not changed yet. */
  lying: number;
}

const USUAL: Shares = { lost: 0, late: 0, answerLost: 0, throttled: 0, refused: 0.05, lying: 0 };

export class RailServer {
  readonly world: World;
  readonly truth: RailOrders;
  shares = USUAL;
  /** Requests that have not arrived yet; their senders may have given up. */
  travelling = 0;

  constructor(world: World, traits: RailTraits) {
    this.world = world;
    this.truth = new RailOrders(world, traits);
  }

  /** Begins a fault and returns what ends it. */
  misbehave(shares: Partial<Shares>): () => void {
    this.shares = { ...this.shares, ...shares };
    return () => {
      const names = Object.keys(shares) as (keyof Shares)[];
      for (const name of names) this.shares = { ...this.shares, [name]: USUAL[name] };
    };
  }

  happens(share: keyof Shares): boolean {
    const { [share]: probability } = this.shares;
    return probability > 0 && this.world.chance.happens(probability);
  }
}

export function openRail(server: RailServer, process: SimProcess): Rail {
  const { truth } = server;
  const { name, takesExpiry, knowsRefundKeys } = truth.traits;
  const exchange = createExchange(server, process);
  return {
    name,
    capabilities: describeCapabilities(takesExpiry, knowsRefundKeys),
    charge: (call, _payer, signal) => charge(server, exchange, call, signal),
    close: (call, signal) => exchange(signal, () => close(truth, call)),
    refund: (call, signal, begin) => refund(server, exchange, { call, begin }, signal),
    inquirePayment: (order, signal) => exchange(signal, () => describeOrder(server, order)),
    inquireRefund: (call, signal) => exchange(signal, () => describeRefund(truth, call)),
    payOut: () => Promise.resolve(UNKNOWN),
    inquirePayout: () => Promise.resolve(UNKNOWN),
    readCallback,
    listTransactions: null,
  };
}

function describeCapabilities(takesExpiry: boolean, knowsRefundKeys: boolean): Capabilities {
  const limits = { minAmountMinor: makeMinor(1n), maxAmountMinor: makeMinor(10_000_000n) };
  const method = { ...limits, isRefundable: true, maxExpiresInS: 3_600, takesExpiry };
  return {
    methods: Object.fromEntries(CHARGEABLE_METHODS.map((one) => [one, method])),
    canPayOut: false,
    refundKeyMs: knowsRefundKeys ? DAY_MS : null,
  };
}

type Exchange = <Answer>(
  signal: AbortSignal,
  work: () => Answer,
) => Promise<Answer | UnknownAnswer>;

/** Resolves with "unknown" when the answer is lost, or when the signal is aborted before it arrives. */
function createExchange(server: RailServer, process: SimProcess): Exchange {
  const { world } = server;
  return (signal, work) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(UNKNOWN);
      });
      if (server.happens('lost')) return;
      const lateMs = server.happens('late') ? world.chance.between(...LATE_MS) : 0;
      server.travelling += 1;
      world.schedule(world.pickLatencyMs() + lateMs, () => {
        server.travelling -= 1;
        const answer = work();
        const given = server.happens('answerLost') ? UNKNOWN : answer;
        process.schedule(world.pickLatencyMs(), () => {
          resolve(given);
        });
      });
    });
}

async function charge(
  server: RailServer,
  exchange: Exchange,
  call: ChargeCall,
  signal: AbortSignal,
): ReturnType<Rail['charge']> {
  const { truth, world } = server;
  if (server.happens('throttled')) return { result: 'not_sent' };
  truth.noteChargeSent(call);
  return exchange(signal, () => {
    if (server.happens('refused')) return { result: 'refused' } as const;
    truth.open(call, world.timeMs);
    return accept(call.orderId);
  });
}

function accept(orderId: string) {
  const instructions = { kind: 'qr', payload: `pay ${orderId}` } as const;
  return { result: 'accepted', railReference: `ref-${orderId}`, instructions } as const;
}

function close(truth: RailOrders, { orderId }: CloseCall) {
  const order = truth.orders.get(orderId);
  if (order === undefined) return ABSENT;
  if (order.status === 'paid') {
    return { result: 'settled', settlement: truth.describeSettlement(order) } as const;
  }
  truth.close(order);
  return { result: 'closed' } as const;
}

async function refund(
  server: RailServer,
  exchange: Exchange,
  { call, begin }: { readonly call: RefundCall; readonly begin: BeginRefund | undefined },
  signal: AbortSignal,
): ReturnType<Rail['refund']> {
  if (server.happens('throttled')) return { result: 'not_sent' };
  if (begin !== undefined && !(await begin())) return { result: 'not_sent' };
  return exchange(signal, () => answerRefund(server.truth.refund(call)));
}

function answerRefund({ refundId, status }: ReturnType<RailOrders['refund']>): RefundAnswer {
  if (status === 'failed' || status === 'manual_required') return { result: status };
  return { result: status, railReference: `ref-${refundId}` };
}

function describeRefund(truth: RailOrders, { refundId }: RefundCall): RefundInquiryAnswer {
  const found = truth.findRefund(refundId);
  return found === undefined ? ABSENT : answerRefund(found);
}

function describeOrder(server: RailServer, { orderId }: RailOrder): InquiryAnswer {
  const { truth } = server;
  const order = truth.orders.get(orderId);
  if (order === undefined) return ABSENT;
  const open = { result: 'open', charge: accept(orderId) } as const;
  if (server.happens('lying')) return open;
  switch (order.status) {
    case 'open':
      return open;
    case 'paid': {
      const settlement = truth.describeSettlement(order);
      return { result: 'settled', settlement, givenBack: listGivenBack(truth, order) };
    }
    case 'reversed':
      return { result: 'reversed', railTransactionId: nameTransaction(orderId) };
    case 'expired':
      return { result: 'failed', failureCode: 'expired' };
    case 'closed':
      return { result: 'closed' };
  }
}

function listGivenBack({ refunds }: RailOrders, order: Order): GivenBack[] {
  return refunds
    .filter(({ orderId, status }) => orderId === order.orderId && status === 'succeeded')
    .map(({ refundId, amountMinor }) => {
      return { railRefundId: `ref-${refundId}`, refundKey: refundId, kind: 'refund', amountMinor };
    });
}

/** A forged callback has another token. */
export function encodeCallback(report: Report, isForged: boolean): Buffer {
  return Buffer.from(JSON.stringify({ ...report, token: isForged ? 'forged' : TOKEN }));
}

function readCallback({ body }: RawCallback): CallbackReading {
  const { token, kind, id, reports, amount } = JSON.parse(body.toString()) as Report & {
    readonly token: string;
  };
  if (token !== TOKEN) return { result: 'forged' };
  const dedupeKey = `${id} ${reports} ${amount}`;
  if (kind === 'refund') {
    const subject = { kind, refundId: id, railReference: null };
    return { result: 'genuine', dedupeKey, subject, reports, money: null };
  }
  const subject = { kind, orderId: id, railReference: null };
  const money = { amountMinor: makeMinor(BigInt(amount)), currency: 'IDR' };
  return { result: 'genuine', dedupeKey, subject, reports, money };
}
