// The statements of rails as random operations on the model of Postgres and on the real one.
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import { REPORTED_STATES } from '#actors/core/statuses.js';
import {
  openCallbackStore,
  openCallStore,
  openDuePayments,
  openOverdueRefunds,
  openPendingCommands,
} from '#actors/rails/calls/ports.js';
import type { Postgres } from '#store/postgres/client.js';
import type { NewCallback } from '#store/postgres/rails/callbacks.js';
import type { ClaimedInquiry, RecordedInquiry } from '#store/postgres/rails/inquiries.js';
import type { OverdueRefund } from '#store/postgres/rails/overdue-refunds.js';
import * as callbacks from '../postgres/rail-callbacks.js';
import * as calls from '../postgres/rail-calls.js';
import * as inquiries from '../postgres/rail-inquiries.js';
import type { DatedTables, Tables } from '../postgres/tables.js';
import type { Chance } from '../world/chance.js';

export const RAIL = 'midtrans' as const;
/** Refunds have the most steps. */
const OPERATIONS_OF_CALLS = ['charge', 'close', 'refund', 'refund', 'refund'] as const;
const ANSWER_MS = 9_000;
const HOUR_MS = 3_600_000;
const PAGE = 50;
const KEPT_CLAIMS = 6;
/** The last one is too late for refunds. */
const AGES_MS = [3_700, 3_700, 23_300, 23_300, 4 * HOUR_MS];

export interface RailsPair {
  readonly chance: Chance;
  readonly sql: Postgres;
  readonly tables: Tables;
  readonly calls: readonly RailCall[];
  /** The latest claims of both. */
  readonly sentAt: Map<string, { real: string; model: string }>;
  /** The latest inquiries that were claimed, the newest first: results of older ones come late. */
  claimed: readonly ClaimedInquiry[];
}

interface RailsOperation {
  readonly real: () => Promise<unknown>;
  readonly model: (server: DatedTables) => unknown;
}

type BuildOperation = (pair: RailsPair) => RailsOperation;

export const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));

const nameInquiry = (call: RailCall): string =>
  call.operation === 'refund' ? call.id : call.orderId;

const claim: BuildOperation = ({ chance, sql, sentAt }) => {
  const operation = chance.pick(OPERATIONS_OF_CALLS);
  const queue = { rail: RAIL, operation, openMs: chance.happens(0.5) ? { QRIS: HOUR_MS } : {} };
  const note = (side: 'real' | 'model', id: string, text: string): void => {
    sentAt.set(id, { real: '', model: '', ...sentAt.get(id), [side]: text });
  };
  return {
    real: async () => {
      const claimed = await openCallStore(sql).claimCalls(queue, PAGE, ANSWER_MS);
      for (const { id, sentAt: text } of claimed) note('real', id, text);
      return byId(claimed).map(({ id, request, snapshot, takesPayments }) => {
        return { id, request, snapshot, takesPayments };
      });
    },
    model: (server) => {
      const claimed = calls.claimCalls(server, queue, PAGE, ANSWER_MS);
      for (const { id, sentAt: text } of claimed) note('model', id, text);
      return byId(claimed).map(({ id, request, snapshot, takesPayments }) => {
        return { id, request, snapshot, takesPayments };
      });
    },
  };
};

const recordAnswer: BuildOperation = ({ chance, sql, calls: all }) => {
  const call = chance.pick(all);
  const inquireInMs = chance.happens(0.5) ? null : 60_000;
  const reference = chance.pick(['r', null]);
  const answers = [
    { callId: call.id, command: 'c', inquiryId: nameInquiry(call), inquireInMs, reference },
  ];
  return {
    real: () => openCallStore(sql).recordAnswers(answers),
    model: (server) => calls.recordAnswers(server, answers),
  };
};

const recordUnknown: BuildOperation = ({ chance, sql, calls: all }) => {
  const call = chance.pick(all);
  const given = {
    ...{ callId: call.id, inquiryId: nameInquiry(call), inquireInMs: chance.pick([500, 60_000]) },
    reference: chance.pick(['r', null]),
  };
  return {
    real: () => openCallStore(sql).recordUnknown(given),
    model: (server) => {
      calls.recordUnknown(server, given);
    },
  };
};

