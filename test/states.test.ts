// docs/states.md names every state that is not final, with the deadlines, tasks and alerts that the code has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { APPROVAL_STATUSES } from '../actors/core/approvals/kinds.js';
import { isOpen, isPayable, isRefundOpen } from '../actors/core/payment/state.js';
import { EXPIRY_GRACE_MS } from '../actors/core/payment/due.js';
import { REFUND_UNRESOLVED_AFTER_MS } from '../actors/core/payment/refunds.js';
import { UNRESOLVED_AFTER_MS } from '../actors/core/payout/schedule.js';
import {
  ATTEMPT_STATUSES,
  PAYMENT_STATUSES,
  PAYOUT_STATUSES,
  REFUND_STATUSES,
} from '../actors/core/statuses.js';
import { TASK_KINDS } from '../actors/core/tasks/kinds.js';
import { findPackageRoot } from '../ops/runtime/package-root.js';
import { CALLBACK_STATUSES } from '../store/postgres/rails/callbacks.js';

const HOUR_MS = 3_600_000;
const ENDED_PAYOUTS: readonly string[] = ['COMPLETED', 'FAILED', 'REVERSED'];
const ENDED_APPROVALS: readonly string[] = ['applied', 'refused', 'rejected'];
const DECIDED_CALLBACKS: readonly string[] = ['taken', 'booked', 'dismissed', 'ignored'];

const read = (path: string): string => readFileSync(join(findPackageRoot(), path), 'utf8');
const rows = read('docs/states.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Object'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, object = '', state = '', , deadline = '', then = '', alert = '']) => ({
    ...{ object, state: state.replaceAll('`', ''), deadline, then, alert },
  }));

/** The argument of a predicate that reads the status only. */
const having = <Of>(status: string) => ({ status }) as Of;

const listStates = (object: string): string[] =>
  rows.filter((row) => row.object === object).map(({ state }) => state);
const findDeadline = (object: string, state: string): string | undefined =>
  rows.find((row) => row.object === object && row.state === state)?.deadline;

t.test('every state that is not final has a row', (t) => {
  t.same(
    listStates('payment'),
    PAYMENT_STATUSES.filter((status) => isOpen(having(status))),
  );
  t.same(
    listStates('attempt'),
    ATTEMPT_STATUSES.filter((status) => isPayable(having(status))),
  );
  t.same(
    listStates('refund'),
    REFUND_STATUSES.filter((status) => isRefundOpen(having(status))),
  );
  t.same(
    listStates('payout'),
    PAYOUT_STATUSES.filter((status) => !ENDED_PAYOUTS.includes(status)),
  );
  t.same(
    listStates('callback'),
    CALLBACK_STATUSES.filter((status) => !DECIDED_CALLBACKS.includes(status)),
  );
  t.same(
    listStates('approval'),
    APPROVAL_STATUSES.filter((status) => !ENDED_APPROVALS.includes(status)),
  );
  const calls = /state in \(('due', 'sent'), 'answered'\)/.exec(
    read('store/postgres/schema/0006_rails.sql'),
  );
  t.equal(
    calls?.[1],
    listStates('call')
      .map((state) => `'${state}'`)
      .join(', '),
  );
  t.end();
});

t.test('deadlines are those of the code', (t) => {
  const hours = (ms: number): string => `${ms / HOUR_MS} h`;
  t.equal(findDeadline('refund', 'asked'), hours(REFUND_UNRESOLVED_AFTER_MS));
  t.equal(findDeadline('payout', 'PENDING'), hours(UNRESOLVED_AFTER_MS));
  t.equal(findDeadline('payout', 'PROCESSING'), hours(UNRESOLVED_AFTER_MS));
  t.equal(findDeadline('payment', 'pending'), `its own expiry and ${EXPIRY_GRACE_MS / 60_000} min`);
  t.ok(rows.every(({ deadline, then }) => deadline !== '' && then !== ''));
  t.end();
});

t.test('tasks and alerts of the table exist', (t) => {
  const kinds: readonly string[] = TASK_KINDS;
  const named = rows.flatMap(({ then }) =>
    [...then.matchAll(/task `(\w+)`/g)].map(([, kind]) => kind),
  );
  t.ok(named.length > 5);
  t.same(
    named.filter((kind) => !kinds.includes(String(kind))),
    [],
  );
  const rules = read('ops/prometheus/rules.yml');
  const alerts = rows.flatMap(({ alert }) =>
    [...alert.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  t.same(
    alerts.filter((name) => !rules.includes(`alert: ${name}\n`)),
    [],
  );
  t.end();
});
