// A rails process of the simulated world: the real callers, inquirers, schedulers and callbacks, wired as in
// actors/rails/main.ts, on models of Redis, Postgres and the rails.
import type { RailName } from '#actors/core/rails/rail-names.js';
import { processCallback } from '#actors/rails/callbacks/process-callback.js';
import { createCommandSender, startPendingCommands } from '#actors/rails/command-sender.js';
import { startOverdueRefunds } from '#actors/rails/inquiries/overdue-refunds.js';
import { startPaymentScheduler } from '#actors/rails/schedulers/payment-scheduler.js';
import type {
  CallbackStore,
  CallStore,
  DuePaymentStore,
  OverdueRefundStore,
  PendingCommandStore,
} from '#actors/rails/calls/ports.js';
import { serveRails } from '#actors/rails/serve-rails.js';
import { BackgroundSender } from '#store/redis/background-sender.js';
import type { CallbackOutcome } from '#store/redis/callbacks.js';
import type { Leadership } from '#store/redis/leadership.js';
import { subscribeRailCalls } from '#store/redis/wake-up.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import * as leases from '../postgres/leases.js';
import * as callbacks from '../postgres/rail-callbacks.js';
import * as calls from '../postgres/rail-calls.js';
import * as inquiries from '../postgres/rail-inquiries.js';
import type { DatedTables } from '../postgres/tables.js';
import type { Stage } from '../processes/payments.js';
import { createRedisClient } from '../redis/client.js';
import { RedisConnection } from '../redis/network.js';
import type { SimProcess } from '../world/sim-process.js';
import { openRail, type RailServer } from './rail-port.js';

export const TIMEOUT_MS = 3_000;
const SCHEDULE_S = [1, 5, 15, 30, 60];
const GIVE_UP_MS = 2_000;
/** The lease of the real one only saves work, so the world is harder without it: each process sends to all due payments. */
const EVERY_PROCESS_LEADS: Leadership = {
  isLeading: () => Promise.resolve(true),
  resign: () => Promise.resolve(),
};

export interface RailsProcess {
  readonly process: SimProcess;
  readonly acceptCallback: (rail: RailName, body: Buffer) => Promise<CallbackOutcome>;
  /** As on SIGTERM. */
  readonly stop: () => Promise<void>;
}

export function startRails(
  stage: Stage,
  process: SimProcess,
  servers: readonly RailServer[],
): RailsProcess {
  const { clock, log, name } = process;
  const redis = createRedisClient(new RedisConnection(stage.redis, process));
  const subscriber = createRedisClient(new RedisConnection(stage.redis, process));
  const rails = servers.map((server) => openRail(server, process));
  const abandonCalls = new AbortController();
  const sender = { name, source: 'rails', keys: COMMAND_KEYS.rails } as const;
  const countPartitions = () => stage.partitions;
  const toPayments = { redis, sender, countPartitions, clock, log };
  const run = createRunner(stage, process);
  const readPositions = (partitions: number[]) =>
    run('read claims', false, ({ tables }) => leases.readClaims(tables, partitions));
  const createBackground = () => new BackgroundSender({ ...toPayments, readPositions });
  const served = serveRails(
    {
      ...{ store: openCallStore(run), clock, timeoutMs: TIMEOUT_MS, scheduleS: SCHEDULE_S },
      ...{ isOn: () => true, send: createCommandSender(toPayments), onAnswer: () => undefined },
      ...{ giveUp: abandonCalls.signal, log },
    },
    rails,
  );
  subscribeRailCalls(subscriber, served.wake);
  const running = [
    served,
    startOverdueRefunds({ store: openOverdueRefunds(run), clock, log }),
    startPaymentScheduler({
      ...{ store: openDuePayments(run), background: createBackground(), clock, log },
      leadership: EVERY_PROCESS_LEADS,
    }),
    startPendingCommands({
      ...{ store: openPendingCommands(run), background: createBackground(), clock, log },
    }),
  ];
  const callbackDeps = {
    store: openCallbackStore(run),
    rails: new Map(rails.map((rail) => [rail.name, rail])),
    onInquiryDue: served.inquire,
  };
  return {
    process,
    acceptCallback: (rail, body) => processCallback(callbackDeps, { rail, headers: {}, body }),
    stop: async () => {
      clock.startTimer(GIVE_UP_MS, () => {
        abandonCalls.abort();
      });
      await Promise.all(running.map((one) => one.stop()));
      process.kill();
    },
  };
}