const stepRefund: BuildOperation = ({ chance, sql, calls: all, sentAt }) => {
  const call = chance.pick(all.filter(({ operation }) => operation === 'refund'));
  const { real, model } = sentAt.get(call.id) ?? { real: '2026-01-01', model: '' };
  const store = openCallStore(sql);
  const claimOf = (text: string) => ({ callId: call.id, sentAt: text });
  const unsentOf = (text: string) => ({ ...claimOf(text), inquiryId: call.id, dueInMs: 500 });
  const begin: RailsOperation = {
    real: () => store.beginRefund(claimOf(real)),
    model: (server) => calls.beginRefund(server, claimOf(model)),
  };
  return chance.pick<RailsOperation>([
    ...[begin, begin, begin, begin],
    {
      real: () => store.recordUnsent(unsentOf(real)),
      model: (server) => {
        if (calls.recordUnsent(server, unsentOf(model))) return;
        const unknown = { callId: call.id, inquiryId: call.id, inquireInMs: 500, reference: null };
        calls.recordUnknown(server, unknown);
      },
    },
    {
      real: () => store.repeatRefund(call.id, 6 * HOUR_MS),
      model: (server) => calls.repeatRefund(server, call.id, 6 * HOUR_MS),
    },
    {
      real: () => store.repeatUnbegunRefund(call.id, ANSWER_MS),
      model: (server) => calls.repeatUnbegunRefund(server, call.id, ANSWER_MS),
    },
  ]);
};

const inquire: BuildOperation = (pair) => {
  const given = { rail: RAIL, limit: PAGE, leaseMs: ANSWER_MS, givenUpMs: ANSWER_MS } as const;
  const show = (claimed: readonly ClaimedInquiry[]) =>
    byId(claimed).map(({ inquireUntilMs: _untilMs, absence, calls: sent, ...rest }) => {
      return { ...sortKeys(rest), absences: absence?.count ?? 0, calls: byId(sent).map(sortKeys) };
    });
  return {
    real: async () => show(await openCallStore(pair.sql).claimInquiries(given)),
    model: (server) => {
      const claimed = inquiries.claimInquiries(server, given);
      pair.claimed = [...claimed, ...pair.claimed].slice(0, KEPT_CLAIMS);
      return show(claimed);
    },
  };
};

const sortKeys = <Row extends object>(row: Row) =>
  Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));

const recordInquiry: BuildOperation = (pair) => {
  const { chance, sql } = pair;
  const inquiry = pair.claimed.length === 0 ? undefined : chance.pick(pair.claimed);
  const results = inquiry === undefined ? [] : [buildResult(pair, inquiry)];
  return {
    real: () => openCallStore(sql).recordInquiries(results),
    model: (server) => inquiries.recordInquiries(server, results),
  };
};

function buildResult({ chance, calls: all }: RailsPair, inquiry: ClaimedInquiry): RecordedInquiry {
  const known = all.find((call) => nameInquiry(call) === inquiry.id);
  if (known === undefined) throw new Error('an unknown inquiry was claimed');
  const answeredCalls = inquiry.calls.map(({ id }) => id).filter(() => chance.happens(0.5));
  const number = chance.happens(0.1) ? inquiry.number + 1 : inquiry.number;
  const fast = { step: 2, unconfirmed: [chance.pick(REPORTED_STATES)] };
  const next = { inMs: 15_000, step: chance.below(4), inquireUntilMs: Date.now() + HOUR_MS };
  const close = {
    ...{ id: `call_${inquiry.id}-${inquiry.closes}`, rail: RAIL, inMs: 60_000 },
    request: encodeRailCall(known),
    onlyWithout: chance.happens(0.5) ? null : (answeredCalls[0] ?? 'none'),
  } as const;
  const task = { id: `task-${chance.below(3)}`, kind: 'rail_difference', details: '{}' } as const;
  return {
    inquiry: { id: inquiry.id, number, callbacks: inquiry.callbacks },
    paymentId: known.paymentId,
    next: chance.happens(0.3) ? null : { ...next, fast: chance.happens(0.5) ? fast : null },
    ...{ answeredCalls, commands: chance.happens(0.5) ? ['c'] : ['c', 'd'] },
    absence: chance.happens(0.5) ? null : { count: 2, sinceMs: Date.now() },
    close: inquiry.kind === 'order' && chance.happens(0.3) ? close : null,
    tasks: chance.happens(0.3) ? [task] : [],
  };
}

const receive: BuildOperation = ({ chance, sql, calls: all }) => {
  const call = chance.pick(all);
  const id = call.operation === 'refund' ? call.refundId : call.orderId;
  const kind = call.operation === 'refund' ? ('refund' as const) : ('order' as const);
  const callback: NewCallback = {
    ...{ rail: RAIL, dedupeKey: `${id} ${chance.below(2)}`, currency: 'IDR' },
    subject: chance.happens(0.1) ? null : { kind, id, reference: chance.pick(['r', null]) },
    reports: chance.happens(0.2) ? null : chance.pick(REPORTED_STATES),
    amount: chance.pick(['15000', '15001']),
    body: Buffer.from('{}'),
  };
  return {
    real: () => openCallbackStore(sql).storeCallback(callback, HOUR_MS),
    model: (server) => callbacks.storeCallback(server, callback),
  };
};

