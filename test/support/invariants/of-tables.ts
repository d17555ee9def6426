// Invariants of what is stored. Each answers its violations, in words.
import type { Evidence, EventRow, PaymentRow, PostingRow, Tables } from './evidence.js';
import { groupBy } from './of-answers.js';

/** The transitions that the load of the tests can cause: TEST payments, simulated and cancelled. */
const TRANSITIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { payment_paid: 'paid', payment_failed: 'failed', payment_cancelled: 'cancelled' },
  // Money that comes after all. Simulate never does that; a rail can.
  failed: { payment_paid: 'paid' },
  cancelled: { payment_paid: 'paid' },
};
const eventsOf = ({ events }: Tables): Map<string, EventRow[]> =>
  groupBy(events, (event) => event.payment_id);

/** The references of the load name one key each, so two payments of one reference are one too many. */
export function onePaymentPerKey({ tables }: Evidence): string[] {
  return [...groupBy(tables.payments, (payment) => payment.reference_id)].flatMap(
    ([reference, payments]) =>
      payments.length > 1
        ? [`${reference} has payments ${payments.map(({ id }) => id).join(', ')}`]
        : [],
  );
}

/** The row of the payment is version 1, its events are 2 to n without a gap or a repeat, and each transition is in the table. */
export function transitionsAreLegal({ tables }: Evidence): string[] {
  const events = eventsOf(tables);
  const known = new Set(tables.payments.map(({ id }) => id));
  const strays = [...events.keys()].filter((id) => !known.has(id));
  return [
    ...strays.map((id) => `${id} has events and no snapshot`),
    ...tables.payments.flatMap((payment) => replay(payment, events.get(payment.id) ?? [])),
  ];
}

function replay(payment: PaymentRow, events: readonly EventRow[]): string[] {
  const { id, version, status } = payment;
  const violations: string[] = [];
  const versions = events.map((event) => event.version);
  if (versions.join() !== Array.from({ length: version - 1 }, (_, index) => index + 2).join()) {
    violations.push(`${id} of version ${version} has the event versions ${versions.join()}`);
  }
  let state = 'pending';
  for (const event of events) {
    const next = TRANSITIONS[state]?.[event.type];
    if (next === undefined) violations.push(`${id}: ${event.type} in state ${state}`);
    state = next ?? state;
  }
  if (state !== status) violations.push(`${id} is stored as ${status}, its events say ${state}`);
  return violations;
}

/** One payment_paid for each settlement that was accepted, on exactly the payments that are paid. */
export function settlementsPayOnce({ tables }: Evidence): string[] {
  const paid = groupBy(
    tables.events.filter(({ type }) => type === 'payment_paid'),
    (event) => event.payment_id,
  );
  const settled = groupBy(tables.railTransactions, (row) => row.payment_id);
  return tables.payments.flatMap(({ id, status }) => {
    const expected = status === 'paid' ? 1 : 0;
    const counts = [paid.get(id)?.length ?? 0, settled.get(id)?.length ?? 0];
    return counts.every((count) => count === expected)
      ? []
      : [`${id} is ${status} with ${counts[0]} payment_paid and ${counts[1]} settlements`];
  });
}

/** Event ids are unique, and whoever must hear of a transition can: its envelope is stored with it. */
export function transitionsHaveOneEvent({ tables }: Evidence): string[] {
  const violations: string[] = [];
  const ids = new Set<string>();
  for (const { payment_id: payment, version, type, envelope } of tables.events) {
    if (envelope === null) {
      violations.push(`${payment} ${type} lacks an envelope`);
      continue;
    }
    const { id } = JSON.parse(envelope) as { id: string };
    if (ids.has(id)) violations.push(`${payment} version ${version}: event ${id} is there twice`);
    ids.add(id);
  }
  return violations;
}

/** Each paid payment has its one posting, of its amount, and nothing else has any. */
export function postingsMatchPayments({ tables }: Evidence): string[] {
  const postings = groupBy(tables.postings, (posting) => posting.cause_id);
  const expected = new Map(
    tables.payments
      .filter(({ status }) => status === 'paid')
      .map(({ id, amount }) => [id, `payment_paid ${amount}`]),
  );
  const found = [...postings].map(([id, rows]) => [id, rows.map(tell).join(' + ')] as const);
  const wrong = found.filter(([id, text]) => expected.get(id) !== text);
  const missing = [...expected.keys()].filter((id) => !postings.has(id));
  return [
    ...wrong.map(([id, text]) => `${id} has postings ${text}, not ${expected.get(id) ?? 'none'}`),
    ...missing.map((id) => `${id} is paid and has no posting`),
  ];
}

const tell = ({ reason, amount }: PostingRow): string => `${reason} ${amount}`;

/** Balances are the sums of the postings, add up to nothing, and TEST stays among itself. */
export function balancesAreSums({ tables }: Evidence): string[] {
  const sums = new Map<string, bigint>();
  const add = (account: string, amount: bigint): void => {
    sums.set(account, (sums.get(account) ?? 0n) + amount);
  };
  const violations: string[] = [];
  for (const { debit, credit, amount } of tables.postings) {
    add(debit, -BigInt(amount));
    add(credit, BigInt(amount));
    if (!debit.includes(':TEST:') || !credit.includes(':TEST:')) {
      violations.push(`a posting of TEST moves ${debit} to ${credit}`);
    }
  }
  for (const { account, amount } of tables.balances) {
    const sum = sums.get(account) ?? 0n;
    if (sum !== BigInt(amount)) violations.push(`${account} holds ${amount}, its sum is ${sum}`);
    sums.delete(account);
  }
  for (const account of sums.keys()) violations.push(`${account} has postings and no balance`);
  return violations;
}

/** Seen while the faults went on: positions only rise, epochs never fall. */
export function positionsOnlyRise({ samples }: Evidence): string[] {
  const violations: string[] = [];
  for (const [id, seen] of groupBy(samples, (sample) => String(sample.id))) {
    seen.forEach((now, index) => {
      const before = seen[index - 1];
      if (before === undefined) return;
      const hasFallen = now.ms < before.ms || (now.ms === before.ms && now.seq < before.seq);
      if (hasFallen) violations.push(`partition ${id} went back to ${now.ms}-${now.seq}`);
      if (now.epoch < before.epoch) violations.push(`the epoch of partition ${id} fell`);
    });
  }
  return violations;
}

/** Commands are quarantined when a test provoked it, and only then. */
export function onlyProvokedCommandsAreQuarantined({
  tables,
  expectedQuarantined,
}: Evidence): string[] {
  const { quarantined } = tables;
  if (expectedQuarantined === null || quarantined.length === expectedQuarantined) return [];
  const told = quarantined.map(
    ({ partition, command, error }) => `${partition}: ${error}: ${command}`,
  );
  return [
    `${quarantined.length} quarantined, not ${expectedQuarantined}: ${told.join('; ').slice(0, 2_000)}`,
  ];
}