type Run = <Value>(
  name: string,
  isWrite: boolean,
  work: (server: DatedTables) => Value,
) => Promise<Value>;

function createRunner({ postgres }: Stage, process: SimProcess): Run {
  return (name, isWrite, work) =>
    postgres.run(process, {
      ...{ name, isWrite },
      work: (tables) => work({ tables, nowMs: postgres.nowMs }),
    });
}

function openCallStore(run: Run): CallStore {
  const recordUnknown: CallStore['recordUnknown'] = (call) =>
    run('record unknown', true, (server) => {
      calls.recordUnknown(server, call);
    });
  return {
    claimCalls: (queue, limit, answerMs) =>
      run('claim calls', true, (server) => calls.claimCalls(server, queue, limit, answerMs)),
    beginRefund: (claim) => run('begin refund', true, (server) => calls.beginRefund(server, claim)),
    recordAnswers: (answers) =>
      run('record answers', true, (server) => calls.recordAnswers(server, answers)),
    recordUnsent: async (unsent) => {
      const isUnsent = await run('record unsent', true, (server) =>
        calls.recordUnsent(server, unsent),
      );
      const { callId, inquiryId, dueInMs: inquireInMs } = unsent;
      if (!isUnsent) await recordUnknown({ callId, inquiryId, inquireInMs, reference: null });
    },
    recordUnknown,
    repeatRefund: (callId, keyMs) =>
      run('repeat refund', true, (server) => calls.repeatRefund(server, callId, keyMs)),
    repeatUnbegunRefund: (callId, givenUpMs) =>
      run('repeat unbegun refund', true, (server) =>
        calls.repeatUnbegunRefund(server, callId, givenUpMs),
      ),
    claimInquiries: (claim) =>
      run('claim inquiries', true, (server) => inquiries.claimInquiries(server, claim)),
    recordInquiries: (results) =>
      run('record inquiries', true, (server) => inquiries.recordInquiries(server, results)),
    pauseAvailability: () => run('pause availability', true, () => undefined),
  };
}

function openPendingCommands(run: Run): PendingCommandStore {
  return {
    loadPendingCommands: (after, limit, ageMs) =>
      run('load pending commands', false, (server) =>
        callbacks.loadPendingCommands(server, after, limit, ageMs),
      ),
    deletePendingCommands: (ids) =>
      run('delete pending commands', true, (server) => {
        callbacks.deletePendingCommands(server, ids);
      }),
  };
}

function openDuePayments(run: Run): DuePaymentStore {
  return {
    loadDue: (limit, underWay) =>
      run('load due', false, (server) => callbacks.loadDue(server, limit, underWay)),
    postponeDue: (postponed) =>
      run('postpone due', true, (server) => {
        callbacks.postponeDue(server, postponed);
      }),
  };
}

function openOverdueRefunds(run: Run): OverdueRefundStore {
  return {
    loadOverdueRefunds: (afterMs, limit) =>
      run('load overdue refunds', false, (server) =>
        calls.loadOverdueRefunds(server, afterMs, limit),
      ),
    openRefundTask: (task) =>
      run('open refund task', true, (server) => {
        calls.openRefundTask(server, task);
      }),
  };
}

function openCallbackStore(run: Run): CallbackStore {
  return {
    storeCallback: (callback) =>
      run('store callback', true, (server) => callbacks.storeCallback(server, callback)),
    expeditePayout: () => Promise.resolve(undefined),
  };
}
