// The examples agree with each other: a pending payment has no `paid_at`, an id names one object, a sum adds up.
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { readExamples } from '#gateway/developers/openapi/examples.js';
import {
  ADMINISTRATORS,
  DASHBOARD,
  MERCHANTS,
  selectRoutes,
} from '#gateway/developers/openapi/documents.js';
import { at, ROUTES, type Tree, walk } from './documents.js';

const examples = readExamples();
const objects: (readonly [string, Tree])[] = [];
walk(examples, (node, path) => {
  if (typeof node['id'] === 'string') objects.push([path, node]);
});

const listOf = (prefix: string, field: string): readonly (readonly [string, Tree])[] =>
  objects.filter(([, node]) => String(node['id']).startsWith(`${prefix}_`) && field in node);
const readAmount = (node: Tree, field: string): bigint => BigInt(String(node[field]));
const isSet = (node: Tree, field: string): boolean =>
  node[field] !== undefined && node[field] !== null;

const described = [MERCHANTS, DASHBOARD].flatMap((document) => selectRoutes(document, ROUTES));

t.test('each operation of a merchant and each webhook has an example', (t) => {
  for (const { operationId = '', answers, body, params } of described) {
    const example = examples.operations[operationId];
    const bodies = Object.keys(answers).filter((status) => answers[Number(status)] !== null);
    t.same(Object.keys(example?.answers ?? {}), bodies, `${operationId} answers`);
    t.equal(example?.body !== undefined, body !== undefined, `${operationId} body`);
    t.same(Object.keys(example?.params ?? {}), Object.keys(params), `${operationId} params`);
  }
  t.same(Object.keys(examples.webhooks).sort(), [...WEBHOOK_TYPES].sort());
  t.end();
});

t.test('each operation of an administrator has an example of one of its answers', (t) => {
  const missing = selectRoutes(ADMINISTRATORS, ROUTES)
    .filter(({ operationId = '' }) => examples.operations[operationId] === undefined)
    .map(({ operationId }) => operationId);
  t.same(missing, []);
  t.end();
});

/** The time that a payment of each status has, and that a payment of no other status has. */
const TIME_OF: Readonly<Record<string, string>> = {
  failed: 'failed_at',
  cancelled: 'cancelled_at',
  refunded: 'refunded_at',
};

t.test('the fields of a payment agree with its status', (t) => {
  const payments = listOf('pay', 'paid_at');
  for (const [path, payment] of payments) {
    const { status, amount, created_at: createdAt } = payment;
    t.equal(
      isSet(payment, 'paid_at'),
      status === 'paid' || status === 'refunded',
      `${path} paid_at`,
    );
    for (const [of, field] of Object.entries(TIME_OF)) {
      if (field in payment) t.equal(isSet(payment, field), status === of, `${path} ${field}`);
    }
    if ('failure_code' in payment)
      t.equal(isSet(payment, 'failure_code'), status === 'failed', `${path} failure_code`);
    if ('refundable_amount' in payment) {
      const left =
        status === 'paid' ? BigInt(String(amount)) - readAmount(payment, 'refunded_amount') : 0n;
      t.equal(readAmount(payment, 'refundable_amount'), left, `${path} refundable_amount`);
      t.match(payment['checkout_url'], `/checkout/${String(payment['id'])}`, path);
    }
    for (const [field, value] of Object.entries(payment)) {
      if (field.endsWith('_at') && typeof value === 'string' && typeof createdAt === 'string')
        t.ok(value >= createdAt, `${path} ${field} is not before created_at`);
    }
  }
  t.ok(payments.length > 10);
  t.end();
});

t.test('the fields of refunds and payouts agree with their statuses', (t) => {
  for (const [path, refund] of listOf('ref', 'completed_at')) {
    t.equal(isSet(refund, 'completed_at'), refund['status'] === 'SUCCEEDED', path);
    const payment = listOf('pay', 'refundable_amount').find(
      ([, { id }]) => id === refund['payment_id'],
    );
    if (payment !== undefined)
      t.ok(readAmount(refund, 'amount') <= readAmount(payment[1], 'amount'), `${path} amount`);
  }
  for (const [path, payout] of listOf('po', 'completed_at')) {
    const status = String(payout['status']);
    t.equal(
      isSet(payout, 'completed_at'),
      /COMPLETED|REVERSED/.test(status),
      `${path} completed_at`,
    );
    t.equal(isSet(payout, 'failed_at'), status === 'FAILED', `${path} failed_at`);
    t.equal(isSet(payout, 'failure_code'), status === 'FAILED', `${path} failure_code`);
    t.equal(isSet(payout, 'reversed_at'), status === 'REVERSED', `${path} reversed_at`);
  }
  t.end();
});

t.test('an event is about its object, and its type agrees with the status of that', (t) => {
  const statuses: Readonly<Record<string, RegExp>> = {
    'payment.paid': /^paid$/,
    'payment.failed': /^failed$/,
    'payment.cancelled': /^cancelled$/,
    'payment.refunded': /^(paid|refunded)$/,
    'refund.failed': /^paid$/,
    'payout.completed': /^COMPLETED$/,
    'payout.failed': /^FAILED$/,
    'payout.reversed': /^REVERSED$/,
  };
  const events = listOf('evt', 'data').filter(([, { type }]) => String(type) in statuses);
  for (const [path, event] of events) {
    const type = String(event['type']);
    const [, body = ''] = String(at(event, 'data', 'id')).split('_');
    t.match(event['id'], `evt_${body}`, path);
    t.match(at(event, 'data', 'status'), statuses[type], path);
    const isOfRefund = type === 'payment.refunded' || type === 'refund.failed';
    t.equal(at(event, 'data', 'refund_id') !== undefined, isOfRefund, `${path} refund_id`);
  }
  t.ok(events.length > 8);
  t.end();
});

t.test('an id names one object everywhere', (t) => {
  const known = new Map<string, Tree>();
  for (const [path, node] of objects) {
    const id = String(node['id']);
    const first = known.get(id) ?? node;
    known.set(id, first);
    for (const field of [
      'amount',
      'currency',
      'reference_id',
      'order_id',
      'payment_id',
      'environment',
    ]) {
      if (field in node && field in first) t.equal(node[field], first[field], `${path} ${field}`);
    }
  }
  t.end();
});

t.test('an answer about one object is about the id of the path', (t) => {
  for (const [name, { params = {}, answers }] of Object.entries(examples.operations)) {
    const ids = [String(at(answers['200'], 'id'))];
    for (const value of Object.values(params)) {
      const prefix = value.replace(/_.*/, '_');
      const same = ids.filter((id) => id.startsWith(prefix));
      t.ok(
        same.every((id) => id === value),
        name,
      );
    }
  }
  t.end();
});