const followCommands: BuildOperation = ({ chance, sql }) => {
  const store = openPendingCommands(sql);
  const isDeleting = chance.happens(0.3);
  return {
    real: async () => {
      const found = await store.loadPendingCommands('', PAGE, 1_000);
      if (isDeleting) await store.deletePendingCommands(found.slice(0, 2).map(({ id }) => id));
      return found.map(({ id, command }) => [id, command]);
    },
    model: (server) => {
      const found = callbacks.loadPendingCommands(server, '', PAGE, 1_000);
      const ids = found.slice(0, 2).map(({ id }) => id);
      if (isDeleting) callbacks.deletePendingCommands(server, ids);
      return found.map(({ id, command }) => [id, command]);
    },
  };
};

const followDue: BuildOperation = ({ chance, sql, calls: all }) => {
  const store = openDuePayments(sql);
  const { paymentId: id } = chance.pick(all);
  const underWay = chance.happens(0.5) ? [id] : [];
  const postponed = [{ id, version: chance.pick([1, 2]), inMs: 3_000 }];
  return chance.pick<RailsOperation>([
    {
      real: async () => byId(await store.loadDue(PAGE, underWay)).map(({ id }) => id),
      model: (server) => byId(callbacks.loadDue(server, PAGE, underWay)).map(({ id }) => id),
    },
    {
      real: () => store.postponeDue(postponed),
      model: (server) => {
        callbacks.postponeDue(server, postponed);
      },
    },
  ]);
};

const findOverdue: BuildOperation = ({ chance, sql }) => {
  const store = openOverdueRefunds(sql);
  const isTask = chance.happens(0.3);
  const buildTask = ({ paymentId, request }: OverdueRefund) => {
    const { refundId } = JSON.parse(request) as { refundId: string };
    return { id: `task ${refundId}`, paymentId, details: JSON.stringify({ refundId }) };
  };
  const sort = (found: readonly OverdueRefund[]) => found.map(({ request }) => request).sort();
  return {
    real: async () => {
      const found = await store.loadOverdueRefunds(HOUR_MS, PAGE);
      if (isTask) for (const one of found) await store.openRefundTask(buildTask(one));
      return sort(found);
    },
    model: (server) => {
      const found = calls.loadOverdueRefunds(server, HOUR_MS, PAGE);
      if (isTask) for (const one of found) calls.openRefundTask(server, buildTask(one));
      return sort(found);
    },
  };
};

/** Makes all rows older. */
const passTime: BuildOperation = ({ chance, sql }) => {
  const ms = chance.pick(AGES_MS);
  const age = `${ms} milliseconds`;
  return {
    real: async () => {
      await sql`update rail_calls set due_at = due_at - ${age}::interval,
        requested_at = requested_at - ${age}::interval, sent_at = sent_at - ${age}::interval`;
      await sql`update status_inquiries set due_at = due_at - ${age}::interval,
        leased_until = leased_until - ${age}::interval, inquired_at = inquired_at - ${age}::interval`;
      await sql`update rail_facts set stored_at = stored_at - ${age}::interval`;
      await sql`update payments set due_at = due_at - ${age}::interval`;
    },
    model: ({ tables }) => {
      ageTables(tables, ms);
    },
  };
};

function ageTables(tables: Tables, ms: number): void {
  const age = (atMs: number | null): number | null => (atMs === null ? null : atMs - ms);
  for (const row of tables.railCalls.values()) {
    const { dueAtMs, requestedAtMs, sentAtMs } = row;
    const older = { dueAtMs: dueAtMs - ms, requestedAtMs: requestedAtMs - ms };
    tables.railCalls.set(row.id, { ...row, ...older, sentAtMs: age(sentAtMs) });
  }
  for (const row of tables.statusInquiries.values()) {
    const { dueAtMs, leasedUntilMs, inquiredAtMs } = row;
    const older = { dueAtMs: age(dueAtMs), leasedUntilMs: age(leasedUntilMs) };
    tables.statusInquiries.set(row.id, { ...row, ...older, inquiredAtMs: age(inquiredAtMs) });
  }
  for (const row of tables.railFacts.values()) {
    tables.railFacts.set(row.id, { ...row, storedAtMs: row.storedAtMs - ms });
  }
  for (const row of tables.payments.values()) {
    tables.payments.set(row.id, { ...row, dueAtMs: age(row.dueAtMs) });
  }
}

export const RAILS_OPERATIONS: readonly BuildOperation[] = [
  ...[claim, claim, claim, recordAnswer, recordUnknown],
  ...[stepRefund, stepRefund, stepRefund, stepRefund],
  ...[inquire, inquire, recordInquiry, recordInquiry, receive],
  ...[followCommands, followDue, findOverdue, passTime],
];
