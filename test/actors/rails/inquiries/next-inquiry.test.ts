// The times of status inquiries: by the schedule, after a settlement, and while a callback is unconfirmed.
import t from 'tap';
import { REPORTED_STATES } from '#actors/core/statuses.js';
import { deriveOrderId } from '#actors/core/ids.js';
import { buildUnconfirmedTasks } from '#actors/rails/inquiries/inquiry-tasks.js';
import {
  planAfterSettlement,
  planFastInquiry,
  planNextInquiry,
  repeatAfterSettlement,
} from '#actors/rails/inquiries/next-inquiry.js';
import { listUnconfirmed } from '#actors/rails/inquiries/unconfirmed-reports.js';
import { PAYMENT_ID } from '#test/core/payment/samples.js';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000_000_000;
const schedule = {
  ...{ step: 9, nowMs: NOW_MS, inquireUntilMs: NOW_MS + HOUR_MS },
  scheduleS: [30, 60, 300],
};

t.test('an order at a late step whose inquiries end soon has no next inquiry', (t) => {
  t.equal(planNextInquiry(schedule), null);
  t.end();
});

t.test('a settled order is inquired twice more, late', (t) => {
  const scheduleS = [30, 60, 300, 900, 1_800, 3_600];
  const first = planAfterSettlement({ ...schedule, scheduleS });
  t.match(first, { inMs: 900_000, step: -1 });
  const later = {
    scheduleS,
    nowMs: NOW_MS + 900_000,
    inquireUntilMs: Number(first?.inquireUntilMs),
  };
  const second = planAfterSettlement({ ...later, step: -1 });
  t.match(second, { inMs: 3_600_000, step: -2 });
  t.equal(planAfterSettlement({ ...later, step: -2 }), null);
  t.match(repeatAfterSettlement({ ...later, step: -1 }), { inMs: 900_000, step: -1 });
  t.equal(repeatAfterSettlement({ ...later, step: -1, nowMs: later.inquireUntilMs }), null);
  t.match(planAfterSettlement({ ...schedule, scheduleS: [1] }), { inMs: 1_000 });
  t.end();
});

t.test('an unconfirmed callback is inquired ten times within two hours, beyond the end', (t) => {
  let nowMs = NOW_MS;
  for (let fastStep = 0; fastStep < 10; fastStep += 1) {
    const next = planFastInquiry(
      { ...schedule, nowMs },
      { unconfirmed: ['settled'], fastStep },
      null,
    );
    if (next === null) throw new Error(`no inquiry at step ${fastStep}`);
    t.match(next, { step: 9, fast: { step: fastStep + 1, unconfirmed: ['settled'] } });
    nowMs += next.inMs;
    t.ok(next.inquireUntilMs >= nowMs, 'inquiries do not end before it');
  }
  t.ok(nowMs - NOW_MS < 2 * HOUR_MS);
  t.ok(nowMs > schedule.inquireUntilMs);
  const over = { unconfirmed: ['settled'], fastStep: 10 } as const;
  t.equal(planFastInquiry({ ...schedule, nowMs }, over, null), null);
  t.end();
});

t.test('the fast schedule never inquires later than the schedule, which then goes on', (t) => {
  const otherwise = { inMs: 30_000, step: 10, inquireUntilMs: NOW_MS + HOUR_MS, fast: null };
  const next = planFastInquiry(schedule, { unconfirmed: ['ended'], fastStep: 9 }, otherwise);
  t.match(next, { inMs: 30_000, step: 10, fast: { step: 9, unconfirmed: ['ended'] } });
  t.end();
});

t.test('early inquiries of the schedule do not end the fast schedule sooner', (t) => {
  let nowMs = NOW_MS;
  let step = 0;
  let fastStep = 0;
  for (;;) {
    const times = { step, nowMs, inquireUntilMs: NOW_MS + 48 * HOUR_MS, scheduleS: [30, 60, 300] };
    const next = planFastInquiry(
      times,
      { unconfirmed: ['settled'], fastStep },
      planNextInquiry(times),
    );
    if (next === null) break;
    nowMs += next.inMs;
    step = next.step;
    fastStep = next.fast?.step ?? 0;
  }
  t.ok(nowMs - NOW_MS > 1.5 * HOUR_MS, 'a person is asked after the whole fast schedule');
  t.ok(nowMs - NOW_MS < 4 * HOUR_MS);
  t.end();
});

t.test('a report is confirmed by its own state or a later one, never by an unknown answer', (t) => {
  const left = (result: string, hasGivenBack = false) =>
    listUnconfirmed(REPORTED_STATES, result, hasGivenBack);
  t.same(left('unknown'), REPORTED_STATES);
  t.same(left('open'), ['settled', 'ended', 'reversed', 'given_back']);
  t.same(left('settled'), ['reversed', 'given_back'], 'money may have been taken back since');
  t.same(left('settled', true), ['reversed'], 'some of the money was given back');
  t.same(left('failed'), ['settled', 'given_back'], 'reported money outlives a failure');
  t.same(left('closed'), ['settled', 'given_back']);
  t.same(left('reversed'), []);
  t.end();
});

t.test('reported money that was never found opens one task for its order', (t) => {
  const orderId = deriveOrderId(PAYMENT_ID, 1);
  const inquiry = {
    claimed: { id: orderId, kind: 'order' },
    state: { attempts: [{ orderId, rail: 'midtrans' }] },
  } as const;
  const [task, ...more] = buildUnconfirmedTasks(inquiry, ['settled', 'ended']);
  t.same(more, []);
  t.equal(task?.kind, 'callback_unconfirmed');
  t.same(JSON.parse(task?.details ?? ''), { rail: 'midtrans', orderId, reported: 'settled ended' });
  t.same(buildUnconfirmedTasks(inquiry, ['open', 'ended']), [], 'a report without money');
  const refund = { ...inquiry, claimed: { id: 'call_1', kind: 'refund' } } as const;
  t.same(buildUnconfirmedTasks(refund, ['settled']), [], 'refunds have a task of their own');
  t.end();
});
