// Rates compare only if the answers do. Before a bench measures, each target answers creates with one key at once, a repeat and a
// conflict as the first target does.
import type { Target } from '../stage/control.js';
import { newRun } from './requests.js';

/** Each target makes these itself. */
const OWN = ['id', 'order_id', 'checkout_url', 'created_at', 'expires_at'];
const AT_ONCE = 16;
const [AMOUNT, OTHER_AMOUNT] = ['150000', '150001'];

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** @throws Error that names the target, the member and both values */
export async function checkAnswers(targets: readonly Target[]): Promise<void> {
  const [first, ...others] = targets;
  if (first === undefined) return;
  const expected = await checkRepeat(first);
  for (const target of others) {
    const different = findDifference(expected, await checkRepeat(target));
    if (different !== undefined) {
      throw new Error(`${target.name} does not answer as ${first.name} does: ${different}`);
    }
  }
}

/** The payment of a create, which its repeats answer as well, those at the same time included. */
async function checkRepeat(target: Target): Promise<Record<string, unknown>> {
  const run = newRun();
  const atOnce = Array.from({ length: AT_ONCE }, () => create(target, run, AMOUNT));
  const answers = [...(await Promise.all(atOnce)), await create(target, run, AMOUNT)];
  const created = answers.filter(({ status }) => status === 201);
  const repeated = answers.filter(({ status }) => status === 200);
  const payments = new Set(answers.map(({ body }) => JSON.stringify(body)));
  const [payment = ''] = payments;
  if (payments.size !== 1 || created.length !== 1 || repeated.length !== AT_ONCE) {
    throw new Error(
      `${target.name} must answer 201 once and then 200 with the same payment to creates with one key; ` +
        `it answered ${answers.map(({ status }) => status).join(', ')}: ${[...payments].join(', ')}`,
    );
  }
  const { status } = await create(target, run, OTHER_AMOUNT);
  if (status !== 409) {
    throw new Error(
      `${target.name} must answer 409 to another body with the same key, not ${status}`,
    );
  }
  return JSON.parse(payment) as Record<string, unknown>;
}

async function create({ port, key }: Target, run: string, amount: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `same-${run}`,
    },
    body: JSON.stringify({
      amount,
      currency: 'IDR',
      payment_method: 'QRIS',
      customer_name: 'Budi Santoso',
      description: 'Order of the benchmark',
      reference_id: 'ref-same',
    }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** `amount is "1", not "2"`: the first member that differs; of members that each makes itself, whether they are there. */
function findDifference(
  expected: Record<string, unknown>,
  actual: Record<string, unknown>,
): string | undefined {
  const shown = (body: Record<string, unknown>, name: string): string =>
    OWN.includes(name) ? typeof body[name] : JSON.stringify(body[name]);
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  const name = [...names].find((one) => shown(expected, one) !== shown(actual, one));
  if (name === undefined) return undefined;
  return `${name} is ${shown(actual, name)}, not ${shown(expected, name)}`;
}
